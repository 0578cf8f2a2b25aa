import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Changes as bytes, in messages and in the log.
@Suite @MainActor struct `Changes as bytes` {
  /// The changes that a commit makes.
  private func changes(in store: Store, _ body: () throws -> Void) throws -> ChangeSet {
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    try store.write { try body() }
    withExtendedLifetime(token) {}
    return all
  }

  private func submit(
    _ changes: ChangeSet, number: UInt64 = 1, _ writer: inout ReplicaMessageWriter
  ) -> [UInt8] {
    let submission = Submission(
      partition: "board=1", author: 1, number: number, base: 1_000, time: 1_795_000_000_000,
      changes: changes)
    return writer.submit(submission, to: 1)
  }

  @Test func `a change of one field takes at most 24 bytes and its value`() throws {
    let (store, board, card) = (Store(), makeBoard(1), makeCard(1))
    try store.add(board)
    board.cards.append(card)
    var writer = ReplicaMessageWriter(authors: [1])
    for number in UInt64(1)...1_000 {
      let text = "text \(number)"
      let commit = try changes(in: store) { card.text = text }
      let bytes = submit(commit, number: number, &writer)
      if number == 1 { continue }
      #expect(bytes.count <= 24 + text.utf8.count + 1)
    }
    var names = ChangeWriter()
    _ = try Fact(author: 7, number: 1, time: 0).encoded(
      with: changes(in: store) { card.text = "" }, &names)
    let fact = try Fact(author: 7, number: 1_000, time: 1_795_000_000_000).encoded(
      with: changes(in: store) { card.text = "x" }, &names)
    #expect(fact.count <= 24 + 2)
  }

  @Test func `an insertion in a list of 10,000 takes no more bytes than in one of 10`() throws {
    func size(_ count: Int, at place: (Int) -> Int) throws -> Int {
      let (store, board) = (Store(), makeBoard(1))
      try store.add(board)
      let cards = (0..<count).map { makeCard($0) }
      board.cards = List(cards)
      var writer = ReplicaMessageWriter(authors: [1])
      _ = submit(try changes(in: store) { board.cards.append(makeCard(-1)) }, &writer)
      let commit = try changes(in: store) { board.cards.insert(makeCard(-2), at: place(count)) }
      return submit(commit, &writer).count
    }
    let ends = (try size(10) { $0 + 1 }, try size(10_000) { $0 + 1 })
    #expect(ends.1 <= ends.0 + 4)
    // The ids of the object and of at most 11 neighbors and members.
    let counter = UInt64(makeCard(0).objectID.counter)
    let id = 1 + max(1, (63 - counter.leadingZeroBitCount) / 7 + 1)
    #expect(ends.1 <= 50 + 3 * id)
    #expect(try size(10_000) { $0 / 2 } <= 60 + 15 * id)
  }

  @Test func `a commit that was read is the same`() throws {
    let (store, board) = (Store(), makeBoard(1, "a"))
    try store.add(board)
    var (writer, reader) = (ChangeWriter(), ChangeReader())
    let copy = Store()
    let old = makeCard(9)
    let steps: [() throws -> Void] = [
      { try store.add(makeBoard(2)) },
      { board.cards = List((0..<5).map { makeCard($0, "ä\($0)") }) },
      { board.cards.append(old) },
      {
        board.best = board.cards[1]
        board.title = ""
      },
      {
        board.best = nil
        board.visits -= 3
        board.read = 7
      },
      { board.cards.move(fromOffsets: [0, 3], toOffset: 5) },
      { board.notes = [makeNote("n")] },
      { board.cards.insert(board.cards[0], at: 2) },
      { board.cards.remove(at: 0) },
      { board.notes[0].text = "m" },
      { try store.delete(old) },
      { try store.delete(board) },
    ]
    func apply(_ commit: ChangeSet) throws {
      var bytes = ByteWriter()
      try writer.write(commit, to: &bytes)
      var source = ByteReader(bytes.bytes)
      let (read, unknown) = try reader.read(&source)
      #expect(source.isAtEnd && unknown == nil)
      var changes: [ObjectChange] = []
      for change in read { changes.append(change.change(in: copy)) }
      let report = try copy.apply(ChangeSet(changes, origin: nil), onConflict: .theirs)
      #expect(report.isClean)
      let (new, expected) = (contents(copy), contents(store))
      #expect(new == expected)
    }
    try apply(Store().snapshot().changes(to: store.snapshot()))
    for step in steps { try apply(try changes(in: store, step)) }
    // A reader that begins in the middle has the names.
    var bytes = ByteWriter()
    writer.writeNames(to: &bytes)
    var source = ByteReader(bytes.bytes)
    var other = try ChangeReader(namesFrom: &source)
    var more = ByteWriter()
    try writer.write(try changes(in: store) { try store.add(makeCard(99)) }, to: &more)
    source = ByteReader(more.bytes)
    #expect(try other.read(&source).changes.count == 1 && source.isAtEnd)
  }

  @Test func `a class or property that the server lacks is named, and the submission refused`()
    async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    var refusals: [String] = []
    let token = one.refusals.sink { refusals.append($0.reason) }
    // A later version has the property under a name that this one lacks.
    for (name, other) in [("votes", "stars"), ("Card", "Cord")] {
      sharing.connections[0]?.isHeld = true
      try one.store.add(makeCard(refusals.count))
      sharing.connections[0]?.replace(name, by: other)
      await sharing.settle()
      sharing.connect(0)
      await sharing.settle()
    }
    #expect(refusals == ["the server lacks Card.stars", "the server lacks Cord"])
    #expect(one.store.results(Card.self).isEmpty && one.pendingCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `a class that is described falsely is an error, or unknown`() throws {
    var bytes = ByteWriter()
    bytes.writeVarint(1)
    bytes.writeVarint(ChangeForm.inserted.rawValue)
    let schema = Schema(of: Card.self)
    let name = ClassName(Card.self)
    // It says that its objects can be skipped, and that a text is a link.
    bytes.writeText(name.name)
    bytes.writeText(name.symbol)
    bytes.write(1)
    bytes.write(0)
    bytes.writeVarint(0)
    bytes.writeVarint(UInt64(schema.encodedProperties.count))
    for property in schema.encodedProperties {
      bytes.writeText(property.name)
      bytes.write(1)
    }
    bytes.writeVarint(1)
    bytes.writeFixed(UInt64(5))
    bytes.writeVarint(1)
    for _ in schema.encodedProperties { bytes.writeVarint(0) }
    var (reader, source) = (ChangeReader(), ByteReader(bytes.bytes))
    let read = try reader.read(&source)
    #expect(read.changes.isEmpty && read.unknown == "Card" && reader.hasUnknown)
  }

  @Test func `a property that is changed twice is an error`() throws {
    let (store, board) = (Store(), makeBoard(1))
    try store.add(board)
    let commit = try changes(in: store) { board.title = "x" }
    let change = try #require(commit.changes.first)
    let twice = ObjectChange(
      id: change.id, kind: .modified, properties: change.properties + change.properties,
      type: Board.self)
    var (writer, bytes) = (ChangeWriter(), ByteWriter())
    try writer.write(ChangeSet([twice], origin: nil), to: &bytes)
    var (reader, source) = (ChangeReader(), ByteReader(bytes.bytes))
    #expect(throws: SyncMessageError.self) { try reader.read(&source) }
  }

  @Test(arguments: seeds(4))
  func `damaged changes give an error or changes, and never trap`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (store, board) = (Store(), makeBoard(1, "a"))
    try store.add(board)
    var writer = ChangeWriter()
    var all = ByteWriter()
    try writer.write(Store().snapshot().changes(to: store.snapshot()), to: &all)
    board.cards = List((0..<5).map { makeCard($0, "ä\($0)") })
    try writer.write(
      try changes(in: store) {
        board.cards.move(fromOffsets: [0, 3], toOffset: 5)
        board.cards.insert(makeCard(7), at: 3)
        board.visits += 1
        board.best = board.cards[0]
      }, to: &all)
    for _ in 0..<damageCount {
      var bytes = all.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) {
        bytes.removeLast(.random(in: 0..<bytes.count, using: &random))
      }
      let copy = Store(store.snapshot())
      var (reader, source) = (ChangeReader(), ByteReader(bytes))
      while !source.isAtEnd, let read = try? reader.read(&source) {
        let changes = read.changes.map { $0.change(in: copy) }
        if Set(changes.map(\.id)).count < changes.count { break }
        _ = try? copy.apply(ChangeSet(changes, origin: nil), onConflict: .theirs)
      }
      #expect(copy.brokenInvariants() == [])
    }
  }
}

private let damageCount = runLength(usually: 1_000)

extension SyncConnection {
  /// Replaces a name by another one of its length in the messages that wait.
  fileprivate func replace(_ name: String, by other: String) {
    let (name, other) = (Array(name.utf8), Array(other.utf8))
    toServer.waiting = toServer.waiting.map { $0.replacing(name, with: other) }
  }
}
