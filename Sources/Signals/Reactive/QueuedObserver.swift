/// An observer that runs in a phase of the flush without reading anything: an observer, a host.
///
/// State: `perform` and `describe` are set once by the owner, which outlives the observer.
@safe
final class QueuedObserver {
  private struct Payload {
    unowned(unsafe) let observer: QueuedObserver
    let name: String
  }
  private typealias Storage = Cell<Payload>

  private var node: NodePointer?
  private let phase: Phase
  let order: UInt64
  var perform: () -> Void = {}
  /// Returns the observer's name for messages, if the name can change.
  var describe: (() -> String)?

  /// Creates an observer; lower orders run first, and the default order is that of creation.
  init(_ phase: Phase, name: String, order: UInt64 = CreationOrder.next()) {
    self.phase = phase
    self.order = order
    unsafe node = unsafe Storage.make([.watcher], Payload(observer: self, name: name)) {
      node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .perform: unsafe payload.pointee.observer.perform()
      case .describe:
        unsafe Scheduler.current.pointee.description =
          unsafe payload.pointee.observer.describe?() ?? payload.pointee.name
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .evaluate, .settle, .marked, .read, .readMember, .readPath, .inspect: break
      }
      return false
    }
  }

  deinit { cancel() }

  /// Removes the observer from the queue permanently.
  func cancel() {
    guard let node = unsafe self.node else { return }
    unsafe self.node = nil
    unsafe Node.dispose(node)
  }

  /// Queues the observer; the next flush runs it once.
  func enqueue() {
    guard let node = unsafe self.node else { return }
    unsafe Scheduler.current.pointee.enqueue(node, phase, order: order)
  }
}
