/// An observer that runs in a phase of the flush after a value that it read may have changed.
///
/// State: `perform` and `onDue` are set once by the owner, which outlives the observer; `node` is
/// nil after `stop`.
@safe
final class TrackingObserver {
  @safe private struct Payload {
    unowned(unsafe) let observer: TrackingObserver
    let describe: () -> String
  }
  private typealias Storage = Cell<Payload>

  private var node: NodePointer?
  private let order = CreationOrder.next()
  private let phase: Phase
  var perform: () -> Void = {}
  /// Called when a value that was read may have changed, the first time since it was read.
  var onDue: (() -> Void)?

  /// Creates an observer that has read nothing yet; observers created first run first.
  init(_ phase: Phase, describe: @escaping () -> String) {
    self.phase = phase
    let payload = Payload(observer: self, describe: describe)
    unsafe node = unsafe Storage.make([.observer, .watcher, .pure], payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .marked:
        let observer = unsafe payload.pointee.observer
        observer.enqueue()
        observer.onDue?()
      case .perform: unsafe payload.pointee.observer.perform()
      case .describe: unsafe Scheduler.current.pointee.description = payload.pointee.describe()
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .evaluate, .settle, .read, .readMember, .readPath, .inspect: break
      }
      return false
    }
  }

  deinit { stop() }

  /// Queues the observer; the next flush runs it once.
  func enqueue() {
    guard let node = unsafe self.node else { return }
    unsafe Scheduler.current.pointee.enqueue(node, phase, order: order)
  }

  /// Whether a value that was last read has changed.
  var isStale: Bool {
    guard let node = unsafe self.node else { return false }
    return unsafe Node.isStale(node)
  }

  /// Whether the observer has no dependencies, so that no change can make it run.
  var hasReadNothing: Bool {
    guard let node = unsafe self.node else { return true }
    return unsafe node.pointee.deps == nil
  }

  /// Runs `body`, which must not write; its reads replace the observer's dependencies.
  func read<Value>(_ body: () -> Value?) -> Value? {
    guard let node = unsafe self.node else { return nil }
    var value: Value?
    unsafe Scheduler.current.pointee.depth += 1
    _ = unsafe Node.evaluate(node) {
      value = body()
      return false
    }
    Scheduler.endBatch()
    return value
  }

  /// Drops the dependencies; the observer no longer runs.
  func stop() {
    guard let node = unsafe self.node else { return }
    unsafe self.node = nil
    unsafe Node.dispose(node)
  }
}
