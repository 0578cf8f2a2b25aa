// A mutation under way: `member.borrowed.removeAll { … }` runs the user's closure in the middle.
//
// While it lasts this is the thread's reader, so that every tracked read passes here first: reading the
// property that is being changed has no meaning and traps by name, anything else goes on to whoever
// was reading before.

private import SignalsThread

/// An access of a property, while its value is in the hands of whoever changes it.
@usableFromInline
@safe
struct PropertyAccess {
  @safe private struct Payload {
    let object: Unmanaged<Object>
    let offset: Int
    let outer: UnsafeMutableRawPointer?
  }
  private typealias Storage = Cell<Payload>

  private let node: NodePointer

  /// Begins an access of the property at `offset`.
  @usableFromInline
  init(_ object: Object, _ offset: Int) {
    let thread = unsafe signals_thread_current()
    let payload = unsafe Payload(
      object: Unmanaged.passUnretained(object),
      offset: offset, outer: thread.pointee.reader)
    // Whoever may not write may not write in here either.
    let flags: Node.Flags = Node.isPure ? [.redirects, .pure] : .redirects
    if let spare = unsafe Turn.current.pointee.spareAccess.take() {
      unsafe Turn.current.pointee.liveNodes += 1
      unsafe node = spare
      unsafe node.pointee.flags = flags
      unsafe Storage.payload(of: node).pointee = payload
    } else {
      unsafe node = PropertyAccess.makeNode(flags, payload)
    }
    unsafe thread.pointee.reader = UnsafeMutableRawPointer(node)
    unsafe Turn.current.pointee.accesses += 1
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

  /// Ends the access; whoever was reading reads again.
  @usableFromInline
  func end() {
    unsafe signals_thread_current().pointee.reader = Storage.payload(of: node).pointee.outer
    let turn = unsafe Turn.current
    unsafe turn.pointee.accesses -= 1
    if unsafe turn.pointee.spareAccess == nil {
      // What is spare is nobody's: tests that count nodes must not find it.
      unsafe turn.pointee.liveNodes -= 1
      unsafe turn.pointee.spareAccess = node
    } else {
      unsafe Node.dispose(node)
    }
  }

  /// Traps if the property under way is read, else lets the reader before it read.
  private static func pass(_ payload: Payload, _ pointer: UnsafeMutableRawPointer, _ offset: Int) {
    let thread = unsafe signals_thread_current()
    unsafe Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef { object in
      if unsafe payload.object.toOpaque() == pointer, payload.offset == offset {
        trap("\(object.describeProperty(at: offset)) is read while it is being changed")
      }
      let present = unsafe thread.pointee.reader
      unsafe thread.pointee.reader = unsafe payload.outer
      if unsafe payload.outer != nil { object.track(offset) }
      unsafe thread.pointee.reader = unsafe present
    }
  }
}
