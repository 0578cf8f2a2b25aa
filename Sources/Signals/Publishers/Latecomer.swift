/// Gives a subscriber first values, and lets what comes meanwhile wait.
///
/// State: `isBehind` while the first values are being delivered, and what came meanwhile; `waiting`,
/// what came since.
@usableFromInline
final class Latecomer<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var isBehind = true
  @exclusivity(unchecked) private var waiting = Queue<Event<Input, Failure>>()

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  /// Delivers the first values, and what came meanwhile; the answer is whether more is wanted.
  @usableFromInline
  func catchUp(with values: some Sequence<Input>) -> Bool {
    var wantsMore = true
    for value in values where wantsMore { wantsMore = downstream.receive(value) }
    while wantsMore, let event = unsafe waiting.popFirst() {
      switch event {
      case .value(let value): wantsMore = downstream.receive(value)
      case .completion(let completion):
        downstream.finish(completion)
        wantsMore = false
      }
    }
    unsafe isBehind = false
    return wantsMore
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    if unsafe !isBehind { return downstream.receive(value) }
    keep(.value(value))
    return true
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    if unsafe !isBehind { return downstream.finish(completion) }
    keep(.completion(completion))
  }

  @usableFromInline
  func keep(_ event: Event<Input, Failure>) { unsafe waiting.append(event) }
}
