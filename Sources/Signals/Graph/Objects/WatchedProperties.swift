// The properties of an object that somebody reads.
//
// State: `entries` has a node for each property that somebody reads: made by the first tracked read, and
// released when the last reader has gone and no batch is open; with the last of them all of this goes,
// and writes to the object are as fast again as if nobody had ever read it. A node keeps the value from
// before the open batch, so that a batch that ends where it began runs nothing. `companion` is set when
// somebody first projects the object, and then all but the nodes stays.

/// What a property was before the open batch: a value, so that to keep it allocates nothing as long as
/// it is small.
@usableFromInline
protocol PropertyBefore {
  /// Whether the property of an object is the same now.
  func isSame(_ object: Object, at offset: Int) -> Bool
}

/// The value that the storage of a property had.
@usableFromInline
struct ValueBefore<Property: StoredProperty>: PropertyBefore {
  @usableFromInline let value: Property.Value

  @inlinable init(_ value: Property.Value) { self.value = value }

  @inlinable
  func isSame(_ object: Object, at offset: Int) -> Bool {
    let storage = unsafe object.storage(at: offset).assumingMemoryBound(to: Property.self)
    return unsafe Property.isSame(value, storage.pointee.stored)
  }
}

/// The nodes of one object's properties, made when they are first read under tracking.
@usableFromInline
@safe
final class WatchedProperties {
  @safe private struct Payload {
    let object: Unmanaged<Object>
    let offset: Int
    var before: (any PropertyBefore)?
  }
  private typealias Storage = Cell<Payload>

  private var entries: ContiguousArray<(offset: Int, node: NodePointer)> = unsafe []
  @safe @exclusivity(unchecked) var companion: (any ObjectCompanion)?

  func existingNode(for offset: Int) -> NodePointer? {
    unsafe entries.first { unsafe $0.offset == offset }?.node
  }

  func node(for offset: Int, of object: Object) -> NodePointer {
    if let node = unsafe existingNode(for: offset) { return unsafe node }
    let payload = unsafe Payload(object: Unmanaged.passUnretained(object), offset: offset)
    let node = unsafe Storage.make(.kept, payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .settle:
        guard let before = unsafe payload.pointee.before.take() else { return false }
        let offset = unsafe payload.pointee.offset
        return unsafe payload.pointee.object._withUnsafeGuaranteedRef {
          !before.isSame($0, at: offset)
        }
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
      case .perform:
        unsafe payload.pointee.object._withUnsafeGuaranteedRef { unsafe $0.release(node) }
      case .evaluate, .marked, .read, .readMember, .readPath: break
      }
      return false
    }
    unsafe entries.append((offset, node))
    return unsafe node
  }

  /// Releases the node of a property that nobody reads any more; the answer is whether nothing is left to keep.
  fileprivate func release(_ node: NodePointer) -> Bool {
    guard let index = unsafe entries.firstIndex(where: { unsafe $0.node == node }) else {
      return false
    }
    unsafe entries.remove(at: index)
    unsafe Node.dispose(node)
    return unsafe entries.isEmpty && companion == nil
  }

  /// The nodes of the properties that are read, in the order of their first reads.
  var nodes: [NodePointer] { unsafe entries.map { unsafe $0.node } }

  static func keepBefore(_ node: NodePointer, _ before: () -> any PropertyBefore) {
    guard unsafe !node.pointee.flags.contains(.unsettled) else { return }
    unsafe Storage.payload(of: node).pointee.before = before()
    unsafe Turn.current.pointee.touch(node)
  }

  deinit {
    // One that waits to be told that nobody reads it may be told while another is disposed of.
    let entries = unsafe self.entries
    unsafe self.entries = []
    unsafe entries.forEach { unsafe Node.dispose($0.node) }
  }
}

extension Object {
  /// Releases the node of a property that nobody reads any more.
  fileprivate final func release(_ node: NodePointer) {
    guard let watched = unsafe watched, unsafe watched.release(node) else { return }
    unsafe self.watched = nil
  }

  /// How many properties somebody reads, or has read in the open batch.
  package final var watchedProperties: Int { unsafe watched?.nodes.count ?? 0 }
}
