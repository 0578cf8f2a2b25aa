/// One registration for the changes of a value that is read from an object.
///
/// State: `last` is what the observer saw last; `isInitialDue` until the initial event was delivered;
/// `receive` goes when the registration ends.
final class ValueObserver<Value>: Cancellable {
  private let watcher: ReadingWatcher
  /// Nil once the object is gone.
  private let evaluate: () -> Value?
  private let isEqual: (Value, Value) -> Bool
  private var last: Value?
  private var isInitialDue: Bool
  private var receive: ((Value, Value) -> Void)?
  private let skipped: Set<Origin>

  init(
    of object: Object?, initial: Bool, skipping origins: Set<Origin> = [],
    describe: @escaping () -> String,
    named name: @autoclosure () -> SubscriptionName,
    isEqual: @escaping (Value, Value) -> Bool,
    _ evaluate: @escaping () -> Value?, _ receive: @escaping (Value, Value) -> Void
  ) {
    self.evaluate = evaluate
    self.isEqual = isEqual
    self.receive = receive
    skipped = origins
    isInitialDue = initial
    watcher = ReadingWatcher(.observers, describe: describe)
    watcher.perform = { [unowned self] in deliver() }
    last = watcher.read(evaluate)
    if !origins.isEmpty {
      watcher.onDue = { [unowned self, weak object] in
        guard let store = unsafe object?.extent?.store, store.transaction != nil else { return }
        store.didWake(self)
      }
    }
    // What it has seen in a transaction may never have been.
    unsafe object?.extent?.store.transaction?.ifRolledBack { [weak self] in
      guard let self, self.receive != nil else { return }
      look()
    }
    LiveSubscriptions.begin(self, name())
    guard initial else { return }
    // At once, or at the end of the transaction under way, as every event is.
    unsafe Turn.current.pointee.depth += 1
    watcher.enqueue()
    Turn.endBatch()
  }

  private func deliver() {
    guard let receive, isInitialDue || watcher.isStale else { return }
    guard let new = watcher.read(evaluate) else { return }
    let old = isInitialDue ? new : last ?? new
    last = new
    if !isInitialDue, isEqual(old, new) { return }
    isInitialDue = false
    Callback.runReporting { receive(old, new) }
  }

  /// Whether it was made of something that tells of no change, ever.
  var followsNothing: Bool { receive != nil && watcher.hasReadNothing }

  /// Looks at the value without telling of it, in the middle of a commit: what was seen last goes after that.
  private func look() {
    guard let new = watcher.read(evaluate) else { return }
    Turn.leave(exchange(&last, with: new) as Any)
  }

  func cancel() {
    // Released when all is ended: the closure may own what cancels this once more.
    let ended = receive.take()
    watcher.stop()
    LiveSubscriptions.end(self)
    withExtendedLifetime(ended) {}
  }

  deinit { LiveSubscriptions.end(self) }
}

extension ValueObserver: OriginSkipper {
  func willTell(of origin: Origin?) {
    guard let origin, skipped.contains(origin), receive != nil, !isInitialDue else { return }
    look()
  }
}
