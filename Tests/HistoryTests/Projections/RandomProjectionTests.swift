import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories, after each step of which every projection is compared with what a plain function
/// reads from the objects, or read just before they were deleted.
@Suite struct `Projections, random histories` {
  @Test(arguments: seeds(6))
  func `every projection shows what was computed afresh`(seed: UInt64) throws {
    // A step checks all projections that there ever were, so a longer history begins again.
    var done = 0
    while done < projectionSteps {
      let worldSeed = seed &+ UInt64(done) &* 1000
      let model = ProjectionModel(seed: worldSeed)
      let length = min(300, projectionSteps - done)
      for step in 0..<length {
        try model.step()
        let broken = model.check()
        #expect(broken == [], "seed \(worldSeed), step \(step)")
        if !broken.isEmpty { return }
      }
      #expect(model.store.brokenInvariants() == [])
      done += length
    }
  }
}

private let projectionSteps = runLength(usually: 120)

/// What a row shows, read without projections.
private struct PlainNovel: Equatable {
  var name: String
  var author: String?
  var label: String
  var tagCount: Int
  var writer: String?
  var place: String?

  init(_ novel: Novel) {
    name = novel.name
    author = novel.author?.name
    label = novel.label
    tagCount = novel.tags.count
    writer = novel.author?.name
    place = novel.shelves.first?.place
  }

  init(_ row: NovelRow) {
    name = row.name
    author = row.author
    label = row.label
    tagCount = row.tagCount
    writer = row.author == nil ? nil : row.writer?.root.name
    place = row.place
  }
}

private struct PlainShelf: Equatable {
  var keys: [Int]
  var count: Int
  var bestAuthor: String?
  var first: String?
  var pages: Int

  init(_ shelf: Shelf) {
    keys = shelf.novels.map(\.key)
    count = shelf.novels.count
    bestAuthor = shelf.best?.author?.name
    first = shelf.novels.first?.name
    pages = shelf.pageSum
  }

  init(_ card: ShelfCard) {
    keys = card.novels.map(\.root.key)
    count = card.count
    bestAuthor = card.bestAuthor
    first = card.first
    pages = card.pageSum
  }
}

private struct PlainLoan: Equatable {
  var name: String
  var reader: String?

  init(_ novel: Novel, _ writer: Writer) { (name, reader) = (novel.name, writer.name) }
  init(_ loan: Loan) { (name, reader) = (loan.name, loan.reader) }
}

/// Projections of everything that ever was, and what they are to show.
private final class ProjectionModel {
  let store = Store(undoLimit: 12)
  private var random: SeededRandom
  private var rows: [NovelRow] = []
  private var cards: [ShelfCard] = []
  private var writers: [Writer] = []
  private var loans: [Loan] = []
  private var kept = Kept()
  private var seen: [Novel: (author: String?, title: String)] = [:]
  private var tokens: [any Cancellable] = []
  private var problems: [String] = []
  private var sorted: Results<NovelRow>
  private var mirror: [NovelRow] = []
  private var feed: [Int: String] = [:]

  /// What was there before deletions.
  private struct Kept {
    var novels: [Novel: PlainNovel] = [:]
    var shelves: [Shelf: PlainShelf] = [:]
    var loans: [Int: PlainLoan] = [:]
  }

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    sorted = store.results(Novel.self).projected(to: NovelRow.self)
      .where { $0.author != "B" }.sorted(by: \.name, order: .descending).sorted(by: \.author)
    tokens.append(sorted.observe { [unowned self] in $0.apply(to: &mirror) })
  }

  func step() throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: if store.canUndo { try replay { try store.undo() } }
    case 2: if store.canRedo { try replay { try store.redo() } }
    case 3:
      let before = kept
      try? store.write {
        for _ in 0..<3 { try edit() }
        throw Refusal()
      }
      kept = before
      forgetUnstored()
    case 4, 5: try store.write { for _ in 0..<4 { try edit() } }
    default: try edit()
    }
  }

  /// What undo and redo delete keeps the values from before them.
  private func replay(_ body: () throws -> Void) throws {
    for row in rows { keep(row.root) }
    for card in cards { keep(card.root) }
    for writer in writers { keep(writer) }
    do { try body() } catch is StoreError {}
  }

  private func keep(_ object: Object) {
    guard object.store != nil else { return }
    if let novel = object as? Novel { kept.novels[novel] = PlainNovel(novel) }
    if let shelf = object as? Shelf { kept.shelves[shelf] = PlainShelf(shelf) }
    for (index, loan) in loans.enumerated() {
      guard let reader = loan.root.reader, loan.root.novel === object || reader === object,
        loan.root.novel.store != nil, reader.store != nil
      else { continue }
      kept.loans[index] = PlainLoan(loan.root.novel, reader)
    }
  }

  private func forgetUnstored() {
    // What was added by a transaction that failed was never there.
    rows.removeAll { $0.root.store == nil && !$0.isDeleted }
    cards.removeAll { $0.root.store == nil && !$0.isDeleted }
    writers.removeAll { $0.store == nil && !$0.isDeleted }
    loans.removeAll { loan in
      [loan.root.novel, loan.root.reader!].contains { $0.store == nil && !$0.isDeleted }
    }
  }

  private func any<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &random)
  }

  private func edit() throws {
    let novel = any(rows.map(\.root).filter { $0.store != nil })
    let writer = any(writers.filter { $0.store != nil })
    let shelf = any(cards.map(\.root).filter { $0.store != nil })
    let text = any(["A", "B", "C", "D"]) ?? ""
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: try addNovel(text)
    case 2: try addWriter(text)
    case 3: if let shelf, cards.count > 3 { try delete(shelf) } else { try addShelf(text) }
    case 4: if let novel { try delete(novel) }
    case 5: if let writer { try delete(writer) }
    case 6: novel?.author = writer
    case 7: novel?.name = text
    case 8: writer?.name = text
    case 9: novel?.tags.append(text)
    case 10: if let novel { shelf?.novels.append(novel) }
    case 11: if let shelf, !shelf.novels.isEmpty { shelf.novels.remove(at: 0) }
    case 12: shelf?.best = novel
    default: if let row = any(rows.filter { $0.root.store != nil }) { row.name += text }
    }
  }

  private func delete(_ object: Object) throws {
    keep(object)
    try store.delete(object)
  }

  private func addNovel(_ name: String) throws {
    let novel = makeNovel(Int.random(in: 0..<1_000_000_000, using: &random), name, pages: 5)
    try store.add(novel)
    let row = NovelRow.shared(for: novel)
    rows.append(row)
    seen[novel] = (row.author, row.title)
    tokens.append(
      row.observe { [unowned self] change in
        let old = (change.old(\.author), change.old(\.title))
        guard let last = seen[novel], last == old else { return problems.append("old \(old)") }
        seen[novel] = (change.new(\.author), change.new(\.title))
      })
    tokens.append(
      store.viewModels(of: Novel.self, primaryKey: novel.key) {
        $0.label + ($0.author?.name ?? "-")
      }
      .sink { [unowned self] in feed[novel.key] = $0 ?? "gone" })
    if let writer = any(writers.filter { $0.store != nil }) {
      loans.append(.shared(for: .init(novel: novel, reader: writer)))
    }
  }

  private func addWriter(_ name: String) throws {
    let writer = Writer()
    writer.name = name
    try store.add(writer)
    writers.append(writer)
  }

  private func addShelf(_ place: String) throws {
    let shelf = makeShelf("\(place)\(Int.random(in: 0..<1_000_000_000, using: &random))")
    try store.add(shelf)
    cards.append(.shared(for: shelf))
  }

  func check() -> [String] {
    var broken = problems
    for row in rows {
      let novel = row.root
      let expected = novel.isDeleted ? kept.novels[novel] : PlainNovel(novel)
      let shown = PlainNovel(row)
      if var expected {
        // A target that was deleted later keeps its own last values.
        if novel.isDeleted { expected.writer = shown.writer }
        if shown != expected {
          broken.append("\(shown), not \(expected), deleted \(novel.isDeleted)")
        }
      } else {
        broken.append("nothing kept of \(novel.objectID)")
      }
      if row.isDeleted != novel.isDeleted { broken.append("isDeleted of \(novel.objectID)") }
      if let last = seen[novel], last != (row.author, row.title) {
        broken.append("observed \(last), shows \(row.title)")
      }
      let present = novel.isDeleted ? "gone" : novel.label + (novel.author?.name ?? "-")
      if let sent = feed[novel.key], sent != present {
        broken.append("fed \(sent), not \(present)")
      }
      if !novel.isDeleted, NovelRow.shared(for: novel) !== row { broken.append("not shared") }
    }
    for card in cards {
      let shelf = card.root
      let expected = shelf.isDeleted ? kept.shelves[shelf] : PlainShelf(shelf)
      let shown = PlainShelf(card)
      if shown != expected { broken.append("\(shown), not \(String(describing: expected))") }
    }
    for (index, loan) in loans.enumerated() {
      guard let reader = loan.root.reader else { continue }
      let isGone = loan.root.novel.isDeleted || reader.isDeleted
      let expected = isGone ? kept.loans[index] : PlainLoan(loan.root.novel, reader)
      if PlainLoan(loan) != expected || loan.isDeleted != isGone { broken.append("loan \(index)") }
    }
    if mirror != Array(sorted) { broken.append("the mirror of the sorted rows") }
    let novels = store.results(Novel.self).filter { $0.author?.name != "B" }
    if Set(sorted.map(\.root)) != Set(novels) { broken.append("the members of the sorted rows") }
    for (one, next) in zip(sorted, sorted.dropFirst())
    where (one.author ?? "", next.name) > (next.author ?? "", one.name) {
      broken.append("the order of the rows")
    }
    return broken
  }
}
