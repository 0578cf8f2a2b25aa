extension Partition: TableElement {
  /// The exact name.
  package var tableKey: ExactText { ExactText(name) }
}

/// The partitions of a connection, and the position that is expected next in each.
///
/// Like ``CodingTables`` it is the same at both ends, and a message that isn't valid is rolled back:
/// a message has at most one partition, so at most one value of `expected` changes.
struct PartitionTable: Sendable {
  /// The most partitions that are listed; the limit is part of the format.
  static let limit = 1 << 16
  /// The most bytes of all names.
  static let nameByteLimit = 1 << 20

  private(set) var partitions = IndexTable<Partition>(limit: limit)
  private var nameBytes = 0
  /// The position that the next change set of each has, unless it is announced; nil if the last ones
  /// had none.
  private var expected: [LogPosition?] = []
  /// The partition of the last message.
  private(set) var current: Partition = ""
  /// The position of that; negative if it isn't listed.
  private var currentPosition = -1

  private struct Checkpoint: Sendable {
    var count = 0
    var nameBytes = 0
    var current: Partition = ""
    var currentPosition = -1
    var expected: (position: Int, old: LogPosition?)?
  }
  private var checkpoint = Checkpoint()

  /// The position that the next change set of the partition has, unless it is announced.
  var expectedPosition: LogPosition? { currentPosition < 0 ? nil : expected[currentPosition] }

  mutating func begin() {
    checkpoint = Checkpoint(
      count: partitions.count, nameBytes: nameBytes, current: current,
      currentPosition: currentPosition)
  }

  mutating func rollBack() {
    if let (position, old) = checkpoint.expected { expected[position] = old }
    partitions.truncate(to: checkpoint.count)
    expected.removeSubrange(checkpoint.count...)
    nameBytes = checkpoint.nameBytes
    current = checkpoint.current
    currentPosition = checkpoint.currentPosition
  }

  /// Makes a partition that of the message, and lists it if it is new.
  mutating func makeCurrent(_ partition: Partition, at position: Int?) {
    current = partition
    currentPosition = position ?? list(partition) ?? -1
  }

  private mutating func list(_ partition: Partition) -> Int? {
    let count = partition.name.utf8.count
    guard nameBytes + count <= Self.nameByteLimit, let position = partitions.append(partition)
    else { return nil }
    nameBytes += count
    expected.append(nil)
    return position
  }

  /// Notes the position that the next change set of the partition will have.
  mutating func expect(_ next: LogPosition?) {
    guard currentPosition >= 0, expected[currentPosition] != next else { return }
    checkpoint.expected = (currentPosition, expected[currentPosition])
    expected[currentPosition] = next
  }
}
