/// A subscription to events that are delivered in a phase of the flush.
///
/// The creator sets `next` and `onEnd` once, and queues `observer`.
///
/// Order of events: when the observer runs, `next` computes the event, which may be none. `receive`
/// gets it in an implicit transaction. The subscription ends when `receive` returns false, and when
/// it is cancelled or released: `onEnd` runs first, and then the closures are released.
final class Registration<Event>: Cancellable {
  /// The observer that runs `next`.
  let observer: PhaseObserver
  /// Returns the event that is due; nil if there is none.
  var next: () -> Event? = { nil }
  /// Called once, when the subscription ends.
  var onEnd: () -> Void = {}
  /// The receiver, which returns whether it wants more; nil once the subscription has ended.
  private var receive: ((Event) -> Bool)?

  init(
    _ phase: Phase, name: @autoclosure @escaping () -> String,
    _ receive: @escaping (Event) -> Bool
  ) {
    self.receive = receive
    observer = PhaseObserver(phase, name: name())
    observer.perform = { [unowned self] in deliver() }
    LiveSubscriptions.begin(self, named: SubscriptionName(name()))
  }

  /// Whether the subscription hasn't ended.
  var isActive: Bool { receive != nil }

  /// Delivers the event that is due, if there is one; `observer` calls it.
  func deliver() {
    // Computing the event runs user code, which may end the subscription.
    guard receive != nil, let event = next(), let receive else { return }
    ImplicitTransaction.runReporting { if !receive(event) { cancel() } }
  }

  func cancel() {
    guard isActive else { return }
    let ended = Ended(receive: receive.take(), onEnd: onEnd)
    LiveSubscriptions.end(self)
    observer.cancel()
    Disposal.run(consume ended) { $0.onEnd() }
  }

  deinit { cancel() }

  /// The closures of a subscription that has ended.
  private struct Ended {
    let receive: ((Event) -> Bool)?
    let onEnd: () -> Void
  }
}
