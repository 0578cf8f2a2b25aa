/// The header of the file with a partition's snapshot.
struct SnapshotHeader: Equatable {
  static let format = FileFormat("SignSnp", version: 1)
  static let size = SealedWords.size(ofWords: 6)

  /// The hash of the partition's name.
  let name: UInt64
  /// The head of the log at the snapshot.
  let head: LogHead
  /// The number of the snapshot's bytes, which follow.
  let count: Int
  /// The hash of these bytes.
  let hash: UInt64
  /// Whether the log starts from the snapshot, even if its entries end before.
  let isStart: Bool

  init(_ snapshot: LogSnapshot, of partition: Partition, isStart: Bool) {
    self.isStart = isStart
    (name, head) = (partition.nameHash, snapshot.head)
    (count, hash) = (snapshot.bytes.count, XXHash64.hash(snapshot.bytes.span))
  }

  var bytes: [UInt8] {
    SealedWords([name, head.position.rawValue, head.chain, UInt64(count), hash, isStart ? 1 : 0])
      .bytes(as: Self.format)
  }

  /// Reads the header of a partition's file.
  init(of file: OpenFile, partition: Partition) throws(ChangeLogError) {
    let bytes = try file.read(at: 0, count: Self.size)
    let words = try SealedWords(bytes, as: Self.format, in: file).words
    guard words.count == 6, let count = Int(exactly: words[3]) else {
      throw .damaged(file: file.path, offset: 0, reason: "the header is incomplete")
    }
    guard words[0] == partition.nameHash else {
      throw .damaged(file: file.path, offset: 0, reason: "it is the file of another log")
    }
    name = words[0]
    head = LogHead(position: LogPosition(rawValue: words[1]), chain: words[2])
    (self.count, hash, isStart) = (count, words[4], words[5] == 1)
  }
}
