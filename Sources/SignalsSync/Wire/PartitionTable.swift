/// The partitions of a connection, and the position that is expected next in each.
///
/// Like ``CodingTables`` it is the same at both ends, and a message that isn't valid is rolled back:
/// a message has at most one partition, so at most one value of `expected` changes.
struct PartitionTable: Sendable {
  /// The most partitions that are listed; the limit is part of the format.
  static let limit = 1 << 16
  /// The most bytes of a partition's name.
  static let nameLimit = 1 << 10

  private(set) var names = IndexTable<String>(limit: limit)
  /// The position that the next change set of each has, unless it is announced; nil if the last ones
  /// had none.
  private var expected: [UInt64?] = []
  /// The partition of the last message.
  private(set) var current = ""
  /// The position of that; negative if it isn't listed.
  private var currentPosition = -1

  private struct Checkpoint: Sendable {
    var count = 0
    var current = ""
    var currentPosition = -1
    var expected: (position: Int, old: UInt64?)?
  }
  private var checkpoint = Checkpoint()

  /// The position that the next change set of the partition has, unless it is announced.
  var expectedPosition: UInt64? { currentPosition < 0 ? nil : expected[currentPosition] }

  mutating func begin() {
    checkpoint = Checkpoint(count: names.count, current: current, currentPosition: currentPosition)
  }

  mutating func rollBack() {
    if let (position, old) = checkpoint.expected { expected[position] = old }
    names.truncate(to: checkpoint.count)
    expected.removeSubrange(checkpoint.count...)
    current = checkpoint.current
    currentPosition = checkpoint.currentPosition
  }

  /// Makes a partition that of the message, and lists it if it is new.
  mutating func makeCurrent(_ name: String, at position: Int?) {
    current = name
    if let position {
      currentPosition = position
    } else if let position = names.append(name) {
      expected.append(nil)
      currentPosition = position
    } else {
      currentPosition = -1
    }
  }

  /// Notes the position that the next change set of the partition will have.
  mutating func expect(_ next: UInt64?) {
    guard currentPosition >= 0, expected[currentPosition] != next else { return }
    checkpoint.expected = (currentPosition, expected[currentPosition])
    expected[currentPosition] = next
  }
}
