// Combining the values of several publishers by position.

/// Sends the first values of all publishers together, then the second ones, and so on.
///
/// - Values that arrive early wait for the others, in a buffer without a limit.
/// - It finishes as soon as nothing more can be sent: one publisher has finished and none of its
///   values is waiting.
/// - It fails when the first of them fails, and cancels the others.
///
/// Zipping no publishers traps.
public struct Zip<Element, Failure: Error>: Publisher {
  /// One value of each, in the order of the publishers.
  public typealias Output = [Element]

  let publishers: [any Publisher<Element, Failure>]

  /// Creates a publisher that zips publishers; an empty array traps.
  public init(_ publishers: [any Publisher<Element, Failure>]) {
    if publishers.isEmpty { trap("Zip of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all publishers, in order.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let lines = LinesOfMany<Element, Downstream>(Gate(downstream), count: publishers.count)
    for (index, publisher) in publishers.enumerated() {
      lines.gate.connect {
        publisher.subscribe(LinesOfManySink(lines: lines, input: $0, index: index))
      }
    }
    return lines.gate.connection
  }
}

/// Zips the values of many inputs.
///
/// State: `lines`, the waiting values of each input; `isFinished`, whether each input has finished.
final class LinesOfMany<Element, Downstream: Subscriber> where Downstream.Input == [Element] {
  let gate: Gate<Downstream>
  private var lines: [Queue<Element>]
  private var isFinished: [Bool]

  init(_ gate: Gate<Downstream>, count: Int) {
    self.gate = gate
    lines = Array(repeating: Queue(), count: count)
    isFinished = Array(repeating: false, count: count)
  }

  func receive(_ value: Element, _ index: Int) -> Bool {
    lines[index].append(value)
    if lines.allSatisfy({ !$0.isEmpty }) {
      let values = lines.indices.map { lines[$0].popFirst()! }
      gate.send(values)
    }
    return finishIfOver()
  }

  func finish(_ completion: Completion<Downstream.Failure>, _ index: Int) {
    isFinished[index] = true
    if completion.isFailure { gate.finish(completion) } else { _ = finishIfOver() }
  }

  private func finishIfOver() -> Bool {
    if lines.indices.contains(where: { isFinished[$0] && lines[$0].isEmpty }) {
      gate.finish(.finished)
    }
    return unsafe gate.isActive
  }
}

struct LinesOfManySink<Input, Downstream: Subscriber>: Subscriber
where Downstream.Input == [Input] {
  typealias Failure = Downstream.Failure

  let lines: LinesOfMany<Input, Downstream>
  let input: GateInput
  let index: Int

  func receive(_ value: Input) -> Bool { unsafe input.isOpen && lines.receive(value, index) }

  func finish(_ completion: Completion<Failure>) {
    if lines.gate.close(input) { lines.finish(completion, index) }
  }
}

extension Publisher {
  /// Sends the first values of this and another publisher together, then the second ones; see
  /// ``Zip``.
  @inlinable
  public func zip<Other: Publisher>(
    _ other: Other
  ) -> some Publisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    ZipPair(self, other)
  }

  /// Sends the first values of this and two other publishers together, then the second ones; see
  /// ``Zip``.
  @inlinable
  public func zip<Second: Publisher, Third: Publisher>(
    _ second: Second, _ third: Third
  ) -> some Publisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    zip(second).zip(third).map { ($0.0.0, $0.0.1, $0.1) }
  }
}
