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
  ///
  /// - Parameter publishers: The publishers to zip.
  public init(_ publishers: [any Publisher<Element, Failure>]) {
    if publishers.isEmpty { trap("Zip of no publishers: it needs at least one") }
    self.publishers = publishers
  }

  /// Subscribes to all publishers, in order.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    ZipOfMany(count: publishers.count, to: downstream).connect(publishers)
  }
}

/// Zips the values of many inputs.
final class ZipOfMany<Element, Downstream: Subscriber>: ManyInputs<Element, Downstream>
where Downstream.Input == [Element] {
  /// The waiting values of each input.
  private var buffers: [Queue<Element>]
  /// Whether each input has finished.
  private var isFinished: [Bool]

  init(count: Int, to downstream: Downstream) {
    buffers = Array(repeating: Queue(), count: count)
    isFinished = Array(repeating: false, count: count)
    super.init(to: downstream)
  }

  override func receive(_ value: Element, at index: Int) -> Bool {
    buffers[index].append(value)
    if buffers.allSatisfy({ !$0.isEmpty }) {
      let values = buffers.indices.map { buffers[$0].popFirst()! }
      subscriber.send(values)
    }
    return finishIfOver()
  }

  override func finish(_ completion: Completion<Downstream.Failure>, at index: Int) {
    isFinished[index] = true
    if completion.isFailure { subscriber.finish(completion) } else { _ = finishIfOver() }
  }

  private func finishIfOver() -> Bool {
    if buffers.indices.contains(where: { isFinished[$0] && buffers[$0].isEmpty }) {
      subscriber.finish(.finished)
    }
    return subscriber.isActive
  }
}

extension Publisher {
  /// Sends the first values of this and another publisher together, then the second ones; see
  /// ``Zip``.
  ///
  /// - Parameter other: The other publisher.
  /// - Returns: A publisher of pairs.
  @inlinable
  public func zip<Other: Publisher>(
    _ other: Other
  ) -> some Publisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    CombinedPair(self, and: other, in: PairSlots<QueueSlot<Output>, QueueSlot<Other.Output>>.self)
  }

  /// Sends the first values of this and two other publishers together, then the second ones; see
  /// ``Zip``.
  ///
  /// - Parameters:
  ///   - second: The second publisher.
  ///   - third: The third publisher.
  /// - Returns: A publisher of triples.
  @inlinable
  public func zip<Second: Publisher, Third: Publisher>(
    _ second: Second, _ third: Third
  ) -> some Publisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    zip(second).zip(third).map { ($0.0.0, $0.0.1, $0.1) }
  }
}
