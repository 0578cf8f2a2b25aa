/// The identity of a log in files, which differs from the identity of each copy.
package struct LogIdentity: Hashable, Sendable {
  /// A random number.
  package let rawValue: UInt64

  /// Creates an identity.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Returns a new, random identity.
  static func random() -> LogIdentity { LogIdentity(rawValue: .random(in: 1...(.max))) }
}

/// The file with the identity of a log, and the identities of the logs of which it is a copy.
struct LogIdentityFile {
  static let format = FileFormat("SignIdn", version: 1)
  static let name = "identity"

  /// The identity of the log.
  private(set) var identity: LogIdentity
  /// The identities of the logs of which this one is a copy, the latest last.
  private(set) var ancestors: [LogIdentity]

  /// Creates the file for a new log or for a copy.
  static func create(
    ancestors: [LogIdentity] = [], in directory: LogDirectory
  ) throws(ChangeLogError) -> LogIdentityFile {
    let created = LogIdentityFile(identity: .random(), ancestors: ancestors)
    _ = try directory.prepare(name) { file throws(ChangeLogError) in
      let mark = try file.status().mark
      let words = [created.identity.rawValue, mark.number, mark.birth] + ancestors.map(\.rawValue)
      try file.write(SealedWords(words).bytes(as: format), at: 0)
    }
    try directory.put(name)
    return created
  }

  /// Reads the file, and returns whether it is the original and not a copy.
  static func open(
    in directory: LogDirectory
  ) throws(ChangeLogError) -> (file: LogIdentityFile, isOriginal: Bool) {
    let file = try directory.open(name)
    let status = try file.status()
    let words = try SealedWords(file.read(at: 0, count: status.size), as: format, in: file).words
    guard words.count >= 3 else {
      throw .damaged(file: file.path, offset: 0, reason: "the header is incomplete")
    }
    let identities = LogIdentityFile(
      identity: LogIdentity(rawValue: words[0]),
      ancestors: words[3...].map { LogIdentity(rawValue: $0) })
    return (identities, status.mark == FileMark(number: words[1], birth: words[2]))
  }

  /// Returns whether a partition's file belongs to this log, and whether it is a copy.
  ///
  /// A file with the identity of an ancestor was copied together with the log.
  func check(_ header: LogFileHeader, mark: FileMark) -> (isKnown: Bool, isCopy: Bool) {
    if header.identity == identity { return (true, header.mark != mark) }
    return (ancestors.contains(header.identity), false)
  }
}
