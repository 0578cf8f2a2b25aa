// Operators that turn values into publishers.

@usableFromInline
struct FlatMap<Upstream: Publisher, Inner: Publisher>: Publisher
where Inner.Failure == Upstream.Failure {
  @usableFromInline typealias Output = Inner.Output
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let isLatest: Bool
  @usableFromInline let transform: (Upstream.Output) -> Inner

  @inlinable
  init(_ upstream: Upstream, isLatest: Bool, transform: @escaping (Upstream.Output) -> Inner) {
    self.upstream = upstream
    self.isLatest = isLatest
    self.transform = transform
  }

  @inlinable
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    subscriber.connect {
      upstream.subscribe(
        FlatMapSink(
          subscriber, input: $0, latest: isLatest ? UncheckedState(nil) : nil, transform: transform)
      )
    }
    return subscriber.connection
  }
}

@usableFromInline
struct FlatMapSink<Input, Inner: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Inner.Output, Downstream.Failure == Inner.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @usableFromInline let input: SerializedInput
  /// The inner publisher to be replaced by the next one; nil if all of them stay.
  @usableFromInline let latest: UncheckedState<SerializedInput?>?
  @usableFromInline let transform: (Input) -> Inner

  @inlinable
  init(
    _ subscriber: SerializedSubscriber<Downstream>, input: SerializedInput,
    latest: UncheckedState<SerializedInput?>?, transform: @escaping (Input) -> Inner
  ) {
    self.subscriber = subscriber
    self.input = input
    self.latest = latest
    self.transform = transform
  }

  @inlinable
  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    let publisher = transform(value)
    if let latest, let last = latest.value.take() { subscriber.close(last) }
    subscriber.connect { inner in
      latest?.value = inner
      return publisher.subscribe(InnerSink(subscriber, input: inner))
    }
    return subscriber.isActive
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard subscriber.close(input) else { return }
    if completion.isFailure || subscriber.openInputs == 0 { subscriber.finish(completion) }
  }
}

/// The sink of an inner publisher, which replaces a value or a failure.
@usableFromInline
struct InnerSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @usableFromInline let input: SerializedInput

  @inlinable
  init(_ subscriber: SerializedSubscriber<Downstream>, input: SerializedInput) {
    self.subscriber = subscriber
    self.input = input
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    input.isOpen && subscriber.send(value) && input.isOpen
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard subscriber.close(input) else { return }
    if completion.isFailure || subscriber.openInputs == 0 { subscriber.finish(completion) }
  }
}

extension Publisher {
  /// Turns each value into a publisher, and sends the values of all these publishers as they
  /// arrive.
  ///
  /// - It finishes when this publisher and all of the created ones have finished.
  /// - It fails when the first of them fails, and cancels the others.
  ///
  /// Each value costs the allocations of a subscription to its publisher.
  ///
  /// - Parameter transform: Creates a publisher from a value.
  /// - Returns: A publisher of the values of all created publishers.
  @inlinable
  public func flatMap<Inner: Publisher>(
    _ transform: @escaping (Output) -> Inner
  ) -> some Publisher<Inner.Output, Failure> where Inner.Failure == Failure {
    FlatMap(self, isLatest: false, transform: transform)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Sends the values of the latest publisher that arrived, and cancels the one before.
  ///
  /// - Values that a publisher sends after the next one has arrived aren't delivered. Neither is a
  ///   value that a ``Subject`` was sent in the middle of its own delivery, if the next publisher
  ///   arrives before that delivery ends: such a value waits, and the switch cancels waiting
  ///   values. (Combine delivers it, inside the delivery.)
  /// - It finishes when this publisher and the latest one have finished, and fails when one of them
  ///   fails.
  ///
  /// - Returns: A publisher of the values of the latest publisher.
  @inlinable
  public func switchToLatest() -> some Publisher<Output.Output, Failure> {
    FlatMap(self, isLatest: true) { $0 }
  }
}
