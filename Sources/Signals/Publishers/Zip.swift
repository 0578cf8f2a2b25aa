// Combining the values of several publishers by position.

/// Sends the first values of all publishers together, then the second ones, and so on.
///
/// - Values that arrive early wait for the others, in a buffer without a limit.
/// - It finishes as soon as nothing more can be sent: one publisher has finished and none of its
///   values is waiting.
/// - It fails when the first of them fails, and cancels the others.
///
/// Zipping no publishers traps.
public struct Zip<Element, Failure: Error>: Publisher {
  /// One value of each, in the order of the publishers.
  public typealias Output = [Element]

  let publishers: [any Publisher<Element, Failure>]

  /// Creates a publisher that zips publishers; an empty array traps.
  public init(_ publishers: [any Publisher<Element, Failure>]) {
    if publishers.isEmpty { trap("Zip of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all publishers, in order.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    combine(publishers, in: QueueSlot.self, for: downstream)
  }
}

extension Publisher {
  /// Sends the first values of this and another publisher together, then the second ones; see
  /// ``Zip``.
  @inlinable
  public func zip<Other: Publisher>(
    _ other: Other
  ) -> some Publisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    CombinedPair(self, and: other, in: PairSlots<QueueSlot<Output>, QueueSlot<Other.Output>>.self)
  }

  /// Sends the first values of this and two other publishers together, then the second ones; see
  /// ``Zip``.
  @inlinable
  public func zip<Second: Publisher, Third: Publisher>(
    _ second: Second, _ third: Third
  ) -> some Publisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    zip(second).zip(third).map { ($0.0.0, $0.0.1, $0.1) }
  }
}
