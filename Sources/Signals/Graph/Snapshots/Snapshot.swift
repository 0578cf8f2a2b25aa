/// An immutable copy of a store, which can be kept, sent to any isolation domain, read on any
/// thread, and encoded.
///
/// - It is independent of later changes of the store, and outlives the store.
/// - It holds values and no ``Object``. Reading it creates new, unstored objects in the reader's
///   isolation domain.
/// - Snapshots of one store share their unchanged values; copies of a snapshot share everything.
///   The values are released with the last snapshot and the store.
/// - ``Store/init(_:undoLimit:coalescing:)`` creates a store from it, with the same ids, keys, links and
///   lists.
/// - Two snapshots are equal if they have the same objects, by id and class, with the same values.
/// - It is `Codable`, and handles fields that were added, removed or renamed after it was encoded;
///   see ``init(from:)`` and ``Object/renamed``.
///
/// ```swift
/// let before = store.snapshot()
/// try store.write { book.title = "Emma" }
/// let changes = before.changes(to: store.snapshot())
/// ```
public struct Snapshot: Sendable {
  let core: SnapshotCore

  /// The number of objects.
  public var count: Int { core.tables.reduce(0) { $0 + $1.count } }

  /// Whether the snapshot has no objects.
  public var isEmpty: Bool { count == 0 }

  /// Returns the number of objects of a class and its subclasses.
  ///
  /// - Parameter type: The class.
  /// - Returns: The number of objects.
  /// - Complexity: O(classes).
  public func count(of type: Object.Type) -> Int {
    core.tables.reduce(0) { $0 + ($1.shape.type.isSubclass(of: type) ? $1.count : 0) }
  }
}

/// The rows of a snapshot.
///
/// Unchecked, and safe on any thread, although its tables consist of nodes that the compiler can't
/// check. The core is complete before it is shared. None of its nodes is written afterwards: a
/// store changes a node only where `isKnownUniquelyReferenced` shows that the store's tables are
/// its only owner, and the tables here are another owner. (The reference count is atomic. For the
/// store's thread to see a count of one, the last other reader must have released the node before.)
/// The nodes contain ids, locations, trees of locations, and field values, whose types are
/// `Sendable`. The types of classes and properties in the shapes are constants. `index` is behind a
/// lock.
final class SnapshotCore: @unchecked Sendable {  // Never written after `init`.
  let tables: [SnapshotTable]
  private let index = Locked(SnapshotIndex())

  init(_ tables: [SnapshotTable]) { self.tables = tables }

  func row(_ location: SnapshotLocation) -> SnapshotRow? {
    guard tables.indices.contains(Int(location.table)) else { return nil }
    return tables[Int(location.table)].row(Int(location.slot))
  }

  /// Returns the id of the object at a location.
  func id(_ location: SnapshotLocation) -> ObjectID? { row(location)?.id }

  /// Returns the location of the object with an id.
  ///
  /// - Complexity: O(1) after the first call, which is O(objects).
  func location(of id: ObjectID) -> SnapshotLocation? {
    index.withLock { index in
      if let ids = index.ids { return ids[id] }
      var ids: [ObjectID: SnapshotLocation] = [:]
      for (number, table) in tables.enumerated() {
        table.forEachRow { ids[$0.id] = SnapshotLocation(table: number, slot: $1) }
      }
      index.ids = ids
      return ids[id]
    }
  }

  /// Returns the location of the object with a primary key.
  ///
  /// - Complexity: O(1) after the first call for the class, which is O(*n*).
  func location(of key: AnyHashable, in type: Object.Type) -> SnapshotLocation? {
    index.withLock { index in
      if let keys = index.keys[ObjectIdentifier(type)] { return keys[key] }
      var keys: [AnyHashable: SnapshotLocation] = [:]
      for (number, table) in tables.enumerated() where table.shape.type.isSubclass(of: type) {
        guard let column = table.shape.primaryKey else { continue }
        table.forEachRow { row, slot in
          guard let key = column.key(row.value(column)) else { return }
          keys[key] = SnapshotLocation(table: number, slot: slot)
        }
      }
      index.keys[ObjectIdentifier(type)] = keys
      return keys[key]
    }
  }

  /// All rows in the order in which their objects were added; equal positions are ordered by id.
  ///
  /// - Complexity: O(n log n).
  func rowsInOrder(of type: Object.Type = Object.self) -> [SnapshotLocation] {
    var order: [(sequence: UInt64, id: ObjectID, location: SnapshotLocation)] = []
    for (number, table) in tables.enumerated() where table.shape.type.isSubclass(of: type) {
      table.forEachRow { row, slot in
        order.append((row.sequence, row.id, SnapshotLocation(table: number, slot: slot)))
      }
    }
    order.sort { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
    return order.map(\.location)
  }
}

/// The lookup tables of a snapshot, built on demand.
///
/// Unchecked, and safe: the compiler can't see that the keys are `Sendable`; they are values of
/// fields, which are.
private struct SnapshotIndex: @unchecked Sendable {  // Its keys are values of fields.
  var ids: [ObjectID: SnapshotLocation]?
  var keys: [ObjectIdentifier: [AnyHashable: SnapshotLocation]] = [:]
}
