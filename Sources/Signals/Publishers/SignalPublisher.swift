// Signals and computeds as publishers.

/// Observes the values that a closure reads; runs in the phase of observers, after effects.
///
/// State: `node`, until the observation is cancelled; its payload has the closure and the order.
@safe
final class Observation: Cancellable {
  private struct Payload {
    let read: () -> Void
    let order: UInt64
    let name: String
    let observation: Unretained<Observation>
  }
  private typealias Storage = Cell<Payload>

  private var node: NodePointer?
  /// Called, untracked and as one transaction, after `read` has run again.
  private let deliver: () -> Void

  /// Runs `read` immediately, under tracking.
  init(_ name: String, read: @escaping () -> Void, deliver: @escaping () -> Void) {
    self.deliver = deliver
    node = nil
    let payload = Payload(
      read: read, order: CreationOrder.next(), name: name, observation: Unretained(self))
    let node = Storage.make([.reader, .observer], payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .evaluate: payload.pointee.read()
      case .marked:
        Scheduler.current.pointee.enqueue(node, in: .observers, order: payload.pointee.order)
      case .perform:
        let observation = payload.pointee.observation.instance
        guard Node.isStale(node) else { break }
        Node.evaluate(node)
        Node.withoutReader { ImplicitTransaction.runReporting { observation.deliver() } }
      case .describe(let name): name.pointee = payload.pointee.name
      case .destroy: payload.deinitialize()
      default: break
      }
      return false
    }
    self.node = node
    LiveSubscriptions.begin(self, named: SubscriptionName(name))
    Node.evaluate(node)
  }

  func cancel() {
    guard let node = self.node.take() else { return }
    LiveSubscriptions.end(self)
    Node.dispose(node)
  }

  deinit { cancel() }
}

/// A publisher of the values of an expression that can be read under tracking.
struct ObservationPublisher<Output>: Publisher {
  typealias Failure = Never

  let name: String
  let read: () -> Output

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let subscriber = SerializedSubscriber(downstream)
    let latest = UncheckedState<Output?>(nil)
    let take = { latest.value.take().map { _ = subscriber.send($0) } }
    subscriber.connect { _ in
      let observation = Observation(name) { [read] in
        _ = exchange(&latest.value, with: read())
      } deliver: {
        _ = take()
      }
      untracked { _ = take() }
      return observation
    }
    return subscriber.connection
  }
}

extension Signal {
  /// A publisher of the current value, followed by each new value after its change has settled.
  ///
  /// - Values are coalesced: for each batch or transaction only the latest is sent, and an equal
  ///   one isn't sent. To send every step, use a ``Subject``, `store.commits` or `results.changes`.
  /// - They are delivered after effects, in the order in which observers subscribed, one at a time.
  /// - The current value is sent immediately, also in the middle of a batch or transaction.
  /// - A subscriber's writes are one transaction, and propagate when it returns.
  /// - A subscription keeps the signal alive.
  ///
  /// ```swift
  /// let token = count.publisher.map { "\($0) books" }.sink { print($0) }
  /// ```
  public var publisher: some Publisher<Value, Never> {
    ObservationPublisher(name: "a subscriber of a signal") { self.value }
  }
}

extension Computed {
  /// A publisher of the current value, followed by each new value after its change has settled.
  ///
  /// It has the same guarantees as ``Signal/publisher``. The computed is evaluated once for each
  /// change while it has subscribers.
  public var publisher: some Publisher<Value, Never> {
    ObservationPublisher(name: "a subscriber of a computed") { self.value }
  }
}
