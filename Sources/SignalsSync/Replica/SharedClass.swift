public import Signals

/// A class whose objects are shared by several stores, and the partition of each object.
///
/// A partition is a piece of the graph with a name, such as one board with its cards. It is joined
/// and permitted as a whole.
///
/// ```swift
/// let classes = [
///   SharedClass(Board.self) { "board=\($0.id)" },
///   SharedClass(Card.self) { "board=\($0.boardID)" },
/// ]
/// ```
///
/// - The partition of an object is determined when it is stored, from fields that don't change.
/// - Subclasses are shared too, unless they are listed themselves.
/// - An `EmbeddedObject` is in the partition of its owner, and isn't listed. A commit that moves it to
///   an owner in another partition is refused.
/// - Objects of other classes, and those without a partition, stay in their store.
public struct SharedClass {
  let type: Object.Type
  let partition: (Object) -> String?

  /// Creates the description of a shared class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - partition: Returns the partition of an object, or `nil` to keep it in its store.
  public init<Root: Object>(_ type: Root.Type, partition: @escaping (Root) -> String?) {
    self.type = type
    self.partition = { ($0 as? Root).flatMap(partition) }
  }
}

/// The partitions of the shared objects of a store.
final class PartitionTable {
  private let classes: [SharedClass]
  private var closures: [ObjectIdentifier: ((Object) -> String?)?] = [:]
  private var partitions: [ObjectID: Partition] = [:]
  /// The objects of each partition.
  private var objects: [Partition: Set<ObjectID>] = [:]

  init(_ classes: [SharedClass]) { self.classes = classes }

  /// Returns the partition of a stored object, or `nil` if it isn't shared.
  func partition(of id: ObjectID) -> Partition? { partitions[id] }

  /// Returns the ids of the objects in a partition.
  func objects(of partition: Partition) -> Set<ObjectID> { objects[partition] ?? [] }

  /// Whether an object of a store that isn't in a partition has a link to one that is.
  func isLinked(_ partition: Partition, in store: Store) -> Bool {
    objects(of: partition).contains { id in
      untracked { store.object(id) }?.linkingObjects.contains {
        partitions[$0.objectID] != partition
      } ?? false
    }
  }

  /// Returns the names of a partition's facts, and its objects as insertions.
  ///
  /// - Throws: ``StoreFileError/valueRefused(_:reason:)`` if a value can't be encoded.
  func state(
    of partition: Partition, in store: Store, _ names: ChangeWriter
  ) throws(StoreFileError) -> [UInt8] {
    var (writer, names) = (ByteWriter(), names)
    names.writeNames(to: &writer)
    // The places are read once each, since comparisons are many.
    let all = untracked {
      objects(of: partition).compactMap { id in
        store.object(id).map { (place: $0.placeInStore, object: $0) }
      }
    }
    try names.write(
      inserted: all.sorted { $0.place < $1.place }.map(\.object), of: store, to: &writer)
    return writer.bytes
  }

  /// Splits the changes of a commit by partition, in the order of the first change of each.
  ///
  /// The objects have the values from after the commit.
  ///
  /// - Returns: The changes by partition, and those of objects that aren't shared.
  func split(
    _ commit: ChangeSet, in store: Store
  ) -> (parts: [(partition: Partition, changes: ChangeSet)], others: [ObjectChange]) {
    var order: [Partition] = []
    var changes: [Partition: [ObjectChange]] = [:]
    var others: [ObjectChange] = []
    for change in commit.changes {
      guard let partition = note(change, in: store) else {
        others.append(change)
        continue
      }
      if changes[partition] == nil { order.append(partition) }
      changes[partition, default: []].append(change)
    }
    return (order.map { ($0, ChangeSet(changes[$0] ?? [], origin: nil)) }, others)
  }

  /// Returns the reason why a commit that was split can't be submitted: it has moved a part to an owner
  /// in another partition.
  func refusal(of commit: ChangeSet, in store: Store) -> String? {
    for change in commit.changes where change.kind != .deleted {
      let owning = Schema.shared(of: change.type).embedding
      guard !owning.isEmpty, let partition = partitions[change.id] else { continue }
      for property in owning {
        guard let new = change[property.name]?.new else { continue }
        let targets = new as? [ObjectID] ?? (new as? ObjectID).map { [$0] } ?? []
        guard let part = targets.first(where: { isPart($0, of: store, outside: partition) }) else {
          continue
        }
        return "a part moves to \(change.className).\(property.name) in \(partition) from "
          + "\(partitions[part]?.name ?? "an object that isn't shared")"
      }
    }
    return nil
  }

  private func isPart(_ id: ObjectID, of store: Store, outside partition: Partition) -> Bool {
    partitions[id] != partition && untracked { store.object(id) } is EmbeddedObject
  }

  /// Returns the partition of a changed object, which is forgotten if the object was deleted.
  private func note(_ change: ObjectChange, in store: Store) -> Partition? {
    if change.kind == .deleted {
      let known = partitions.removeValue(forKey: change.id)
      if let known {
        objects[known]?.remove(change.id)
        if objects[known]?.isEmpty == true { objects[known] = nil }
      }
      return known
    }
    if let known = partitions[change.id] { return known }
    guard change.kind == .inserted, let object = untracked({ store.object(change.id) }),
      let partition = untracked({ determine(object) })
    else { return nil }
    partitions[change.id] = partition
    objects[partition, default: []].insert(change.id)
    return partition
  }

  /// Returns the partition that the present values of an object name.
  func determine(_ object: Object) -> Partition? {
    var whole = object
    while let owner = (whole as? EmbeddedObject)?.owner { whole = owner }
    return closure(for: type(of: whole))?(whole).map { Partition($0) }
  }

  private func closure(for type: Object.Type) -> ((Object) -> String?)? {
    if let known = closures[ObjectIdentifier(type)] { return known }
    // The nearest class.
    let found = classes.filter { type.isSubclass(of: $0.type) }
      .max { $1.type.isSubclass(of: $0.type) }
    closures[ObjectIdentifier(type)] = .some(found?.partition)
    return found?.partition
  }
}
