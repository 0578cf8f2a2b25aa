/// An immutable copy of a store, which can be kept, sent anywhere, read on any thread and written down.
///
/// - Nothing that happens to the store later shows in it, nor does it need the store to exist.
/// - It holds values and no ``Object``. Reading makes new, unstored objects where you read.
/// - Snapshots of one store share what has not changed in between; so do copies. When the last one goes,
///   and its store, so do the values.
/// - ``Store/init(_:undoLimit:)`` makes a store of it, with the same ids, keys, links and lists.
/// - Two are equal if they have the same objects, by id and class, with the same values.
/// - It is `Codable`; fields that were added, removed or renamed since are taken care of (see
///   ``init(from:)`` and ``Object/renamed``).
///
/// ```swift
/// let before = store.snapshot()
/// try store.write { book.title = "Emma" }
/// let changes = before.changes(to: store.snapshot())
/// ```
public struct Snapshot: Sendable {
  let core: SnapshotCore

  /// How many objects it has.
  public var count: Int { core.tables.reduce(0) { $0 + $1.count } }

  /// Whether it has no object.
  public var isEmpty: Bool { count == 0 }

  /// How many objects of a class it has, those of its subclasses included.
  ///
  /// O(classes).
  public func count(of type: Object.Type) -> Int {
    core.tables.reduce(0) { $0 + ($1.shape.type.isSubclass(of: type) ? $1.count : 0) }
  }
}

/// The rows of a snapshot.
///
/// Unchecked, and safe to use on any thread, though its tables are made of nodes that the compiler knows
/// nothing of: it is made complete before anybody else sees it, and no node of it is written again, since a
/// store changes a node only where `isKnownUniquelyReferenced` finds its own tables to be the one owner,
/// and these tables are another. (That count is atomic, and to see it at one the store's thread must see
/// the end of the last other reader.) What lies in the nodes is ids, places, trees of places, and field
/// values, whose types are `Sendable`; the types of classes and properties that shapes know are constants.
/// `index` is behind a lock.
final class SnapshotCore: @unchecked Sendable {  // Nobody writes it once it is made.
  let tables: [SnapshotTable]
  private let index = Locked(SnapshotIndex())

  init(_ tables: [SnapshotTable]) { self.tables = tables }

  func row(_ place: SnapshotPlace) -> SnapshotRow? {
    guard tables.indices.contains(Int(place.table)) else { return nil }
    return tables[Int(place.table)].row(Int(place.slot))
  }

  /// The id of the object at a place.
  func id(_ place: SnapshotPlace) -> ObjectID? { row(place)?.id }

  /// Where the object of an id is.
  ///
  /// O(1) after the first call, which is O(objects).
  func place(of id: ObjectID) -> SnapshotPlace? {
    index.withLock { index in
      if let ids = index.ids { return ids[id] }
      var ids: [ObjectID: SnapshotPlace] = [:]
      for (number, table) in tables.enumerated() {
        table.forEachRow { ids[$0.id] = SnapshotPlace(table: number, slot: $1) }
      }
      index.ids = ids
      return ids[id]
    }
  }

  /// Where the object with a primary key is; O(1) after the first call for the class, which is O(n).
  func place(of key: AnyHashable, in type: Object.Type) -> SnapshotPlace? {
    index.withLock { index in
      if let keys = index.keys[ObjectIdentifier(type)] { return keys[key] }
      var keys: [AnyHashable: SnapshotPlace] = [:]
      for (number, table) in tables.enumerated() where table.shape.type.isSubclass(of: type) {
        guard let column = table.shape.primaryKey else { continue }
        table.forEachRow { row, slot in
          guard let key = unsafe column.key(row.value(column)) else { return }
          keys[key] = SnapshotPlace(table: number, slot: slot)
        }
      }
      index.keys[ObjectIdentifier(type)] = keys
      return keys[key]
    }
  }

  /// All rows in the order in which their objects were added, those with the same place by id.
  ///
  /// O(n log n).
  func rowsInOrder(of type: Object.Type = Object.self) -> [SnapshotPlace] {
    var order: [(sequence: UInt64, id: ObjectID, place: SnapshotPlace)] = []
    for (number, table) in tables.enumerated() where table.shape.type.isSubclass(of: type) {
      table.forEachRow { row, slot in
        order.append((row.sequence, row.id, SnapshotPlace(table: number, slot: slot)))
      }
    }
    order.sort { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
    return order.map(\.place)
  }
}

/// What a snapshot has found out about itself.
///
/// Unchecked, and safe: the compiler doesn't know that the keys can go anywhere; they are values of fields, which
/// are `Sendable`.
private struct SnapshotIndex: @unchecked Sendable {  // Its keys are values of fields.
  var ids: [ObjectID: SnapshotPlace]?
  var keys: [ObjectIdentifier: [AnyHashable: SnapshotPlace]] = [:]
}
