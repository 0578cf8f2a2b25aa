/// The header of the file with a partition's entries.
struct LogFileHeader: Equatable {
  static let format = FileFormat("SignLog", version: 1)
  static let size = SealedWords.size(ofWords: 7)

  /// The identity of the log that created the file.
  var identity: LogIdentity
  /// The mark of the file when it was created.
  var mark: FileMark
  /// The hash of the partition's name.
  var name: UInt64
  /// The head of the log before the file's first entry.
  var base: LogHead
  /// The number of bytes that were durable before the file got its name.
  var settled: Int

  var bytes: [UInt8] {
    SealedWords([
      identity.rawValue, mark.number, mark.birth, name, base.position.rawValue, base.chain,
      UInt64(settled),
    ]).bytes(as: Self.format)
  }

  /// Reads a file's header.
  init(of file: OpenFile) throws(ChangeLogError) {
    let bytes = try file.read(at: 0, count: Self.size)
    let words = try SealedWords(bytes, as: Self.format, in: file).words
    guard words.count == 7, let settled = Int(exactly: words[6]) else {
      throw .damaged(file: file.path, offset: 0, reason: "the header is incomplete")
    }
    identity = LogIdentity(rawValue: words[0])
    mark = FileMark(number: words[1], birth: words[2])
    name = words[3]
    base = LogHead(position: LogPosition(rawValue: words[4]), chain: words[5])
    self.settled = settled
  }

  init(
    identity: LogIdentity, mark: FileMark, partition: Partition, base: LogHead, settled: Int
  ) {
    (self.identity, self.mark, self.base, self.settled) = (identity, mark, base, settled)
    name = partition.nameHash
  }
}

extension Partition {
  /// The hash of the name, which detects a renamed file.
  var nameHash: UInt64 { XXHash64.hash(Array(name.utf8).span) }
}

extension SealedWords {
  /// Reads the record at the beginning of a file.
  init(_ bytes: [UInt8], as format: FileFormat, in file: OpenFile) throws(ChangeLogError) {
    do {
      try self.init(bytes, as: format)
    } catch {
      let reason =
        switch error {
        case .incomplete: "the header is incomplete"
        case .otherFormat: "the header is of another format"
        case .otherHash: "the header doesn't match its hash"
        case .otherVersion(let version):
          throw .otherVersion(file: file.path, version: Int(version))
        }
      throw .damaged(file: file.path, offset: 0, reason: reason)
    }
  }
}
