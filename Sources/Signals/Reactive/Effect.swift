internal import Synchronization

/// Runs a closure now, and again after each change of something that its last run read.
///
/// - It runs once for all the changes of a batch or transaction, after everything has settled.
/// - Effects run in the order of their creation.
/// - What it writes propagates when it ends; to a store that is one transaction.
/// - It stops at `cancel()` or when the last reference to it goes. In its first run there is no reference yet:
///   what must end there is written so that it reads nothing more.
/// - What ``onCleanup(file:line:_:)`` was given runs before each further run, and when it stops.
///
/// An effect that keeps triggering itself is stopped, and an ``EndlessChainError`` names it: that is thrown by
/// the intent or `store.write` that set it off, and printed to standard error after a plain
/// `signal.value = x`.
///
/// ```swift
/// let name = Signal("Ada")
/// let greeting = Effect { print("Hello,", name.value) }  // Hello, Ada
/// name.value = "Grace"                                   // Hello, Grace
/// ```
///
/// An effect made inside another effect, an ``EffectScope`` or the body of a view is kept by that, and replaced
/// when it runs again; there the reference can be dropped, as in `_ = Effect { … }`. One that shall outlive the
/// code around is made in ``detached(_:)``. Made in a ``Computed``, it traps.
@safe
public final class Effect: Cancellable {
  typealias Storage = Cell<Payload>

  let node: NodePointer
  private var isDisposed = false

  @safe struct Payload: ~Copyable {
    let order: UInt64
    var body: Body
    let label: Label
    /// The effects made by the last run.
    var children: [any Cancellable] = []
  }

  /// The closure; borrowed where it stands, because a copy is a retain for each run.
  @safe struct Body: ~Copyable {
    let body: () -> Void
    /// Set if this was put in place to trace changes.
    var trace: ChangeTrace? = nil

    @inline(__always)
    borrowing func run() { body() }
  }

  /// Runs `body` at once and then after each change of what it read.
  public init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Void
  ) {
    let label = Label(name, file, line)
    Owner.checkCanMake("effect \(label)")
    let payload = Payload(order: Order.next(), body: Body(body: body), label: label)
    unsafe node = Storage.make([.observer, .watcher, .effect], payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .evaluate: unsafe Effect.run(node, Turn.current)
      case .describe: return unsafe Label.describe("effect", payload.pointee.label)
      case .inspect: return Node.tell(Inspection(kind: .effect))
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .marked, .perform, .settle, .read, .readMember, .readPath: break
      }
      return false
    }
    Owner.keep(self)
    LiveSubscriptions.begin(self, SubscriptionName("the effect \(label)"))
    unsafe Node.evaluate(node)
  }

  /// Queues an effect that was marked.
  @inline(__always)
  static func enqueue(_ node: NodePointer, _ turn: UnsafeMutablePointer<Turn>) {
    let order = unsafe Storage.payload(of: node).pointee.order
    unsafe turn.pointee.enqueue(node, .effects, order: order)
  }

  /// Runs an effect if something that it read has changed.
  @inline(__always)
  static func perform(_ node: NodePointer, _ turn: UnsafeMutablePointer<Turn>) {
    guard unsafe Node.isStale(node) else { return }
    unsafe turn.pointee.depth += 1
    _ = unsafe Node.evaluate(node) {
      unsafe run(node, turn)
      return false
    }
    unsafe Turn.endBatch(turn)
  }

  @inline(__always)
  private static func run(_ node: NodePointer, _ turn: UnsafeMutablePointer<Turn>) {
    let payload = unsafe Storage.payload(of: node)
    if unsafe !payload.pointee.children.isEmpty {
      unsafe stopChildren(payload)
      // A cleanup may have cancelled the effect itself.
      if unsafe node.pointee.flags.contains(.dead) { return }
    }
    unsafe withUnsafeMutablePointer(to: &payload.pointee.children) { children in
      unsafe Owner.collect(at: children) {
        unsafe Callback.runReporting(in: turn) {
          unsafe payload.pointee.body.run()
          // The end of the transaction compares values and runs hooks.
          Node.stopReading()
        }
      }
    }
    if unsafe node.pointee.flags.contains(.dead) { unsafe stopChildren(payload) }
  }

  @inline(__always)
  private static func stopChildren(_ payload: UnsafeMutablePointer<Payload>) {
    if unsafe payload.pointee.children.isEmpty { return }
    let children = unsafe payload.pointee.children
    unsafe payload.pointee.children = []
    for child in children { child.cancel() }
  }

  /// Stops the effect; it never runs again.
  public func cancel() {
    guard !isDisposed else { return }
    isDisposed = true
    LiveSubscriptions.end(self)
    // What a cleanup writes must not run the effect once more.
    let turn = unsafe Turn.current
    unsafe turn.pointee.depth += 1
    unsafe Effect.stopChildren(Storage.payload(of: node))
    unsafe Node.dispose(node)
    unsafe Turn.endBatch(turn)
  }

  deinit { cancel() }
}

extension Effect: NodeOwner {
  package var vertex: UnsafeMutableRawPointer? {
    unsafe isDisposed ? nil : UnsafeMutableRawPointer(node)
  }
}

/// In which order watchers were made, and deadlines set, across all threads.
package enum Order {
  private static let counter = Atomic<UInt64>(0)

  package static func next() -> UInt64 { counter.add(1, ordering: .relaxed).newValue }
}
