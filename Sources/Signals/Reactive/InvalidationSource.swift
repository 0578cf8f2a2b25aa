/// An observable whose value is stored elsewhere: a result, a key of an index.
///
/// State: the node. While a batch is open, `isSame`, which tells whether the value is the same
/// again. While the invalidation source has readers, `keeper`, an object that must stay alive for
/// them.
@safe
final class InvalidationSource {
  private struct Payload {
    let describe: () -> String
    let inspect: (() -> Inspection)?
    var isSame: (() -> Bool)?
    /// Called before the invalidation source counts as unchanged: a lazily updated value brings
    /// itself up to date.
    let settle: (() -> Bool)?
    var keeper: AnyObject?
  }
  private typealias Storage = Cell<Payload>

  let node: NodePointer

  /// Creates an invalidation source.
  ///
  /// - Parameter settle: Returns, when a batch ends, whether the value really changed.
  init(
    describe: @escaping () -> String, inspect: (() -> Inspection)? = nil,
    settle: (() -> Bool)? = nil
  ) {
    let payload = Payload(
      describe: describe, inspect: inspect, isSame: nil, settle: settle, keeper: nil)
    node = Storage.make(settle == nil ? [] : .late, payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .settle:
        if let settle = payload.pointee.settle { return settle() }
        return payload.pointee.isSame.take().map { !$0() } ?? true
      case .describe(let name):
        name.pointee = payload.pointee.describe()
      case .inspect(let place):
        if let inspect = payload.pointee.inspect { place.pointee = inspect() }
      case .destroy: unsafe payload.deinitialize()
      case .perform:
        node.pointee.flags.remove(.kept)
        // Released at the end of the scope, because it may own this invalidation source.
        let keeper = payload.pointee.keeper.take()
        withExtendedLifetime(keeper) {}
      default: break
      }
      return false
    }
  }

  deinit { Node.dispose(node) }

  /// Whether the invalidation source has readers.
  var isObserved: Bool { node.pointee.subs != nil }

  /// Registers a read by the current reader.
  ///
  /// - Parameter keeper: An object that stays alive until the invalidation source has no readers. A
  ///   result that is created in the body that reads it has no other owner.
  func track(keeping keeper: AnyObject? = nil) {
    guard let reader = Node.reader else { return }
    Node.link(node, to: reader)
    guard let keeper, isObserved, !node.pointee.flags.contains(.kept) else { return }
    node.pointee.flags.insert(.kept)
    unsafe Storage.payload(of: node).pointee.keeper = keeper
  }

  /// Marks the readers.
  ///
  /// - Parameter isSame: Returns, when the batch ends, whether the value is the same as before.
  func mark(isSame: (() -> Bool)? = nil) {
    guard isObserved else { return }
    let scheduler = Scheduler.current
    scheduler.pointee.depth += 1
    if !node.pointee.flags.contains(.unsettled) {
      unsafe Storage.payload(of: node).pointee.isSame = isSame
      scheduler.pointee.touch(node)
    }
    Node.markReaders(of: node, as: .pending)
    Scheduler.endBatch()
  }
}
