// The answers in facts that a state has replaced.
//
// Format: the number of authors, and for each one its id, the number of its last submission and its
// user; the number of facts with refusals or losses, and for each one its position, its length, and
// the fact without changes.

internal import Signals

/// The submissions that the facts of a partition have answered.
struct PartitionAnswers {
  struct Author {
    /// The number of the last submission.
    var number: UInt64 = 0
    var user = ""
  }

  private(set) var authors: [UInt64: Author] = [:]
  /// The last facts with refusals or losses, without their changes, and their positions.
  private(set) var notices: [(position: UInt64, fact: Fact)] = []

  init() {}

  /// Notes the fact at a position.
  mutating func note(_ fact: Fact, at position: UInt64) {
    if fact.author != 0 {
      authors[fact.author, default: Author()].number = fact.number
      if let user = fact.user { authors[fact.author]?.user = user }
    }
    if fact.refusal != nil || !fact.losses.isEmpty { notices.append((position, fact)) }
    if notices.count >= 2 * Self.noticeLimit { notices.removeFirst(Self.noticeLimit) }
  }

  /// Takes back the fact at a position, before which an author had other answers.
  mutating func takeBack(from position: UInt64, author: UInt64, to former: Author?) {
    if author != 0 { authors[author] = former }
    while let last = notices.last, last.position >= position { notices.removeLast() }
  }

  /// The number of facts with refusals or losses that are kept at least.
  private static let noticeLimit = 1_000

  /// Returns the answers to the authors of a replica that has the facts before a position.
  func answers(to replica: [UInt64], from position: UInt64) -> PartitionAnswers {
    var answers = PartitionAnswers()
    for author in replica { answers.authors[author] = authors[author] }
    // The replica knows its former authors.
    answers.notices = notices.filter { $0.position >= position }
    return answers
  }

  /// Returns the encoded answers to the authors of a replica alone, whose user may not read others.
  func ownAnswers(
    to replica: [UInt64], from position: UInt64
  ) throws(StoreFileError) -> [UInt8] {
    var answers = answers(to: replica, from: position)
    answers.notices = answers.notices.filter { replica.contains($0.fact.author) }
    var writer = ByteWriter()
    try answers.write(to: &writer)
    return writer.bytes
  }

  /// The answers as facts without changes.
  var facts: [Fact] {
    notices.map(\.fact) + authors.map { Fact(author: $0, number: $1.number, time: 0) }
  }

  func write(to writer: inout ByteWriter) throws(StoreFileError) {
    writer.writeVarint(UInt64(authors.count))
    for (id, author) in authors {
      writer.writeFixed(id)
      writer.writeVarint(author.number)
      writer.writeText(author.user)
    }
    writer.writeVarint(UInt64(notices.count))
    var names = ChangeWriter()
    for (position, fact) in notices {
      let bytes = try fact.encoded(with: ChangeSet(), &names)
      writer.writeVarint(position)
      writer.writeVarint(UInt64(bytes.count))
      writer.write(contentsOf: bytes)
    }
  }

  init(from reader: inout ByteReader) throws {
    for _ in 0..<(try reader.readCount(ofSize: 10)) {
      let id = try reader.readFixed64()
      authors[id] = Author(number: try reader.readVarint(), user: try reader.readText())
    }
    var names = ChangeReader()
    for _ in 0..<(try reader.readCount(ofSize: 2)) {
      let position = try reader.readVarint()
      let bytes = Array(try reader.readSlice(count: reader.readCount()))
      notices.append((position, try Fact.read(bytes, &names).fact))
    }
  }
}
