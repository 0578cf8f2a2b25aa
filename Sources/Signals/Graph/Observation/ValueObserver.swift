/// One registered observer of a value that is read from an object.
final class ValueObserver<Value>: Cancellable {
  private let observer: PhaseObserver
  /// Reads the value; `nil` once the object has been deallocated.
  private let evaluate: () -> Value?
  private let isEqual: (Value, Value) -> Bool
  /// The value that the observer saw last.
  private var last: Value?
  /// Whether the initial event still has to be delivered.
  private var isInitialDue: Bool
  /// The closure of the user; released when the observation ends.
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
    observer = PhaseObserver(.observers, name: describe())
    observer.perform = { [unowned self] in deliver() }
    last = observer.read(evaluate)
    if !origins.isEmpty {
      observer.onDue = { [unowned self, weak object] in
        guard let store = object?.table?.store, store.transaction != nil else { return }
        store.didWake(self)
      }
    }
    // If the open transaction is rolled back, the value that was read in it is no longer valid.
    object?.table?.store.transaction?.ifRolledBack { [weak self] in
      guard let self, self.receive != nil else { return }
      look()
    }
    LiveSubscriptions.begin(self, named: name())
    guard initial else { return }
    // Delivered immediately or, like every event, at the end of the open transaction.
    Scheduler.current.pointee.depth += 1
    observer.enqueue()
    Scheduler.endBatch()
  }

  private func deliver() {
    guard let receive, isInitialDue || observer.isStale else { return }
    guard let new = observer.read(evaluate) else { return }
    let old = isInitialDue ? new : last ?? new
    last = new
    if !isInitialDue, isEqual(old, new) { return }
    isInitialDue = false
    ImplicitTransaction.runReporting { receive(old, new) }
  }

  /// Whether the value has no dependencies, so that no change of it will be reported.
  var followsNothing: Bool { receive != nil && observer.hasReadNothing }

  /// Reads the value without reporting it.
  ///
  /// This happens in the middle of a commit, so the previous value is released later.
  private func look() {
    guard let new = observer.read(evaluate) else { return }
    Scheduler.deferRelease(exchange(&last, with: new) as Any)
  }

  func cancel() {
    // Released last, because the closure may own an object that cancels this observer again.
    let ended = receive.take()
    observer.cancel()
    LiveSubscriptions.end(self)
    Disposal.release(consume ended)
  }

  deinit { cancel() }
}

extension ValueObserver: OriginFiltering {
  func willNotify(of origin: Origin?) {
    guard let origin, skipped.contains(origin), receive != nil, !isInitialDue else { return }
    look()
  }
}
