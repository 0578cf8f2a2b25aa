// Signals and computeds as publishers.

/// Watches what a closure reads, and takes its turn in the phase of observers, after effects.
///
/// State: `isActive` until it was cancelled; beside the node, in its payload, what it reads and does.
@safe
final class Observation: Cancellable {
  private struct Payload {
    let read: () -> Void
    let order: UInt64
    let name: String
    unowned(unsafe) let observation: Observation
  }
  private typealias Storage = Cell<Payload>

  private var node: NodePointer?
  /// Called, untracked and as one transaction, after `read` has run again.
  private let deliver: () -> Void

  /// Runs `read` at once, under tracking.
  init(_ name: String, read: @escaping () -> Void, deliver: @escaping () -> Void) {
    self.deliver = deliver
    unsafe node = nil
    let payload = Payload(read: read, order: Order.next(), name: name, observation: self)
    let node = unsafe Storage.make([.observer, .watcher], payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .evaluate: unsafe payload.pointee.read()
      case .marked:
        unsafe Turn.current.pointee.enqueue(node, .observers, order: payload.pointee.order)
      case .perform:
        let observation = unsafe payload.pointee.observation
        guard unsafe Node.isStale(node) else { break }
        unsafe Node.evaluate(node)
        Node.withoutReader { Callback.runReporting { observation.deliver() } }
      case .describe: unsafe Turn.current.pointee.description = unsafe payload.pointee.name
      case .destroy: unsafe payload.deinitialize(count: 1)
      default: break
      }
      return false
    }
    unsafe self.node = unsafe node
    LiveSubscriptions.begin(self, SubscriptionName(name))
    unsafe Node.evaluate(node)
  }

  func cancel() {
    guard let node = unsafe self.node.take() else { return }
    LiveSubscriptions.end(self)
    unsafe Node.dispose(node)
  }

  deinit { cancel() }
}

/// The values of something that can be read under tracking.
struct ObservationPublisher<Output>: Publisher {
  typealias Failure = Never

  let name: String
  let read: () -> Output

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let gate = Gate(downstream)
    let latest = Box<Output?>(nil)
    let take = { unsafe latest.value.take().map { _ = gate.send($0) } }
    gate.connect { _ in
      let observation = Observation(name) { [read] in
        _ = unsafe exchange(&latest.value, with: read())
      } deliver: {
        _ = take()
      }
      untracked { _ = take() }
      return observation
    }
    return gate.connection
  }
}

extension Signal {
  /// The present value first, then each new one, after the change has settled.
  ///
  /// - Values are coalesced: one for each batch or transaction, the latest; equal ones are none.
  ///   What must not lose a step is sent by a ``Subject``, `store.commits` or `results.changes`.
  /// - They are delivered after effects, in the order in which observers subscribed, one at a time.
  /// - The present value is sent at once, also in the middle of a batch or transaction.
  /// - What a subscriber writes is one transaction, and propagates when it returns.
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
  /// The present value first, then each new one, after the change has settled; as of a ``Signal``.
  ///
  /// It is evaluated while somebody subscribes, once for each change.
  public var publisher: some Publisher<Value, Never> {
    ObservationPublisher(name: "a subscriber of a computed") { self.value }
  }
}
