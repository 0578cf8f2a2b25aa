/// An observer that runs in a phase of the flush: when it was queued, or after a value that it read
/// may have changed.
///
/// The owner sets `name`, `perform` and `onDue`, and outlives the observer.
@safe
final class PhaseObserver {
  private struct Payload { let observer: Unretained<PhaseObserver> }
  private typealias Storage = NodeBox<Payload>

  /// The node, until `cancel`.
  private var node: NodePointer?
  private let phase: Phase
  /// The place in the phase; lower orders run first.
  let order: UInt64
  /// Returns the name in messages.
  var name: () -> String
  /// The closure to run.
  var perform: () -> Void = {}
  /// Called when a value that was read may have changed, the first time since it was read.
  var onDue: (() -> Void)?

  /// Creates an observer that has read nothing yet.
  ///
  /// - Parameters:
  ///   - phase: The phase in which the observer runs.
  ///   - name: The name in messages, evaluated for each message.
  ///   - order: The place in the phase; lower orders run first. The default is the order of
  ///     creation.
  init(
    _ phase: Phase, name: @autoclosure @escaping () -> String,
    order: UInt64 = CreationOrder.next()
  ) {
    self.phase = phase
    self.order = order
    self.name = name
    let payload = Payload(observer: Unretained(self))
    node = Storage.make([.reader, .observer, .pure], payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .marked:
        let observer = payload.pointee.observer.instance
        observer.enqueue()
        observer.onDue?()
      case .run: payload.pointee.observer.instance.perform()
      case .describe(let name): name.pointee = payload.pointee.observer.instance.name()
      case .destroy: payload.deinitialize()
      default: break
      }
      return false
    }
  }

  deinit { cancel() }

  /// Queues the observer; the next flush runs it once.
  func enqueue() {
    guard let node = self.node else { return }
    Scheduler.current.pointee.enqueue(node, in: phase, order: order)
  }

  /// Whether a value that was last read has changed.
  var isStale: Bool {
    guard let node = self.node else { return false }
    return Node.isStale(node)
  }

  /// The names of the values that were last read.
  var dependencyNames: [String] {
    var names: [String] = []
    var edge = node?.pointee.deps
    while let current = edge {
      names.append(Node.name(of: current.pointee.dep))
      edge = current.pointee.nextDep
    }
    return names
  }

  /// Whether the observer has no dependencies, so that no change can make it run.
  var hasReadNothing: Bool {
    guard let node = self.node else { return true }
    return node.pointee.deps == nil
  }

  /// Runs `body`, which must not write; its reads replace the observer's dependencies.
  func read<Value>(_ body: () -> Value?) -> Value? {
    guard let node = self.node else { return nil }
    var value: Value?
    Scheduler.current.pointee.depth += 1
    _ = Node.evaluate(node) {
      value = body()
      return false
    }
    Scheduler.endBatch()
    return value
  }

  /// Removes the observer from its queue and drops its dependencies, permanently.
  func cancel() {
    guard let node = self.node else { return }
    self.node = nil
    Node.dispose(node)
  }
}
