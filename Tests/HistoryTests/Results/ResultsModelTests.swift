import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random graphs, queries, observers and effects against naive recomputation.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Results against a model` {
  static let steps = runLength(usually: 400)

  @Test(arguments: seeds(4))
  func `rows, changes, modifications and effects are those of a naive recomputation`(seed: UInt64) {
    run(seed: seed, books: 22, steps: Self.steps * 49 / 200)
  }

  /// So many rows that what they share is followed once, and that results nobody looks at start anew.
  @Test(arguments: seeds(2, from: 101))
  func `so they are where many rows read one thing`(seed: UInt64) {
    run(seed: seed, books: 90, steps: Self.steps / 100)
  }

  private func run(seed: UInt64, books: Int, steps: Int) {
    let nodes = ReactiveGraph.liveNodes
    let edges = ReactiveGraph.liveEdges
    var done = 0
    while done < steps {
      let worldSeed = seed &+ UInt64(done) &* 1000
      let world = ResultsWorld(seed: worldSeed, books: books)
      for step in 0..<min(300, steps - done) where world.failures.isEmpty {
        world.step()
        for failure in world.failures.prefix(3) {
          Issue.record("seed \(worldSeed), \(books) books, step \(step): \(failure)")
        }
      }
      world.end()
      if !world.failures.isEmpty { return }
      done += 300
    }
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
  }
}

/// A store, queries on it, and what they should show.
final class ResultsWorld {
  struct Failed: Error {}

  private var random: SeededRandom
  let store = Store(undoLimit: 12)
  let signals = ModelSignals()
  private(set) var books: [ModelBook] = []
  private var writers: [ModelWriter] = []
  private var shelf = ModelShelf()
  private var numbers: [ModelBook: Int] = [:]
  private var lastNumber = 0
  private var queries: [ModelQuery] = []
  private(set) var writesLeft = 0
  private(set) var calls = 0
  private var description = ""
  private(set) var failures: [String] = []

  init(seed: UInt64, books count: Int) {
    random = SeededRandom(seed: seed)
    try? store.write {
      try store.add(shelf)
      for _ in 0..<5 { try addWriter() }
      for _ in 0..<count { try addBook() }
    }
    signals.inner = store.results(ModelBook.self).where { $0.pages > 4 }
    signals.world = self
    noteCommit()
    // A short history has queries with several sort keys, too.
    for _ in 0..<4 { addQuery() }
  }

  func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  func fail(_ message: String) { failures.append("\(message) after: \(description)") }

  /// The books in the store, in the order in which they were added.
  var stored: [ModelBook] {
    books.lazy.filter { $0.store === self.store }
      .map { (number: self.numbers[$0, default: 0], book: $0) }
      .sorted { $0.number < $1.number }
      .map(\.book)
  }

  // MARK: - Steps

  func step() {
    calls = 0
    writesLeft = 2
    description = ""
    var isRolledBack = false
    switch below(20) {
    case 0: addQuery()
    case 1:
      if !queries.isEmpty { queries[below(queries.count)].addObserver(canWrite: below(3) == 0) }
    case 2: if !queries.isEmpty { queries[below(queries.count)].dropOne() }
    case 3: if queries.count > 4 { queries.remove(at: below(queries.count)) }
    case 4:
      note("undo")
      _ = try? store.undo()
    case 5:
      note("signal")
      changeSignal()
    case 6:
      note("batch")
      batch {
        changeSignal()
        try? edit()
        changeSignal()
        if below(2) == 0 { checkSome() }
        try? edit()
      }
    case 7: try? edit()
    default: isRolledBack = transact()
    }
    noteCommit()
    if isRolledBack, calls > 0 { fail("\(calls) calls for a transaction that was rolled back") }
    for query in queries { query.checkSettled() }
  }

  func end() {
    queries = []
    signals.inner = nil
    signals.world = nil
  }

  private func note(_ what: String) { description += what + "; " }

  private func transact() -> Bool {
    let before = numbers
    let fails = below(4) == 0
    note("write\(fails ? " that throws" : "")")
    do {
      try store.write {
        for _ in 0..<(below(4) + 1) {
          if below(5) == 0 { nest() } else { try edit() }
          if below(3) == 0 { checkSome() }
        }
        if fails { throw Failed() }
      }
    } catch { numbers = before }
    return fails
  }

  private func nest() {
    let before = numbers
    let fails = below(2) == 0
    note("nested write\(fails ? " that throws" : "")")
    do {
      try store.write {
        for _ in 0..<(below(3) + 1) {
          try edit()
          if below(3) == 0 { checkSome() }
        }
        if fails { throw Failed() }
      }
    } catch { numbers = before }
  }

  func changeSignal() {
    if below(2) == 0 { signals.limit.value = below(8) } else { signals.flag.value.toggle() }
  }

  /// Changes one thing.
  func edit() throws {
    if below(12) == 0 || books.isEmpty { return try addBook() }
    let book = books[below(books.count)]
    if book.store !== store { return }
    let value = below(10)
    let kind = below(12)
    note("edit \(kind) of \(book.objectID) \(value)")
    switch kind {
    case 0, 1: book.pages = value
    case 2: book.title = ["a", "b", "c", "dd", "é", "e\u{301}"][value % 6]
    case 3: book.rating = value == 0 ? nil : Double(value % 3)
    case 4, 5: if book.store === store { book.writer = value == 0 ? nil : anyWriter() }
    case 6: if book.store === store, let writer = anyWriter() { book.tags.append(writer) }
    case 7: if !book.tags.isEmpty { book.tags.remove(at: 0) }
    case 8: if book.store === store, books.count > 8 { try store.delete(book) }
    case 9:
      if shelf.books.contains(book) {
        shelf.books.remove(book)
      } else if book.store === store {
        shelf.books.append(book)
      }
    case 10:
      if value == 0, let writer = anyWriter() { try store.delete(writer) }
      if value == 1 { try addWriter() }
    default: anyWriter()?.name = ["A", "B", "C"][value % 3]
    }
  }

  private func anyWriter() -> ModelWriter? {
    let writer = writers[below(writers.count)]
    return writer.store === store ? writer : nil
  }

  private func addWriter() throws {
    let writer = ModelWriter()
    writer.name = ["A", "B", "C"][below(3)]
    writers.append(writer)
    try store.add(writer)
  }

  private func addBook() throws {
    let book = below(3) == 0 ? ModelNovel() : ModelBook()
    note("add \(book.objectID)")
    book.pages = below(10)
    book.title = ["a", "b", "c"][below(3)]
    if !writers.isEmpty { book.writer = anyWriter() }
    books.append(book)
    lastNumber += 1
    numbers[book] = lastNumber
    // Those that are gone for good make room.
    if books.count > 200, let index = books.firstIndex(where: { $0.store == nil }) {
      books.remove(at: index)
    }
    try store.add(book)
  }

  // MARK: - Queries

  private func addQuery() {
    if queries.count >= 6 { return }
    if below(3) == 0, !queries.isEmpty {
      let wider = queries[below(queries.count)]
      if below(2) == 0 { _ = wider.results.count }
      let filter = ModelFilter.all[below(ModelFilter.all.count)]
      queries.append(wider.narrowed(by: filter))
    } else {
      let filters = (0..<below(3)).map { _ in ModelFilter.all[below(ModelFilter.all.count)] }
      let keys = (0..<below(4)).map { _ in ModelKey.all[below(ModelKey.all.count)] }
      queries.append(ModelQuery(self, filters: filters, keys: keys, novelsOnly: below(4) == 0))
    }
    guard let query = queries.last else { return }
    if below(2) == 0 { query.addObserver(canWrite: below(3) == 0) }
    if below(2) == 0 { query.addEffect() }
    query.noteCommit()
  }

  /// Reads some results, perhaps in the middle of a transaction.
  func checkSome() {
    note("check")
    for query in queries where below(2) == 0 { query.checkRows() }
  }

  /// A commit has been sealed since the last call, or none.
  func noteCommit() {
    for query in queries { query.noteCommit() }
  }

  func willCall(canWrite: Bool) {
    calls += 1
    noteCommit()
    if canWrite, writesLeft > 0, below(2) == 0 {
      writesLeft -= 1
      note("observer")
      for _ in 0...below(2) { try? edit() }
      if below(3) == 0 { changeSignal() }
      if below(3) == 0 { checkSome() }
    }
  }
}
