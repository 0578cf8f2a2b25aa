/// Delivers first values to a subscriber, and keeps the events that arrive during that.
@usableFromInline
final class CatchUpSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  /// Whether the first values are still being delivered.
  @safe @exclusivity(unchecked) @usableFromInline var isBehind = true
  /// The events that arrived during that.
  @safe @exclusivity(unchecked) private var waiting = Queue<Event<Input, Failure>>()

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  /// Delivers the first values, and then the events that arrived during that.
  ///
  /// - Returns: Whether more values are wanted.
  @usableFromInline
  func catchUp(with values: some Sequence<Input>) -> Bool {
    var wantsMore = true
    for value in values where wantsMore { wantsMore = downstream.receive(value) }
    while wantsMore, let event = waiting.popFirst() {
      switch event {
      case .value(let value): wantsMore = downstream.receive(value)
      case .completion(let completion):
        downstream.finish(completion)
        wantsMore = false
      }
    }
    isBehind = false
    return wantsMore
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    if !isBehind { return downstream.receive(value) }
    keep(.value(value))
    return true
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    if !isBehind { return downstream.finish(completion) }
    keep(.completion(completion))
  }

  @usableFromInline
  func keep(_ event: Event<Input, Failure>) { waiting.append(event) }
}
