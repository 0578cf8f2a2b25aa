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
    let buffers = ZipBuffers<Element, Downstream>(
      SerializedSubscriber(downstream), count: publishers.count)
    for (index, publisher) in publishers.enumerated() {
      buffers.subscriber.connect {
        publisher.subscribe(ZipSink(buffers: buffers, input: $0, index: index))
      }
    }
    return buffers.subscriber.connection
  }
}

/// Zips the values of many inputs.
///
/// State: `buffers`, the waiting values of each input; `isFinished`, whether each input has
/// finished.
final class ZipBuffers<Element, Downstream: Subscriber> where Downstream.Input == [Element] {
  let subscriber: SerializedSubscriber<Downstream>
  private var buffers: [Queue<Element>]
  private var isFinished: [Bool]

  init(_ subscriber: SerializedSubscriber<Downstream>, count: Int) {
    self.subscriber = subscriber
    buffers = Array(repeating: Queue(), count: count)
    isFinished = Array(repeating: false, count: count)
  }

  func receive(_ value: Element, _ index: Int) -> Bool {
    buffers[index].append(value)
    if buffers.allSatisfy({ !$0.isEmpty }) {
      let values = buffers.indices.map { buffers[$0].popFirst()! }
      subscriber.send(values)
    }
    return finishIfOver()
  }

  func finish(_ completion: Completion<Downstream.Failure>, _ index: Int) {
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

struct ZipSink<Input, Downstream: Subscriber>: Subscriber
where Downstream.Input == [Input] {
  typealias Failure = Downstream.Failure

  let buffers: ZipBuffers<Input, Downstream>
  let input: SerializedInput
  let index: Int

  func receive(_ value: Input) -> Bool { input.isOpen && buffers.receive(value, index) }

  func finish(_ completion: Completion<Failure>) {
    if buffers.subscriber.close(input) { buffers.finish(completion, index) }
  }
}

extension Publisher {
  /// Sends the first values of this and another publisher together, then the second ones; see
  /// ``Zip``.
  @inlinable
  public func zip<Other: Publisher>(
    _ other: Other
  ) -> some Publisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    ZipPair(self, other)
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
