/// The header of the file with a partition's entries.
struct LogFileHeader: Equatable {
  static let format = FileFormat("SignLog", version: 2)
  static let size = SealedWords.size(ofWords: 4)

  /// The hash of the partition's name.
  var name: UInt64
  /// The head of the log before the file's first entry.
  var base: LogHead
  /// The number of bytes that were durable before the file got its name.
  var settled: Int

  var bytes: [UInt8] {
    SealedWords([name, base.position.rawValue, base.chain, UInt64(settled)])
      .bytes(as: Self.format)
  }

  /// Reads a file's header.
  init(of file: OpenFile) throws(ChangeLogError) {
    let bytes = try file.read(at: 0, count: Self.size)
    let words = try SealedWords(bytes, as: Self.format, in: file).words
    guard words.count == 4, let settled = Int(exactly: words[3]) else {
      throw .damaged(file: file.path, offset: 0, reason: "the header is incomplete")
    }
    name = words[0]
    base = LogHead(position: LogPosition(rawValue: words[1]), chain: words[2])
    self.settled = settled
  }

  init(_ partition: Partition, base: LogHead, settled: Int) {
    (name, self.base, self.settled) = (partition.nameHash, base, settled)
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
