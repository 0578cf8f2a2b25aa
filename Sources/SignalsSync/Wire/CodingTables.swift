/// What both ends of a connection remember, so that a change names things by small numbers.
///
/// The encoder and the decoder change their tables in the same way, in the order of the messages:
///
/// - `replicas` lists the authors, with the number of the last change set of each in `sequences`.
/// - `creators` lists the processes that made objects, with the counter of the last object of each
///   in `counters`.
/// - `names` lists classes and properties, with the name that last followed each in `successors`.
/// - `current` has what the last change set and operation were about. The sequence and the counter
///   that belong to it are written back to the tables when another replica or creator comes.
///
/// A message begins with ``begin()`` and ends with ``commit()``, or with ``rollBack()`` if it wasn't
/// valid. In between `journal` has the old values, so that a message costs what it changes.
struct CodingTables: Sendable {
  /// What the last change set and operation were about.
  struct Current: Sendable {
    var replica = ReplicaID(rawValue: 0)
    /// The position of the replica; negative if it isn't listed.
    var replicaPosition = -1
    var sequence: UInt64 = 0
    var time = HybridTime.zero
    var creator: UInt64 = 0
    /// The position of the creator; negative if it isn't listed.
    var creatorPosition = -1
    var counter: UInt64 = 0
    /// The position of the last operation's name; negative if it isn't listed.
    var name = -1
  }

  private enum Entry: Sendable {
    case sequence(Int, UInt64)
    case counter(Int, UInt64)
    case successor(Int, Int)
  }

  private struct Checkpoint: Sendable {
    var replicas = 0
    var creators = 0
    var names = 0
    var nameBytes = 0
    var current = Current()
  }

  /// The most replicas, creators and names that are listed; these limits are part of the format.
  ///
  /// All names of a change set fit into empty tables: in an entry of a log each is written once.
  static let limit = SharedChangeSet.nameLimit
  /// The most bytes of all names.
  static let nameByteLimit = SharedChangeSet.nameByteLimit

  private(set) var replicas = IndexTable<ReplicaID>(limit: limit)
  private(set) var creators = IndexTable<UInt64>(limit: limit)
  private(set) var names = IndexTable<String>(limit: limit)
  private var sequences: [UInt64] = []
  private var counters: [UInt64] = []
  private var successors: [Int] = []
  private var nameBytes = 0
  var current = Current()
  private var checkpoint = Checkpoint()
  private var journal: [Entry] = []

  // MARK: - Messages

  /// Begins a message.
  mutating func begin() {
    checkpoint = Checkpoint(
      replicas: replicas.count, creators: creators.count, names: names.count,
      nameBytes: nameBytes, current: current)
  }

  /// Ends a valid message.
  mutating func commit() {
    guard !journal.isEmpty else { return }
    journal.removeAll(keepingCapacity: journal.count <= Self.limit)
  }

  /// Ends a message that isn't valid: the tables are as they were at its beginning.
  mutating func rollBack() {
    for entry in journal.reversed() {
      switch entry {
      case .sequence(let position, let old): sequences[position] = old
      case .counter(let position, let old): counters[position] = old
      case .successor(let position, let old): successors[position] = old
      }
    }
    journal.removeAll()
    replicas.truncate(to: checkpoint.replicas)
    creators.truncate(to: checkpoint.creators)
    names.truncate(to: checkpoint.names)
    sequences.removeSubrange(checkpoint.replicas...)
    counters.removeSubrange(checkpoint.creators...)
    successors.removeSubrange(checkpoint.names...)
    nameBytes = checkpoint.nameBytes
    current = checkpoint.current
  }

  /// Forgets all, and keeps the memory.
  mutating func removeAll() {
    replicas.removeAll()
    creators.removeAll()
    names.removeAll()
    sequences.removeAll(keepingCapacity: true)
    counters.removeAll(keepingCapacity: true)
    successors.removeAll(keepingCapacity: true)
    nameBytes = 0
    current = Current()
    journal.removeAll(keepingCapacity: true)
  }

  // MARK: - Changes

  /// Lists a replica.
  mutating func list(_ replica: ReplicaID) -> Int? {
    guard let position = replicas.append(replica) else { return nil }
    sequences.append(0)
    return position
  }

  /// Makes a replica the author of the next change set.
  mutating func makeCurrent(_ replica: ReplicaID, at position: Int?) {
    let old = current.replicaPosition
    if old >= 0, sequences[old] != current.sequence {
      journal.append(.sequence(old, sequences[old]))
      sequences[old] = current.sequence
    }
    current.replica = replica
    current.replicaPosition = position ?? -1
    current.sequence = position.map { sequences[$0] } ?? 0
  }

  /// Lists a creator of objects.
  mutating func list(creator: UInt64) -> Int? {
    guard let position = creators.append(creator) else { return nil }
    counters.append(0)
    return position
  }

  /// Makes a creator that of the next object.
  mutating func makeCurrent(creator: UInt64, at position: Int?) {
    let old = current.creatorPosition
    if old >= 0, counters[old] != current.counter {
      journal.append(.counter(old, counters[old]))
      counters[old] = current.counter
    }
    current.creator = creator
    current.creatorPosition = position ?? -1
    current.counter = position.map { counters[$0] } ?? 0
  }

  /// The counter of a creator's last object; zero if the creator isn't listed.
  func counter(at position: Int?) -> UInt64 {
    guard let position else { return 0 }
    return position == current.creatorPosition ? current.counter : counters[position]
  }

  /// Lists a name.
  mutating func list(name: String) -> Int? {
    let count = name.utf8.count
    guard nameBytes + count <= Self.nameByteLimit, let position = names.append(name) else {
      return nil
    }
    nameBytes += count
    successors.append(-1)
    return position
  }

  /// The position of the name that is expected next; negative if none is.
  var predictedName: Int { current.name < 0 ? -1 : successors[current.name] }

  /// Notes the name of an operation.
  mutating func note(namePosition position: Int) {
    let last = current.name
    current.name = position
    guard last >= 0, position >= 0, successors[last] != position else { return }
    journal.append(.successor(last, successors[last]))
    successors[last] = position
  }
}
