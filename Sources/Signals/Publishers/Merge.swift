// The values of several publishers, as they arrive.

/// Sends the values of several publishers, as they arrive.
///
/// - It finishes when all of them have finished.
/// - It fails when the first of them fails, and cancels the others.
/// - The values of each stay in order. A value sent during a delivery is delivered after it.
///
/// Merging no publishers traps.
public struct Merge<Output, Failure: Error>: Publisher {
  @usableFromInline let publishers: [any Publisher<Output, Failure>]

  /// Creates a publisher that merges publishers; an empty array traps.
  ///
  /// - Parameter publishers: The publishers to merge.
  public init(_ publishers: [any Publisher<Output, Failure>]) {
    if publishers.isEmpty { trap("Merge of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all publishers, in order.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  @inlinable
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    // All inputs count as open before the first can finish.
    let left = UncheckedState(publishers.count)
    for publisher in publishers {
      subscriber.connect { publisher.subscribe(MergeSink(subscriber, input: $0, left: left)) }
    }
    return subscriber.connection
  }
}

@usableFromInline
struct MergePair<First: Publisher, Second: Publisher>: Publisher
where First.Output == Second.Output, First.Failure == Second.Failure {
  @usableFromInline typealias Output = First.Output
  @usableFromInline typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(_ first: First, with second: Second) {
    self.first = first
    self.second = second
  }

  @inlinable
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    let left = UncheckedState(2)
    subscriber.connect { first.subscribe(MergeSink(subscriber, input: $0, left: left)) }
    subscriber.connect { second.subscribe(MergeSink(subscriber, input: $0, left: left)) }
    return subscriber.connection
  }
}

@usableFromInline
struct MergeSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @usableFromInline let input: SerializedInput
  /// The number of inputs that haven't ended.
  @usableFromInline let left: UncheckedState<Int>

  @inlinable
  init(
    _ subscriber: SerializedSubscriber<Downstream>, input: SerializedInput,
    left: UncheckedState<Int>
  ) {
    self.subscriber = subscriber
    self.input = input
    self.left = left
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool { input.isOpen && subscriber.send(value) }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard subscriber.close(input) else { return }
    left.value -= 1
    if completion.isFailure || left.value == 0 { subscriber.finish(completion) }
  }
}

extension Completion {
  @inlinable var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension Publisher {
  /// Sends the values of this and another publisher, as they arrive; see ``Merge``.
  ///
  /// - Parameter other: The other publisher.
  /// - Returns: A publisher of the values of both.
  @inlinable
  public func merge<Other: Publisher>(
    with other: Other
  ) -> some Publisher<Output, Failure> where Other.Output == Output, Other.Failure == Failure {
    MergePair(self, with: other)
  }
}
