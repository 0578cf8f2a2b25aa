// Combining the latest values of several publishers.

/// Sends the latest values of all publishers whenever one of them sends, once each has sent.
///
/// - It finishes when all have finished, or as soon as one finishes without having sent.
/// - It fails when the first of them fails, and cancels the others.
///
/// Combining no publishers traps. An event copies the array if the previous one is still
/// referenced.
public struct CombineLatest<Element, Failure: Error>: Publisher {
  /// The latest value of each, in the order of the publishers.
  public typealias Output = [Element]

  let publishers: [any Publisher<Element, Failure>]

  /// Creates a publisher that combines publishers; an empty array traps.
  ///
  /// - Parameter publishers: The publishers to combine.
  public init(_ publishers: [any Publisher<Element, Failure>]) {
    if publishers.isEmpty { trap("CombineLatest of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all publishers, in order.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    LatestOfMany(count: publishers.count, to: downstream).connect(publishers)
  }
}

/// Combines the latest values of many inputs.
final class LatestOfMany<Element, Downstream: Subscriber>: ManyInputs<Element, Downstream>
where Downstream.Input == [Element] {
  /// The values until each input has sent.
  private var first: [Element?]
  /// The number of inputs that haven't sent.
  private var missing: Int
  /// The values once each input has sent.
  private var all: [Element] = []
  /// The number of inputs that haven't ended.
  private var open: Int

  init(count: Int, to downstream: Downstream) {
    first = Array(repeating: nil, count: count)
    missing = count
    open = count
    super.init(to: downstream)
  }

  override func receive(_ value: Element, at index: Int) -> Bool {
    if missing == 0 {
      let replaced = exchange(&all[index], with: value)
      // Released last, because releasing the previous value may send.
      defer { withExtendedLifetime(replaced) {} }
      return subscriber.send(all)
    }
    if first[index] == nil { missing -= 1 }
    _ = exchange(&first[index], with: value)
    if missing > 0 { return true }
    all = first.map { $0! }
    first = []
    return subscriber.send(all)
  }

  override func finish(_ completion: Completion<Downstream.Failure>, at index: Int) {
    open -= 1
    let hasSent = missing == 0 || first[index] != nil
    if completion.isFailure || open == 0 || !hasSent { subscriber.finish(completion) }
  }
}

extension Publisher {
  /// Sends the latest values of this and another publisher whenever one of them sends, once both
  /// have.
  ///
  /// - It finishes when both have finished, or as soon as one finishes without having sent.
  /// - It fails when the first of them fails, and cancels the other.
  ///
  /// - Parameter other: The other publisher.
  /// - Returns: A publisher of pairs.
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
  ///
  /// - Parameters:
  ///   - second: The second publisher.
  ///   - third: The third publisher.
  /// - Returns: A publisher of triples.
  @inlinable
  public func combineLatest<Second: Publisher, Third: Publisher>(
    _ second: Second, _ third: Third
  ) -> some Publisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    combineLatest(second).combineLatest(third).map { ($0.0.0, $0.0.1, $0.1) }
  }
}
