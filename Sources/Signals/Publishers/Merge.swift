// The values of several publishers, as they come.

/// Sends what several publishers send, as it comes.
///
/// - It finishes when all of them have finished, and fails when the first of them fails.
/// - The others are cancelled when one fails.
/// - The values of each stay in order; a value sent during a delivery is delivered after it.
///
/// Merging no publishers at all traps.
public struct Merge<Output, Failure: Error>: Publisher {
  let publishers: [any Publisher<Output, Failure>]

  /// Creates the merger of publishers; none traps.
  public init(_ publishers: [any Publisher<Output, Failure>]) {
    if publishers.isEmpty { trap("Merge of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all, in order.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let gate = Gate(downstream)
    // All count as open before the first can finish.
    let left = Box(publishers.count)
    for publisher in publishers {
      gate.connect { publisher.subscribe(MergeSink(gate: gate, input: $0, left: left)) }
    }
    return gate.isActive ? gate : nil
  }
}

struct MergeSink<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let gate: Gate<Downstream>
  let input: GateInput
  let left: Box<Int>

  func receive(_ value: Input) -> Bool { input.isOpen && gate.send(value) }

  func finish(_ completion: Completion<Failure>) {
    guard gate.close(input) else { return }
    unsafe left.value -= 1
    if unsafe completion.isFailure || left.value == 0 { gate.finish(completion) }
  }
}

extension Completion {
  var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension Publisher {
  /// Sends what this and another publisher send, as it comes; see ``Merge``.
  public func merge(
    with other: some Publisher<Output, Failure>
  ) -> some Publisher<Output, Failure> {
    Merge([self, other])
  }
}
