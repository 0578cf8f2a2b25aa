@usableFromInline
struct Scan<Upstream: Publisher, Output>: Publisher {
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let initial: Output
  @usableFromInline let next: (Output, Upstream.Output) -> Output

  @inlinable
  init(
    _ upstream: Upstream, initial: Output, next: @escaping (Output, Upstream.Output) -> Output
  ) {
    self.upstream = upstream
    self.initial = initial
    self.next = next
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.subscribe(ScanSink(downstream, initial: initial, next: next))
  }
}

@usableFromInline
struct ScanSink<Input, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let next: (Downstream.Input, Input) -> Downstream.Input
  @usableFromInline let result: UncheckedState<Downstream.Input>

  @inlinable
  init(
    _ downstream: Downstream, initial: Downstream.Input,
    next: @escaping (Downstream.Input, Input) -> Downstream.Input
  ) {
    self.downstream = downstream
    self.next = next
    result = UncheckedState(initial)
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    let next = next(result.value, value)
    _ = exchange(&result.value, with: next)
    return downstream.receive(next)
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) { downstream.finish(completion) }
}

extension Publisher {
  /// Sends, for each value, the result of a closure that receives its previous result and the
  /// value.
  ///
  /// The initial result itself isn't sent; each subscription starts with it.
  ///
  /// - Parameters:
  ///   - initial: The previous result for the first value.
  ///   - next: Computes a result from the previous result and a value.
  /// - Returns: A publisher of the results.
  @inlinable
  public func scan<Result>(
    _ initial: Result, _ next: @escaping (Result, Output) -> Result
  ) -> some Publisher<Result, Failure> {
    Scan(self, initial: initial, next: next)
  }
}
