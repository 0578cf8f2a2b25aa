/// Somebody who takes a turn in a phase of the flush without reading anything: an observer, a host.
///
/// State: `perform` and `describe` are set once by the owner, which the watcher never outlives.
@safe
final class QueuedWatcher {
  private struct Payload {
    unowned(unsafe) let watcher: QueuedWatcher
    let name: String
  }
  private typealias Storage = Cell<Payload>

  private var node: NodePointer?
  private let phase: Phase
  let order: UInt64
  var perform: () -> Void = {}
  /// Names the watcher for messages, if that changes.
  var describe: (() -> String)?

  /// Creates a watcher; lower orders take their turn first, and the default is that of creation.
  init(_ phase: Phase, name: String, order: UInt64 = Order.next()) {
    self.phase = phase
    self.order = order
    unsafe node = unsafe Storage.make([.watcher], Payload(watcher: self, name: name)) {
      node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .perform: unsafe payload.pointee.watcher.perform()
      case .describe:
        unsafe Turn.current.pointee.description =
          unsafe payload.pointee.watcher.describe?() ?? payload.pointee.name
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .evaluate, .settle, .marked, .read, .readMember, .readPath, .inspect: break
      }
      return false
    }
  }

  deinit { cancel() }

  /// Takes the watcher out of the queue, for good.
  func cancel() {
    guard let node = unsafe self.node else { return }
    unsafe self.node = nil
    unsafe Node.dispose(node)
  }

  /// Asks for a turn; the flush gives it once.
  func enqueue() {
    guard let node = unsafe self.node else { return }
    unsafe Turn.current.pointee.enqueue(node, phase, order: order)
  }
}
