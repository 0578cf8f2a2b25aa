// The latest values of several publishers together.

/// Sends the latest values of all publishers whenever one of them sends, once each has sent.
///
/// - It finishes when all have finished, or as soon as one finishes without having sent.
/// - It fails when the first of them fails, and cancels the others.
///
/// Combining no publishers at all traps. Each event copies the array.
public struct CombineLatest<Element, Failure: Error>: Publisher {
  /// The latest value of each, in the order of the publishers.
  public typealias Output = [Element]

  let publishers: [any Publisher<Element, Failure>]

  /// Creates the combination of publishers; none traps.
  public init(_ publishers: [any Publisher<Element, Failure>]) {
    if publishers.isEmpty { trap("CombineLatest of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all, in order.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let gate = Gate(downstream)
    let latest = Latest(Box([Element?](repeating: nil, count: publishers.count)))
    for (index, publisher) in publishers.enumerated() {
      let values = latest.values
      gate.connect {
        publisher.subscribe(
          CombineLatestSink(gate: gate, input: $0, latest: latest) { (value: Element) in
            let isFirst = unsafe values.value[index] == nil
            unsafe values.value[index] = value
            return isFirst
          } combined: {
            unsafe values.value.map { $0! }
          })
      }
    }
    return gate.isActive ? gate : nil
  }
}

/// What the inputs of a combination share: their values, and how many have sent none or are open.
final class Latest<Values> {
  let values: Box<Values>
  var missing: Int
  var open: Int

  init(_ values: Box<Values>, count: Int) {
    self.values = values
    missing = count
    open = count
  }
}

extension Latest {
  convenience init<Element>(_ values: Box<Values>) where Values == [Element?] {
    self.init(values, count: unsafe values.value.count)
  }
}

struct CombineLatestSink<Input, Values, Downstream: Subscriber>: Subscriber {
  typealias Failure = Downstream.Failure

  let gate: Gate<Downstream>
  let input: GateInput
  let latest: Latest<Values>
  /// Keeps a value; the answer is whether it is the first.
  let keep: (Input) -> Bool
  let combined: () -> Downstream.Input
  let hasSent = Box(false)

  init(
    gate: Gate<Downstream>, input: GateInput, latest: Latest<Values>,
    keep: @escaping (Input) -> Bool,
    combined: @escaping () -> Downstream.Input
  ) {
    self.gate = gate
    self.input = input
    self.latest = latest
    self.keep = keep
    self.combined = combined
  }

  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    if keep(value) {
      latest.missing -= 1
      unsafe hasSent.value = true
    }
    return latest.missing > 0 ? true : gate.send(combined())
  }

  func finish(_ completion: Completion<Failure>) {
    guard gate.close(input) else { return }
    latest.open -= 1
    if unsafe completion.isFailure || latest.open == 0 || !hasSent.value {
      gate.finish(completion)
    }
  }
}

struct CombineLatestPair<First: Publisher, Second: Publisher>: Publisher
where First.Failure == Second.Failure {
  typealias Output = (First.Output, Second.Output)
  typealias Failure = First.Failure

  let first: First
  let second: Second

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let gate = Gate(downstream)
    let values = Box<(First.Output?, Second.Output?)>((nil, nil))
    let latest = Latest(values, count: 2)
    let combined = {
      unsafe (values.value.0!, values.value.1!)
    }
    gate.connect {
      first.subscribe(
        CombineLatestSink(gate: gate, input: $0, latest: latest) { (value: First.Output) in
          let isFirst = unsafe values.value.0 == nil
          unsafe values.value.0 = value
          return isFirst
        } combined: {
          combined()
        })
    }
    gate.connect {
      second.subscribe(
        CombineLatestSink(gate: gate, input: $0, latest: latest) { (value: Second.Output) in
          let isFirst = unsafe values.value.1 == nil
          unsafe values.value.1 = value
          return isFirst
        } combined: {
          combined()
        })
    }
    return gate.isActive ? gate : nil
  }
}

extension Publisher {
  /// Sends the latest values of this and another whenever one of them sends, once both have.
  ///
  /// - It finishes when both have finished, or as soon as one finishes without having sent.
  /// - It fails when the first of them fails, and cancels the other.
  public func combineLatest<Other: Publisher>(
    _ other: Other
  ) -> some Publisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    CombineLatestPair(first: self, second: other)
  }

  /// Sends the latest values of this and two others whenever one of them sends, once all have.
  public func combineLatest<Second: Publisher, Third: Publisher>(
    _ second: Second, _ third: Third
  ) -> some Publisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    combineLatest(second).combineLatest(third).map { ($0.0.0, $0.0.1, $0.1) }
  }
}
