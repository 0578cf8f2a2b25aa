// Operators that change the type of the failure.

@usableFromInline
struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
  @usableFromInline typealias Output = Upstream.Output

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: (Upstream.Failure) -> Failure

  @inlinable
  init(_ upstream: Upstream, transform: @escaping (Upstream.Failure) -> Failure) {
    self.upstream = upstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.subscribe(MapErrorSink(downstream, transform: transform))
  }
}

@usableFromInline
struct MapErrorSink<Failure: Error, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Failure) -> Downstream.Failure

  @inlinable
  init(_ downstream: Downstream, transform: @escaping (Failure) -> Downstream.Failure) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool { downstream.receive(value) }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) {
    downstream.finish(completion.mapFailure(transform))
  }
}

extension Publisher {
  /// Replaces the error of a failure by the result of a closure.
  ///
  /// - Parameter transform: Computes the new error.
  /// - Returns: A publisher of the same values.
  @inlinable
  public func mapError<Other: Error>(
    _ transform: @escaping (Failure) -> Other
  ) -> some Publisher<Output, Other> {
    MapError(self, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Sends the same values, with a failure type that allows combination with publishers that can
  /// fail.
  ///
  /// - Parameter type: The failure type.
  /// - Returns: A publisher of the same values.
  @inlinable
  public func setFailureType<Other: Error>(
    to type: Other.Type
  ) -> some Publisher<Output, Other> {
    MapError(self) { (_: Never) -> Other in }
  }
}
