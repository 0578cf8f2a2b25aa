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

  init(
    initial: Bool, describe: @escaping () -> String, isEqual: @escaping (Value, Value) -> Bool,
    _ evaluate: @escaping () -> Value?, _ receive: @escaping (Value, Value) -> Void
  ) {
    self.evaluate = evaluate
    self.isEqual = isEqual
    self.receive = receive
    isInitialDue = initial
    watcher = ReadingWatcher(.observers, describe: describe)
    watcher.perform = { [unowned self] in deliver() }
    last = watcher.read(evaluate)
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

  func cancel() {
    receive = nil
    watcher.stop()
  }
}
