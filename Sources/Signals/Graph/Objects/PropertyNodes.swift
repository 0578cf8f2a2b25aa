// The properties of an object that have readers.
//
// Order of events. The first tracked read of a property makes its node. The node is released when
// it has no readers left and no batch is open. With the last node the whole instance is released,
// and writes to the object are then as fast as if it had never been read. Once the object has a
// companion, the instance is kept, and only its nodes are released.
//
// A node keeps the value from before the open batch, so that a batch that ends with the value it
// began with runs nothing.

/// The previous value of a property, from before the open batch.
///
/// Conforming types are values, so that storing a small one as an existential doesn't allocate.
@usableFromInline
protocol PreviousValue {
  /// Returns whether the property of an object still has this value.
  func isSame(_ object: Object, at offset: Int) -> Bool
}

/// The previous value in the storage of a property.
@usableFromInline
struct ValueBefore<Property: PropertyStorage>: PreviousValue {
  @usableFromInline let value: Property.Value

  @inlinable init(_ value: Property.Value) { self.value = value }

  @inlinable
  func isSame(_ object: Object, at offset: Int) -> Bool {
    Property.isSame(value, as: Property.storage(in: object, at: offset).pointee.stored)
  }
}

/// The nodes of one object's properties, each made by the first tracked read of its property.
@usableFromInline
@safe
final class PropertyNodes {
  private struct Payload {
    let object: Unretained<Object>
    let offset: Int
    var before: (any PreviousValue)?
  }
  private typealias Storage = NodeBox<Payload>

  /// The nodes of the properties that have readers.
  @safe @exclusivity(unchecked)
  private var entries: ContiguousArray<(offset: Int, node: NodePointer)> = []
  /// What a higher room keeps for the object, set when the object is first projected.
  @safe @exclusivity(unchecked) var companion: (any ObjectCompanion)?

  func existingNode(for offset: Int) -> NodePointer? {
    entries.first { $0.offset == offset }?.node
  }

  func node(for offset: Int, of object: Object) -> NodePointer {
    if let node = existingNode(for: offset) { return node }
    let payload = Payload(object: Unretained(object), offset: offset)
    let node = Storage.make(.kept, payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .settle:
        guard let before = payload.pointee.before.take() else { return false }
        let offset = payload.pointee.offset
        return payload.pointee.object.withInstance {
          !before.isSame($0, at: offset)
        }
      case .describe(let name):
        let offset = payload.pointee.offset
        name.pointee = payload.pointee.object.withInstance {
          $0.describeProperty(at: offset)
        }
      case .inspect(let place):
        let offset = payload.pointee.offset
        place.pointee = payload.pointee.object.withInstance {
          $0.inspectProperty(at: offset)
        }
      case .destroy: payload.deinitialize()
      case .lostLastReader:
        payload.pointee.object.withInstance { $0.release(node) }
      default: break
      }
      return false
    }
    entries.append((offset, node))
    return node
  }

  /// Releases the node of a property that has lost its last reader.
  ///
  /// - Returns: Whether the instance has nothing left to keep.
  fileprivate func release(_ node: NodePointer) -> Bool {
    guard let index = entries.firstIndex(where: { $0.node == node }) else {
      return false
    }
    entries.remove(at: index)
    Node.dispose(node)
    return entries.isEmpty && companion == nil
  }

  /// The nodes of the properties that have readers, in the order of their first reads.
  var nodes: [NodePointer] { entries.map { $0.node } }

  static func keepBefore(of node: NodePointer, _ before: () -> any PreviousValue) {
    guard !node.pointee.flags.contains(.unsettled) else { return }
    Storage.payload(of: node).pointee.before = before()
    Scheduler.current.pointee.touch(node)
  }

  deinit {
    // A node may be waiting for the notification that it has lost its last reader. Disposing of
    // another node can send that notification, which must then find no entries.
    let entries = self.entries
    self.entries = []
    entries.forEach { Node.dispose($0.node) }
  }
}

extension Object {
  /// Releases the node of a property that has lost its last reader.
  fileprivate final func release(_ node: NodePointer) {
    guard let propertyNodes, propertyNodes.release(node) else {
      return
    }
    self.propertyNodes = nil
  }

  /// The number of properties that have readers, or had readers in the open batch.
  package final var propertyNodeCount: Int { propertyNodes?.nodes.count ?? 0 }
}
