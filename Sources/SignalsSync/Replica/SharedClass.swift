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
  /// The objects of a partition.
  private final class Members {
    let partition: Partition
    /// The ids, in no order.
    var ids: [ObjectID] = []

    init(of partition: Partition) { self.partition = partition }
  }

  private let classes: [SharedClass]
  private var closures: [ObjectIdentifier: ((Object) -> String?)?] = [:]
  /// The partition of each object, and the index of its id there.
  private var places: [ObjectID: (members: Members, index: Int)] = [:]
  private var members: [Partition: Members] = [:]
  /// The partition of the object that was added last, as that of the next one probably.
  private var lastMembers: Members?

  init(_ classes: [SharedClass]) { self.classes = classes }

  /// Returns the partition of a stored object, or `nil` if it isn't shared.
  func partition(of id: ObjectID) -> Partition? { places[id]?.members.partition }

  /// Returns the ids of the objects in a partition, in no order.
  func objects(of partition: Partition) -> [ObjectID] { members[partition]?.ids ?? [] }

  /// Whether an object of a store that isn't in a partition has a link to one that is.
  func isLinked(_ partition: Partition, in store: Store) -> Bool {
    objects(of: partition).contains { id in
      untracked { store.object(id) }?.linkingObjects.contains {
        self.partition(of: $0.objectID) != partition
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

  /// Notes the objects of a commit, and splits its changes by partition, in the order of the first change of
  /// each.
  ///
  /// The objects have the values from after the commit.
  ///
  /// - Parameter known: A partition whose changes aren't needed.
  /// - Returns: The changes by partition, and those of objects that aren't shared.
  func split(
    _ commit: inout SealedCommit, in store: Store, except known: Partition? = nil
  ) -> (parts: [(partition: Partition, changes: ChangeSet)], others: [ObjectChange]) {
    if let known {
      var noted: [ObjectID: Partition] = [:]
      let changes = commit.changes { id, kind, object in
        let partition = note(id, kind, object)?.partition
        if partition != known { noted[id] = partition }
        return partition != known
      }
      return split(changes) { noted[$0.id] }
    }
    return split(commit.changes) { change in
      let isNew = change.kind == .inserted
      return note(change.id, change.kind, isNew ? untracked { store.object(change.id) } : nil)?
        .partition
    }
  }

  private func split(
    _ changes: ChangeSet, by partition: (ObjectChange) -> Partition?
  ) -> (parts: [(partition: Partition, changes: ChangeSet)], others: [ObjectChange]) {
    var parts: [(partition: Partition, changes: [ObjectChange])] = []
    var indices: [Partition: Int] = [:]
    var others: [ObjectChange] = []
    for change in changes.changes {
      guard let partition = partition(change) else {
        others.append(change)
        continue
      }
      let last = parts.count - 1
      // Many changes of one partition follow each other.
      if last >= 0, parts[last].partition == partition {
        parts[last].changes.append(change)
      } else if let index = indices[partition] {
        parts[index].changes.append(change)
      } else {
        indices[partition] = parts.count
        parts.append((partition, [change]))
      }
    }
    return (parts.map { ($0.partition, ChangeSet($0.changes, origin: nil)) }, others)
  }

  /// Notes the objects of a commit that shared partitions have decided about.
  ///
  /// - Returns: The changes of objects that aren't shared.
  func noteFacts(_ commit: SealedCommit) -> [ObjectChange] {
    places.reserveCapacity(places.count + commit.entryCount)
    return commit.changes { note($0, $1, $2) == nil }.changes
  }

  /// Returns the reason why a commit that was split can't be submitted: it has moved a part to an owner
  /// in another partition.
  func refusal(of commit: ChangeSet, in store: Store) -> String? {
    for change in commit.changes where change.kind != .deleted {
      let owning = Schema.shared(of: change.type).embedding
      guard !owning.isEmpty, let partition = partition(of: change.id) else { continue }
      for property in owning {
        guard let new = change[property.name]?.new else { continue }
        let targets = new as? [ObjectID] ?? (new as? ObjectID).map { [$0] } ?? []
        guard let part = targets.first(where: { isPart($0, of: store, outside: partition) }) else {
          continue
        }
        return "a part moves to \(change.className).\(property.name) in \(partition) from "
          + "\(self.partition(of: part)?.name ?? "an object that isn't shared")"
      }
    }
    return nil
  }

  private func isPart(_ id: ObjectID, of store: Store, outside partition: Partition) -> Bool {
    self.partition(of: id) != partition && untracked { store.object(id) } is EmbeddedObject
  }

  /// Notes a changed object.
  ///
  /// - Returns: Its partition, which is forgotten if the object was deleted, or `nil` if it isn't shared.
  private func note(
    _ id: ObjectID, _ kind: ObjectChange.Kind, _ object: Object?
  ) -> Members? {
    guard kind == .inserted else {
      guard let (members, index) = places[id] else { return nil }
      if kind == .deleted { remove(id, at: index, from: members) }
      return members
    }
    guard let object, let partition = untracked({ determine(object) }) else { return nil }
    let members = members(of: partition)
    if let known = places.updateValue((members, members.ids.count), forKey: id) {
      places[id] = known
      return known.members
    }
    members.ids.append(id)
    return members
  }

  private func remove(_ id: ObjectID, at index: Int, from members: Members) {
    places[id] = nil
    let last = members.ids.removeLast()
    if last != id {
      members.ids[index] = last
      places[last]?.index = index
    }
    if members.ids.isEmpty {
      self.members[members.partition] = nil
      if lastMembers === members { lastMembers = nil }
    }
  }

  private func members(of partition: Partition) -> Members {
    if let lastMembers, lastMembers.partition == partition { return lastMembers }
    let found = members[partition] ?? Members(of: partition)
    members[partition] = found
    lastMembers = found
    return found
  }

  /// Returns the partition that the present values of an object name.
  func determine(_ object: Object) -> Partition? {
    var whole = object
    while whole.isEmbedded, let owner = (whole as? EmbeddedObject)?.owner { whole = owner }
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
