// Operators that turn each value into another, or into none.

@usableFromInline
struct Map<Upstream: Publisher, Output>: Publisher {
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: (Upstream.Output) -> Output

  @inlinable
  init(_ upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
    self.upstream = upstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.subscribe(MapSink(downstream, transform: transform))
  }
}

// The sinks of operators don't name a publisher: types that grow with both could not be
// specialized.
@usableFromInline
struct MapSink<Input, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, transform: @escaping (Input) -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool { downstream.receive(transform(value)) }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) { downstream.finish(completion) }
}

@usableFromInline
struct TryMap<Upstream: Publisher, Output>: Publisher {
  @usableFromInline typealias Failure = any Error

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: (Upstream.Output) throws -> Output

  @inlinable
  init(_ upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
    self.upstream = upstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == any Error {
    upstream.subscribe(
      TryMapSink<Upstream.Output, Upstream.Failure, Downstream>(downstream, transform: transform))
  }
}

@usableFromInline
struct TryMapSink<Input, Failure: Error, Downstream: Subscriber>: Subscriber
where Downstream.Failure == any Error {
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) throws -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, transform: @escaping (Input) throws -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    let result: Downstream.Input
    do {
      result = try transform(value)
    } catch {
      downstream.finish(.failure(error))
      return false
    }
    return downstream.receive(result)
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) {
    downstream.finish(completion.mapFailure { $0 as any Error })
  }
}

@usableFromInline
struct CompactMap<Upstream: Publisher, Output>: Publisher {
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: (Upstream.Output) -> Output?

  @inlinable
  init(_ upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
    self.upstream = upstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.subscribe(CompactMapSink(downstream, transform: transform))
  }
}

@usableFromInline
struct CompactMapSink<Input, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input?

  @inlinable
  init(_ downstream: Downstream, transform: @escaping (Input) -> Downstream.Input?) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard let result = transform(value) else { return true }
    return downstream.receive(result)
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) { downstream.finish(completion) }
}

extension Publisher {
  /// Sends the result of a closure for each value.
  ///
  /// - Parameter transform: Computes a result from a value.
  /// - Returns: A publisher of the results.
  @inlinable
  public func map<Result>(
    _ transform: @escaping (Output) -> Result
  ) -> some Publisher<Result, Failure> {
    Map(self, transform: transform)
  }

  /// Sends the result of a closure for each value, and fails with the error that the closure
  /// throws.
  ///
  /// After an error, no more values are taken from upstream.
  ///
  /// - Parameter transform: Computes a result from a value, or throws.
  /// - Returns: A publisher of the results.
  @inlinable
  public func tryMap<Result>(
    _ transform: @escaping (Output) throws -> Result
  ) -> some Publisher<Result, any Error> {
    TryMap(self, transform: transform)
  }

  /// Sends the results of a closure that aren't nil.
  ///
  /// - Parameter transform: Computes a result from a value, or nil to send nothing.
  /// - Returns: A publisher of the results.
  @inlinable
  public func compactMap<Result>(
    _ transform: @escaping (Output) -> Result?
  ) -> some Publisher<Result, Failure> {
    CompactMap(self, transform: transform)
  }
}
