// Combining the latest values of several publishers.

/// Sends the latest values of all publishers whenever one of them sends, once each has sent.
///
/// - It finishes when all have finished, or as soon as one finishes without having sent.
/// - It fails when the first of them fails, and cancels the others.
///
/// Combining no publishers traps.
public struct CombineLatest<Element, Failure: Error>: Publisher {
  /// The latest value of each, in the order of the publishers.
  public typealias Output = [Element]

  let publishers: [any Publisher<Element, Failure>]

  /// Creates a publisher that combines publishers; an empty array traps.
  public init(_ publishers: [any Publisher<Element, Failure>]) {
    if publishers.isEmpty { trap("CombineLatest of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all publishers, in order.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    combine(publishers, in: LatestSlot.self, for: downstream)
  }
}

extension Publisher {
  /// Sends the latest values of this and another publisher whenever one of them sends, once both
  /// have.
  ///
  /// - It finishes when both have finished, or as soon as one finishes without having sent.
  /// - It fails when the first of them fails, and cancels the other.
  @inlinable
  public func combineLatest<Other: Publisher>(
    _ other: Other
  ) -> some Publisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    CombinedPair(
      self, and: other, in: PairSlots<LatestSlot<Output>, LatestSlot<Other.Output>>.self)
  }

  /// Sends the latest values of this and two other publishers whenever one of them sends, once all
  /// have.
  ///
  /// It ends under the same conditions as ``combineLatest(_:)``.
  @inlinable
  public func combineLatest<Second: Publisher, Third: Publisher>(
    _ second: Second, _ third: Third
  ) -> some Publisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    combineLatest(second).combineLatest(third).map { ($0.0.0, $0.0.1, $0.1) }
  }
}
