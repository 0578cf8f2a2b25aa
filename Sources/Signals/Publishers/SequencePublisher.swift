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
