// Operators that send some of the values.

@usableFromInline
struct Filter<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let isIncluded: (Output) -> Bool

  @inlinable
  init(_ upstream: Upstream, where isIncluded: @escaping (Output) -> Bool) {
    self.upstream = upstream
    self.isIncluded = isIncluded
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.subscribe(FilterSink(downstream, where: isIncluded))
  }
}

@usableFromInline
struct FilterSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let isIncluded: (Input) -> Bool

  @inlinable
  init(_ downstream: Downstream, where isIncluded: @escaping (Input) -> Bool) {
    self.downstream = downstream
    self.isIncluded = isIncluded
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool { isIncluded(value) ? downstream.receive(value) : true }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) { downstream.finish(completion) }
}

@usableFromInline
struct RemoveDuplicates<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let isEqual: (Output, Output) -> Bool

  @inlinable
  init(_ upstream: Upstream, by isEqual: @escaping (Output, Output) -> Bool) {
    self.upstream = upstream
    self.isEqual = isEqual
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.subscribe(RemoveDuplicatesSink(downstream, by: isEqual))
  }
}

@usableFromInline
struct RemoveDuplicatesSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let isEqual: (Input, Input) -> Bool
  @usableFromInline let last = UncheckedState<Input?>(nil)

  @inlinable
  init(_ downstream: Downstream, by isEqual: @escaping (Input, Input) -> Bool) {
    self.downstream = downstream
    self.isEqual = isEqual
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    if let last = last.value, isEqual(last, value) { return true }
    _ = exchange(&last.value, with: value)
    return downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) { downstream.finish(completion) }
}

extension Publisher {
  /// Sends the values for which a closure returns true.
  ///
  /// - Parameter isIncluded: Returns whether a value is sent.
  /// - Returns: A publisher of the values that are included.
  @inlinable
  public func filter(
    _ isIncluded: @escaping (Output) -> Bool
  ) -> some Publisher<Output, Failure> {
    Filter(self, where: isIncluded)
  }

  /// Sends the values that differ from the one sent before, as determined by a closure.
  ///
  /// - Parameter isEqual: Returns whether two values count as equal.
  /// - Returns: A publisher of the values without repetitions.
  @inlinable
  public func removeDuplicates(
    by isEqual: @escaping (Output, Output) -> Bool
  ) -> some Publisher<Output, Failure> {
    RemoveDuplicates(self, by: isEqual)
  }
}

extension Publisher where Output: Equatable {
  /// Sends the values that aren't equal to the one sent before.
  ///
  /// - Returns: A publisher of the values without repetitions.
  @inlinable
  public func removeDuplicates() -> some Publisher<Output, Failure> {
    RemoveDuplicates(self) { $0 == $1 }
  }
}
