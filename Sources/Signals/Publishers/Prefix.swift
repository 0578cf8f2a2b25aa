@usableFromInline
struct Prefix<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int

  @inlinable
  init(_ upstream: Upstream, count: Int) {
    self.upstream = upstream
    self.count = count
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    if count == 0 {
      downstream.finish(.finished)
      return nil
    }
    return upstream.subscribe(PrefixSink(downstream, count: count))
  }
}

@usableFromInline
struct PrefixSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let left: UncheckedState<Int>

  @inlinable
  init(_ downstream: Downstream, count: Int) {
    self.downstream = downstream
    left = UncheckedState(count)
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard left.value > 0 else { return false }
    left.value &-= 1
    let wantsMore = downstream.receive(value)
    guard wantsMore, left.value == 0 else { return wantsMore }
    downstream.finish(.finished)
    return false
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) { downstream.finish(completion) }
}

/// Stops the program if the count passed to an operator is negative.
@usableFromInline
func checkCount(_ count: Int, of operation: String) {
  if count < 0 { trap("\(operation)(\(count)): a count can't be negative") }
}

extension Publisher {
  /// Sends the first values, and then finishes and takes no more from upstream.
  ///
  /// - Parameter count: The number of values. A prefix of 0 finishes immediately and never
  ///   subscribes; a negative count traps.
  /// - Returns: A publisher of the first values.
  @inlinable
  public func prefix(_ count: Int) -> some Publisher<Output, Failure> {
    checkCount(count, of: "prefix")
    return Prefix(self, count: count)
  }
}
