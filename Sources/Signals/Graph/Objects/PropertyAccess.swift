// A mutation under way: `member.borrowed.removeAll { … }` runs the user's closure in the middle.
//
// Until it ends, the property belongs to the mutation alone. A write of it would be lost or meet memory that
// is half changed, and a read in the closure has no meaning: both trap by name. An effect or observer that
// runs meanwhile reads the value from before, if it is a copy that is changed, and traps otherwise.
// Everything else works as usual.
//
// State, all of it one thread's:
// - `Turn.access` is the innermost mutation, and the payload of each access names the one around it;
// - `signals_thread.reader` is the access, so that every read in the closure passes here; it hands the read
//   on to the reader before it;
// - `signals_thread.idle_reader` stands for "nothing reads" until the outermost access ends, so that a
//   read in `untracked` or in an observer that runs meanwhile is checked too. Writes ask whether it is set.
//
// Accesses end in the reverse order of their beginning. One that was passed to an async function as an
// `inout` argument can end on another thread or after one that began later, and traps.

private import CSignalsThread

/// An access of a property, while its value is in the hands of whoever changes it.
@usableFromInline
@safe
struct PropertyAccess {
  @safe private struct Payload {
    let object: Unmanaged<Object>
    let offset: Int
    /// Whether the property itself is changed, and not a copy of its value.
    let isInPlace: Bool
    /// What was reading before.
    let outer: UnsafeMutableRawPointer?
    /// The access around this one.
    let enclosing: NodePointer?
  }
  private typealias Storage = Cell<Payload>

  private let node: NodePointer

  /// Begins an access of the property at `offset`.
  @usableFromInline
  init(_ object: Object, _ offset: Int, isInPlace: Bool) {
    let thread = unsafe signals_thread_current()
    let turn = unsafe Turn.current
    let payload = unsafe Payload(
      object: Unmanaged.passUnretained(object), offset: offset, isInPlace: isInPlace,
      outer: thread.pointee.reader, enclosing: turn.pointee.access)
    // Code that may not write may not write in here either.
    let flags: Node.Flags = Node.isPure ? [.redirects, .pure] : .redirects
    if let spare = unsafe turn.pointee.spareAccess.take() {
      unsafe turn.pointee.liveNodes += 1
      unsafe node = spare
      unsafe node.pointee.flags = flags
      unsafe Storage.payload(of: node).pointee = payload
    } else {
      unsafe node = PropertyAccess.makeNode(flags, payload)
    }
    unsafe thread.pointee.reader = UnsafeMutableRawPointer(node)
    unsafe turn.pointee.access = unsafe node
    if unsafe thread.pointee.idle_reader == nil {
      unsafe thread.pointee.idle_reader = UnsafeMutableRawPointer(PropertyAccess.idle(turn))
    }
  }

  private static func makeNode(_ flags: Node.Flags, _ payload: Payload) -> NodePointer {
    unsafe Storage.make(flags, payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .read(let dep):
        if let outer = unsafe payload.pointee.outer {
          unsafe Node.link(dep, outer.assumingMemoryBound(to: Node.self))
        }
      case .readMember(let object, let offset):
        unsafe PropertyAccess.pass(payload.pointee, object, offset)
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .describe:
        if let outer = unsafe payload.pointee.outer {
          _ = unsafe Node.name(of: outer.assumingMemoryBound(to: Node.self))
        }
      case .evaluate, .settle, .marked, .perform, .readPath, .inspect: break
      }
      return true
    }
  }

  /// Returns the thread's reader that stands for none.
  private static func idle(_ turn: UnsafeMutablePointer<Turn>) -> NodePointer {
    if let idle = unsafe turn.pointee.idle { return unsafe idle }
    let idle = unsafe Cell<Void>.make(.redirects, ()) { _, _ in true }
    // It belongs to the thread: tests that count nodes must not find it.
    unsafe turn.pointee.liveNodes -= 1
    unsafe turn.pointee.idle = unsafe idle
    return unsafe idle
  }

  /// Ends the access; what was reading reads again.
  @usableFromInline
  func end() {
    let turn = unsafe Turn.current
    let payload = unsafe Storage.payload(of: node).pointee
    guard unsafe turn.pointee.access == node else { PropertyAccess.trapUnordered(payload) }
    let thread = unsafe signals_thread_current()
    unsafe thread.pointee.reader = unsafe payload.outer
    unsafe turn.pointee.access = unsafe payload.enclosing
    if unsafe payload.enclosing == nil { unsafe thread.pointee.idle_reader = nil }
    if unsafe turn.pointee.spareAccess == nil {
      // A spare node is in no graph: tests that count nodes must not find it.
      unsafe turn.pointee.liveNodes -= 1
      unsafe turn.pointee.spareAccess = node
    } else {
      unsafe Node.dispose(node)
    }
  }

  private static func trapUnordered(_ payload: Payload) -> Never {
    let name = unsafe payload.object._withUnsafeGuaranteedRef {
      $0.describeProperty(at: payload.offset)
    }
    trap("\(name) is passed to an async function as an inout argument: pass a copy of its value")
  }

  /// Traps if the property under way is read, else lets the reader before this one read.
  private static func pass(_ payload: Payload, _ pointer: UnsafeMutableRawPointer, _ offset: Int) {
    if unsafe payload.object.toOpaque() == pointer, payload.offset == offset {
      unsafe payload.object._withUnsafeGuaranteedRef { $0.refuseIfChanging(offset, .read) }
    }
    guard let outer = unsafe payload.outer else { return }
    let thread = unsafe signals_thread_current()
    let present = unsafe thread.pointee.reader
    unsafe thread.pointee.reader = unsafe outer
    unsafe Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.track(offset) }
    unsafe thread.pointee.reader = unsafe present
  }

  /// The innermost property that is being changed on this thread.
  static var underWay: (object: Object, offset: Int)? {
    guard signals_is_changing_property(), let node = unsafe Turn.current.pointee.access else {
      return nil
    }
    let payload = unsafe Storage.payload(of: node).pointee
    return unsafe (payload.object.takeUnretainedValue(), payload.offset)
  }

  /// Whether a property of an object is being changed on this thread, and if it is asked for, in place.
  fileprivate static func isUnderWay(_ object: Object, _ offset: Int, inPlace: Bool) -> Bool {
    let pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
    var access = unsafe Turn.current.pointee.access
    while let node = unsafe access {
      let payload = unsafe Storage.payload(of: node).pointee
      if unsafe payload.object.toOpaque() == pointer, payload.offset == offset,
        payload.isInPlace || !inPlace
      {
        return true
      }
      unsafe access = payload.enclosing
    }
    return false
  }
}

/// How a property is accessed while it is being changed.
@usableFromInline
enum MeanwhileAccess {
  /// By the closure of the mutation.
  case read
  /// By other code, for which a value from before will do.
  case readElsewhere
  case written
}

extension Object {
  /// Traps if the property at `offset` is being changed, so that it can't be accessed.
  ///
  /// Out of line: callers ask `signals_is_changing_property()` first.
  @usableFromInline
  @inline(never)
  final func refuseIfChanging(_ offset: Int, _ access: MeanwhileAccess) {
    if PropertyAccess.isUnderWay(self, offset, inPlace: access == .readElsewhere) {
      let verb = access == .written ? "written" : "read"
      trap("\(describeProperty(at: offset)) is \(verb) while it is being changed")
    }
  }

  /// Traps if the property stored at `storage`, which is about to be written, is being changed.
  @inlinable
  @inline(never)
  final func refuseIfChanging<Property>(_ storage: UnsafeMutablePointer<Property>) {
    unsafe refuseIfChanging(
      Object.offset(of: UnsafeMutableRawPointer(storage), in: self), .written)
  }

  /// Traps if a property is being changed in place: the object as a whole is about to be read.
  final func refuseIfAnyIsChanging() {
    guard signals_is_changing_property() else { return }
    for property in Schema(of: type(of: self)).properties {
      refuseIfChanging(property.offset, .readElsewhere)
    }
  }
}
