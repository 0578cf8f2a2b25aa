@usableFromInline
struct DropFirst<Upstream: Publisher>: Publisher {
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
    upstream.subscribe(DropFirstSink(downstream, count: count))
  }
}

@usableFromInline
struct DropFirstSink<Downstream: Subscriber>: Subscriber {
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
    if left.value == 0 { return downstream.receive(value) }
    left.value &-= 1
    return true
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) { downstream.finish(completion) }
}

extension Publisher {
  /// Sends all values except the first ones.
  ///
  /// - Parameter count: The number of values to drop; a negative count traps.
  /// - Returns: A publisher of the remaining values.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> some Publisher<Output, Failure> {
    checkCount(count, of: "dropFirst")
    return DropFirst(self, count: count)
  }
}
