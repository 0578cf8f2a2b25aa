// A mutation in progress: `member.borrowed.removeAll { … }` runs the user's closure in the middle.
//
// Until the mutation ends, no other code may access the property. A write would be lost or would
// meet half-changed memory, and a read in the closure has no meaning. Both trap with a message that
// names the property. An effect or observer that runs during the mutation reads the old value if
// the mutation works on a copy, and traps otherwise. Everything else works as usual.
//
// State, all of it local to one thread:
// - `Scheduler.redirect` is the innermost access. The payload of each access points to the enclosing
//   one;
// - `signals_thread.reader` is the access, so that every read in the closure is checked here. The
//   access forwards the read to the previous reader;
// - `signals_thread.idle_reader` replaces the null reader until the outermost access ends, so that
//   a read in `untracked`, or in an observer that runs during the mutation, is checked too. Writes
//   test whether it is set.
//
// Accesses end in the reverse order of their beginning. An access that was passed to an async
// function as an `inout` argument can end on another thread, or after an access that began later.
// It then traps.

private import CSignalsThread

/// An access to a property for the duration of a mutation.
@usableFromInline
struct ExclusiveAccess {
  private struct Payload {
    let object: Unretained<Object>
    let offset: Int
    /// Whether the property itself is changed, rather than a copy of its value.
    let isInPlace: Bool
    /// The previous reader.
    let outer: NodePointer?
    /// The enclosing access.
    let enclosing: NodePointer?
  }
  private typealias Storage = NodeBox<Payload>

  private let node: NodePointer

  /// Begins an access to the property at `offset`.
  @usableFromInline
  init(_ object: Object, at offset: Int, isInPlace: Bool) {
    let scheduler = Scheduler.current
    let payload = Payload(
      object: Unretained(object), offset: offset, isInPlace: isInPlace,
      outer: Node.reader, enclosing: scheduler.pointee.redirect)
    // A pure reader must not write, and neither must a mutation inside it.
    let flags: Node.Flags = Node.isPure ? [.redirects, .pure] : .redirects
    if let spare = scheduler.pointee.spareRedirect.take() {
      scheduler.pointee.liveNodes += 1
      node = spare
      node.pointee.flags = flags
      Storage.payload(of: node).pointee = payload
    } else {
      node = ExclusiveAccess.makeNode(payload, flags: flags)
    }
    Node.reader = node
    scheduler.pointee.redirect = node
    if Node.idleReader == nil { Node.idleReader = ExclusiveAccess.idleReader(of: scheduler) }
  }

  private static func makeNode(_ payload: Payload, flags: Node.Flags) -> NodePointer {
    Storage.make(flags, payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .read(let dep):
        if let outer = payload.pointee.outer {
          Node.link(dep, to: outer)
        }
      case .readPart(let object, let offset, _):
        ExclusiveAccess.pass(
          payload.pointee, readOf: object.cast(to: Object.self), at: offset)
      case .destroy: payload.deinitialize()
      case .describe(let name):
        if let outer = payload.pointee.outer { name.pointee = Node.name(of: outer) }
      default: break
      }
      return true
    }
  }

  /// Returns the thread's idle reader, which is installed in place of a null reader.
  private static func idleReader(of scheduler: SchedulerPointer) -> NodePointer {
    if let idle = scheduler.pointee.idleReader { return idle }
    let idle = NodeBox<Void>.make(.redirects, ()) { _, _ in true }
    // It belongs to the thread, so tests that count live nodes must not count it.
    scheduler.pointee.liveNodes -= 1
    scheduler.pointee.idleReader = idle
    return idle
  }

  /// Ends the access and restores the previous reader.
  @usableFromInline
  func end() {
    let scheduler = Scheduler.current
    let payload = Storage.payload(of: node).pointee
    guard scheduler.pointee.redirect == node else { ExclusiveAccess.trapUnordered(payload) }
    Node.reader = payload.outer
    scheduler.pointee.redirect = payload.enclosing
    if payload.enclosing == nil { Node.idleReader = nil }
    if scheduler.pointee.spareRedirect == nil {
      // A spare node is not part of a graph, so tests that count live nodes must not count it.
      scheduler.pointee.liveNodes -= 1
      scheduler.pointee.spareRedirect = node
    } else {
      Node.dispose(node)
    }
  }

  private static func trapUnordered(_ payload: Payload) -> Never {
    let name = payload.object.withInstance {
      $0.describeProperty(at: payload.offset)
    }
    trap("\(name) is passed to an async function as an inout argument: pass a copy of its value")
  }

  /// Traps if the property being changed is read; otherwise forwards the read to the previous
  /// reader.
  private static func pass(
    _ payload: Payload, readOf object: Unretained<Object>, at offset: Int
  ) {
    if payload.object == object, payload.offset == offset {
      object.withInstance { $0.refuseIfChanging(at: offset, for: .read) }
    }
    guard let outer = payload.outer else { return }
    let present = Node.reader
    Node.reader = outer
    object.withInstance { $0.track(offset) }
    Node.reader = present
  }

  /// The innermost property that is being changed on this thread.
  static var underWay: (object: Object, offset: Int)? {
    guard signals_is_changing_property(), let node = Scheduler.current.pointee.redirect else {
      return nil
    }
    let payload = Storage.payload(of: node).pointee
    return (payload.object.instance, payload.offset)
  }

  /// Returns whether a property of an object is being changed on this thread.
  ///
  /// - Parameter inPlace: Whether only changes in place count.
  fileprivate static func isUnderWay(_ object: Object, at offset: Int, inPlace: Bool) -> Bool {
    var access = Scheduler.current.pointee.redirect
    while let node = access {
      let payload = Storage.payload(of: node).pointee
      if payload.object.refers(to: object), payload.offset == offset,
        payload.isInPlace || !inPlace
      {
        return true
      }
      access = payload.enclosing
    }
    return false
  }
}

/// The kind of access to a property while it is being changed.
@usableFromInline
enum ConflictingAccess {
  /// A read by the closure of the mutation.
  case read
  /// A read by other code, for which the old value is good enough.
  case readElsewhere
  case written
}

extension Object {
  /// Traps if the property at `offset` is being changed in a way that doesn't allow the access.
  ///
  /// Not inlined, because callers test `signals_is_changing_property()` first.
  @usableFromInline
  @inline(never)
  final func refuseIfChanging(at offset: Int, for access: ConflictingAccess) {
    if ExclusiveAccess.isUnderWay(self, at: offset, inPlace: access == .readElsewhere) {
      let verb = access == .written ? "written" : "read"
      trap("\(describeProperty(at: offset)) is \(verb) while it is being changed")
    }
  }

  /// Traps if the property stored at `storage` is being changed; called before it is written.
  @inlinable
  @inline(never)
  final func refuseIfChanging<Property>(_ storage: UncheckedPointer<Property>) {
    refuseIfChanging(at: storage.offset(in: self), for: .written)
  }

  /// Traps if any property is being changed in place; called before the whole object is read.
  final func refuseIfAnyIsChanging() {
    guard signals_is_changing_property() else { return }
    for property in Schema(of: type(of: self)).properties {
      refuseIfChanging(at: property.offset, for: .readElsewhere)
    }
  }
}
