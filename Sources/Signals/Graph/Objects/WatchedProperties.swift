// The properties of an object that somebody reads.
//
// State: `entries` grows with the first tracked read of each property and goes with the object. A
// node keeps the value from before the open batch, so that a batch that ends where it began runs
// nothing. `projections` is set when somebody first projects the object.

/// A value from before the open batch, and how to tell whether the present one is the same.
@usableFromInline
struct PropertyBefore {
  let isSame: () -> Bool

  @usableFromInline init(isSame: @escaping () -> Bool) { self.isSame = isSame }
}

/// The nodes of one object's properties, made when they are first read under tracking.
@usableFromInline
@safe
final class WatchedProperties {
  @safe private struct Payload {
    let object: Unmanaged<Object>
    let offset: Int
    var before: PropertyBefore?
  }
  private typealias Storage = Cell<Payload>

  private var entries: ContiguousArray<(offset: Int, node: NodePointer)> = unsafe []
  @safe @exclusivity(unchecked) var projections: ProjectionRegistry?

  func existingNode(for offset: Int) -> NodePointer? {
    unsafe entries.first { unsafe $0.offset == offset }?.node
  }

  func node(for offset: Int, of object: Object) -> NodePointer {
    if let node = unsafe existingNode(for: offset) { return unsafe node }
    let payload = unsafe Payload(object: Unmanaged.passUnretained(object), offset: offset)
    let node = unsafe Storage.make([], payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .settle: return unsafe payload.pointee.before.take().map { !$0.isSame() } ?? false
      case .describe:
        let offset = unsafe payload.pointee.offset
        unsafe Turn.current.pointee.description = unsafe payload.pointee.object
          ._withUnsafeGuaranteedRef {
            $0.describeProperty(at: offset)
          }
      case .inspect:
        let offset = unsafe payload.pointee.offset
        return unsafe payload.pointee.object._withUnsafeGuaranteedRef {
          Node.tell($0.inspectProperty(at: offset))
        }
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .evaluate, .marked, .perform, .read, .readMember, .readPath: break
      }
      return false
    }
    unsafe entries.append((offset, node))
    return unsafe node
  }

  /// The nodes of the properties that were ever read, in the order of that.
  var nodes: [NodePointer] { unsafe entries.map { unsafe $0.node } }

  static func keepBefore(_ node: NodePointer, _ before: () -> PropertyBefore) {
    guard unsafe !node.pointee.flags.contains(.unsettled) else { return }
    unsafe Storage.payload(of: node).pointee.before = before()
    unsafe Turn.current.pointee.touch(node)
  }

  deinit {
    unsafe entries.forEach { unsafe Node.dispose($0.node) }
  }
}
