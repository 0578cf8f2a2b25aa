/// An observable whose value is stored elsewhere: a result, an aggregate, a key of an index.
///
/// After a batch, its readers run only if the value differs from the one before the batch.
@safe
final class SettlingSource<Value> {
  private struct Payload {
    let describe: () -> String
    let inspect: (() -> Inspection)?
    let refresh: (() -> Void)?
    let hasChanged: ((Value?) -> Bool)?
    /// The value from before the open batch, if it was kept.
    var before: Value?
    /// An object that must stay alive while the source has readers.
    var keeper: AnyObject?
  }
  private typealias Storage = NodeBox<Payload>

  let node: NodePointer

  /// Creates a source without readers.
  ///
  /// - Parameters:
  ///   - describe: Returns the name in messages.
  ///   - inspect: Describes the value for introspection.
  ///   - refresh: Brings a derived value up to date, which may keep the value from before the
  ///     batch; called when the batch ends, after all sources with stored values have settled.
  ///   - hasChanged: Compares the kept value with the current one. Without it, the readers run
  ///     whenever the source was marked.
  init(
    describe: @escaping () -> String, inspect: (() -> Inspection)? = nil,
    refresh: (() -> Void)? = nil, hasChanged: ((Value?) -> Bool)? = nil
  ) {
    let payload = Payload(
      describe: describe, inspect: inspect, refresh: refresh, hasChanged: hasChanged)
    node = Storage.make(refresh == nil ? [] : .late, payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .settle:
        if let refresh = payload.pointee.refresh { refresh() }
        let before = payload.pointee.before.take()
        guard let hasChanged = payload.pointee.hasChanged else { return true }
        return hasChanged(before)
      case .describe(let name): name.pointee = payload.pointee.describe()
      case .inspect(let place):
        if let inspect = payload.pointee.inspect { place.pointee = inspect() }
      case .destroy: payload.deinitialize()
      case .lostLastReader:
        node.pointee.flags.remove(.kept)
        // Released at the end of the scope, because it may own this source.
        let keeper = payload.pointee.keeper.take()
        withExtendedLifetime(keeper) {}
      default: break
      }
      return false
    }
  }

  deinit { Node.dispose(node) }

  /// Whether the source has readers.
  var isObserved: Bool { node.pointee.subs != nil }

  /// Registers a read by the current reader.
  ///
  /// - Parameter keeper: An object that stays alive until the source has no readers. A result that
  ///   is created in the body that reads it has no other owner.
  func track(keeping keeper: AnyObject? = nil) {
    guard let reader = Node.reader else { return }
    Node.link(node, to: reader)
    guard let keeper, isObserved, !node.pointee.flags.contains(.kept) else { return }
    node.pointee.flags.insert(.kept)
    Storage.payload(of: node).pointee.keeper = keeper
  }

  /// Keeps the value from before the open batch, unless one is kept already.
  func keep(_ before: @autoclosure () -> Value) {
    if isKept { return }
    let before = before()
    Storage.payload(of: node).pointee.before = before
  }

  /// Whether a value from before the open batch is kept.
  var isKept: Bool { Storage.payload(of: node).pointee.before != nil }

  /// Drops the value from before the open batch.
  func forget() {
    let dropped = Storage.payload(of: node).pointee.before.take()
    withExtendedLifetime(dropped) {}
  }

  /// Marks the readers, because the value is about to change.
  func mark(from before: @autoclosure () -> Value) {
    guard isObserved else { return }
    keep(before())
    mark()
  }

  /// Marks the readers.
  func mark() {
    guard isObserved else { return }
    let scheduler = Scheduler.current
    scheduler.pointee.depth += 1
    scheduler.pointee.touch(node)
    Node.markReaders(of: node, as: .pending)
    Scheduler.endBatch()
  }
}
