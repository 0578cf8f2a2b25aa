@usableFromInline
struct Catch<Upstream: Publisher, Replacement: Publisher>: Publisher
where Replacement.Output == Upstream.Output {
  @usableFromInline typealias Output = Upstream.Output
  @usableFromInline typealias Failure = Replacement.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let replace: (Upstream.Failure) -> Replacement

  @inlinable
  init(_ upstream: Upstream, replace: @escaping (Upstream.Failure) -> Replacement) {
    self.upstream = upstream
    self.replace = replace
  }

  @inlinable
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    subscriber.connect { upstream.subscribe(CatchSink(subscriber, input: $0, replace: replace)) }
    return subscriber.connection
  }
}

@usableFromInline
struct CatchSink<Failure: Error, Replacement: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Replacement.Output, Downstream.Failure == Replacement.Failure {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @usableFromInline let input: SerializedInput
  @usableFromInline let replace: (Failure) -> Replacement

  @inlinable
  init(
    _ subscriber: SerializedSubscriber<Downstream>, input: SerializedInput,
    replace: @escaping (Failure) -> Replacement
  ) {
    self.subscriber = subscriber
    self.input = input
    self.replace = replace
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool { input.isOpen && subscriber.send(value) }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard subscriber.close(input) else { return }
    switch completion {
    case .finished: subscriber.finish(.finished)
    case .failure(let error):
      let replacement = replace(error)
      subscriber.connect { replacement.subscribe(InnerSink(subscriber, input: $0)) }
    }
  }
}

extension Publisher {
  /// Continues after a failure with another publisher, which a closure creates from the error.
  ///
  /// A failure of that publisher is sent.
  ///
  /// - Parameter replace: Creates the publisher that continues.
  /// - Returns: A publisher of the values of both.
  @inlinable
  public func `catch`<Replacement: Publisher>(
    _ replace: @escaping (Failure) -> Replacement
  ) -> some Publisher<Output, Replacement.Failure> where Replacement.Output == Output {
    Catch(self, replace: replace)
  }
}
