/// Sends one value and finishes.
public struct Just<Output>: Publisher {
  /// The publisher can't fail.
  public typealias Failure = Never

  @usableFromInline let output: Output

  /// Creates a publisher of a value.
  @inlinable
  public init(_ output: Output) { self.output = output }

  /// Sends the value and the completion before it returns.
  @inlinable
  @inline(__always)
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    if downstream.receive(output) { downstream.finish(.finished) }
    return nil
  }
}

/// Finishes immediately without sending a value, or never finishes.
public struct Empty<Output, Failure: Error>: Publisher {
  let completesImmediately: Bool

  /// Creates a publisher without values.
  ///
  /// - Parameter completeImmediately: Whether it finishes immediately; otherwise it never does.
  public init(completeImmediately: Bool = true) { completesImmediately = completeImmediately }

  /// Finishes before it returns, or never.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    if completesImmediately { downstream.finish(.finished) }
    return nil
  }
}

/// Fails immediately.
public struct Fail<Output, Failure: Error>: Publisher {
  let error: Failure

  /// Creates a publisher that fails with an error.
  public init(_ error: Failure) { self.error = error }

  /// Fails before it returns.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    downstream.finish(.failure(error))
    return nil
  }
}

/// Creates a publisher for each subscription, at the time of the subscription.
public struct Deferred<Made: Publisher>: Publisher {
  /// The output of the created publisher.
  public typealias Output = Made.Output
  /// The failure of the created publisher.
  public typealias Failure = Made.Failure

  let make: () -> Made

  /// Creates a publisher that calls `make` for each subscription.
  public init(_ make: @escaping () -> Made) { self.make = make }

  /// Creates the publisher and subscribes to it.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    make().subscribe(downstream)
  }
}

@usableFromInline
struct SequencePublisher<Elements: Sequence>: Publisher {
  @usableFromInline typealias Output = Elements.Element
  @usableFromInline typealias Failure = Never

  @usableFromInline let elements: Elements

  @inlinable
  init(_ elements: Elements) { self.elements = elements }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    for element in elements where !downstream.receive(element) { return nil }
    downstream.finish(.finished)
    return nil
  }
}

extension Sequence {
  /// A publisher that sends the elements one by one to each subscriber and finishes, all before
  /// `sink` returns.
  ///
  /// Limit an infinite sequence with ``Publisher/prefix(_:)``.
  @inlinable
  public var publisher: some Publisher<Element, Never> { SequencePublisher(self) }
}
