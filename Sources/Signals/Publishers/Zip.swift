// The first values of several publishers together, then the second ones.

/// Sends the first values of all publishers together, then the second ones, and so on.
///
/// - Values that came early wait for the others, without limit.
/// - It finishes as soon as no more can be sent: one finished and none of its values waits.
/// - It fails when the first of them fails, and cancels the others.
///
/// Zipping no publishers at all traps.
public struct Zip<Element, Failure: Error>: Publisher {
  /// One value of each, in the order of the publishers.
  public typealias Output = [Element]

  let publishers: [any Publisher<Element, Failure>]

  /// Creates the combination of publishers; none traps.
  public init(_ publishers: [any Publisher<Element, Failure>]) {
    if publishers.isEmpty { trap("Zip of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all, in order.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let lines = publishers.map { _ in Line<Element>() }
    let state = Zipper(Gate(downstream), lines) { lines.map { $0.take() } }
    for (line, publisher) in Swift.zip(lines, publishers) {
      state.gate.connect {
        publisher.subscribe(ZipSink(input: $0, line: line, state: state))
      }
    }
    return state.gate.isActive ? state.gate : nil
  }
}

/// The values of one input that wait for those of the others.
final class Line<Element>: ZipLine {
  private var waiting: [Element] = []
  private var first = 0
  var isFinished = false

  var isEmpty: Bool { first == waiting.count }

  func append(_ element: Element) { waiting.append(element) }

  func take() -> Element {
    let element = waiting[first]
    first += 1
    if first == waiting.count || first > 1024 {
      waiting.removeFirst(first)
      first = 0
    }
    return element
  }
}

protocol ZipLine: AnyObject {
  var isEmpty: Bool { get }
  var isFinished: Bool { get set }
}

/// What the inputs of a zip share.
final class Zipper<Downstream: Subscriber> {
  let gate: Gate<Downstream>
  private let lines: [any ZipLine]
  private let take: () -> Downstream.Input

  init(
    _ gate: Gate<Downstream>, _ lines: [any ZipLine], take: @escaping () -> Downstream.Input
  ) {
    self.gate = gate
    self.lines = lines
    self.take = take
  }

  func advance() -> Bool {
    if lines.allSatisfy({ !$0.isEmpty }) { gate.send(take()) }
    if lines.contains(where: { $0.isFinished && $0.isEmpty }) { gate.finish(.finished) }
    return gate.isActive
  }
}

struct ZipSink<Input, Downstream: Subscriber>: Subscriber {
  typealias Failure = Downstream.Failure

  let input: GateInput
  let line: Line<Input>
  let state: Zipper<Downstream>

  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    line.append(value)
    return state.advance()
  }

  func finish(_ completion: Completion<Failure>) {
    guard state.gate.close(input) else { return }
    line.isFinished = true
    if completion.isFailure { state.gate.finish(completion) } else { _ = state.advance() }
  }
}

struct ZipPair<First: Publisher, Second: Publisher>: Publisher
where First.Failure == Second.Failure {
  typealias Output = (First.Output, Second.Output)
  typealias Failure = First.Failure

  let first: First
  let second: Second

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let (a, b) = (Line<First.Output>(), Line<Second.Output>())
    let state = Zipper(Gate(downstream), [a, b]) { (a.take(), b.take()) }
    state.gate.connect { first.subscribe(ZipSink(input: $0, line: a, state: state)) }
    state.gate.connect { second.subscribe(ZipSink(input: $0, line: b, state: state)) }
    return state.gate.isActive ? state.gate : nil
  }
}

extension Publisher {
  /// Sends the first values of this and another together, then the second ones; see ``Zip``.
  public func zip<Other: Publisher>(
    _ other: Other
  ) -> some Publisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    ZipPair(first: self, second: other)
  }

  /// Sends the first values of this and two others together, then the second ones; see ``Zip``.
  public func zip<Second: Publisher, Third: Publisher>(
    _ second: Second, _ third: Third
  ) -> some Publisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    zip(second).zip(third).map { ($0.0.0, $0.0.1, $0.1) }
  }
}
