import Signals
import TestSupport

/// A live result of either class.
enum ModelResults {
  case books(Results<ModelBook>)
  case novels(Results<ModelNovel>)

  var count: Int {
    switch self {
    case .books(let results): results.count
    case .novels(let results): results.count
    }
  }

  var array: [ModelBook] {
    switch self {
    case .books(let results): Array(results)
    case .novels(let results): results.map { $0 }
    }
  }

  func position(of book: ModelBook) -> Int? {
    switch self {
    case .books(let results): results.firstIndex(of: book)
    case .novels(let results): (book as? ModelNovel).flatMap { results.firstIndex(of: $0) }
    }
  }

  func filtered(_ filter: ModelFilter, _ signals: ModelSignals) -> ModelResults {
    switch self {
    case .books(let results):
      .books(results.where { [unowned signals] in filter.holds($0, signals, nil) })
    case .novels(let results):
      .novels(results.where { [unowned signals] in filter.holds($0, signals, nil) })
    }
  }
}

/// A query, what it should show, and who follows it.
final class ModelQuery {
  private unowned let world: ResultsWorld
  private let filters: [ModelFilter]
  private let keys: [ModelKey]
  private let novelsOnly: Bool
  let results: ModelResults
  private var observers: [ModelObserver] = []
  private var effect: Effect?
  private var effectRows: [ModelBook] = []
  private var before: [ModelBook: (own: ModelOwn, trace: ModelTrace)] = [:]

  init(_ world: ResultsWorld, filters: [ModelFilter], keys: [ModelKey], novelsOnly: Bool) {
    self.world = world
    self.filters = filters
    self.keys = keys
    self.novelsOnly = novelsOnly
    var made: ModelResults =
      if novelsOnly {
        .novels(keys.reduce(world.store.results(ModelNovel.self)) { $1.sortNovels($0) })
      } else {
        .books(keys.reduce(world.store.results(ModelBook.self)) { $1.sort($0) })
      }
    for filter in filters { made = made.filtered(filter, world.signals) }
    results = made
  }

  private init(wider: ModelQuery, filter: ModelFilter) {
    world = wider.world
    filters = wider.filters + [filter]
    keys = wider.keys
    novelsOnly = wider.novelsOnly
    results = wider.results.filtered(filter, wider.world.signals)
  }

  func narrowed(by filter: ModelFilter) -> ModelQuery { ModelQuery(wider: self, filter: filter) }

  /// What the results should be: the last sort decides, and the ones before it break ties.
  var expected: [ModelBook] {
    let members = world.stored.filter { book in
      (!novelsOnly || book is ModelNovel)
        && filters.allSatisfy { $0.holds(book, world.signals, ModelTrace()) }
    }
    return members.enumerated().sorted { left, right in
      for key in keys.reversed() {
        if key.isBefore(left.element, right.element) { return true }
        if key.isBefore(right.element, left.element) { return false }
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  // MARK: - Modifications

  /// Tells the observers which rows a commit has modified.
  func noteCommit() {
    let known = before
    before = [:]
    if observers.isEmpty { return }
    for book in world.stored where !novelsOnly || book is ModelNovel {
      let own = ModelOwn(book)
      if let known = known[book] {
        for observer in observers {
          observer.note(book, was: known.own, isNow: own, elsewhere: known.trace.hasChanged)
        }
      }
      let trace = ModelTrace()
      if filters.allSatisfy({ $0.holds(book, world.signals, trace) }) {
        for key in keys { key.read(book, trace) }
      }
      before[book] = (own, trace)
    }
  }

  // MARK: - Followers

  func addObserver(canWrite: Bool) {
    noteCommit()
    let observer = ModelObserver(rows: expected)
    observers.append(observer)
    noteCommit()
    switch results {
    case .books(let results):
      observer.token = results.observe { [unowned self, unowned observer] change in
        world.willCall(canWrite: false)
        receive(change, observer)
        if canWrite { world.willCall(canWrite: true) }
      }
    case .novels(let results):
      observer.token = results.observe { [unowned self, unowned observer] change in
        world.willCall(canWrite: false)
        receive(change, observer)
        if canWrite { world.willCall(canWrite: true) }
      }
    }
  }

  func addEffect() {
    var isFirst = true
    effect = Effect { [unowned self] in
      let rows = results.array
      if !isFirst, rows == effectRows { fail("an effect ran for nothing") }
      isFirst = false
      effectRows = rows
    }
  }

  func dropOne() {
    if world.below(3) == 0 {
      effect = nil
    } else if !observers.isEmpty {
      observers.remove(at: world.below(observers.count))
    }
  }

  // MARK: - Checks

  private func fail(_ message: String) {
    world.fail(
      "\(novelsOnly ? "novels" : "books") \(filters.map(\.name)) \(keys.map(\.name)): \(message)")
  }

  private func receive<Book: ModelBook>(_ change: CollectionChange<Book>, _ observer: ModelObserver)
  {
    let old = observer.rows
    let new = expected
    var applied = old.map { $0 as! Book }
    change.apply(to: &applied)
    if applied as [ModelBook] != new {
      fail("the change \(change) does not lead to the new rows")
    }
    if change.isEmpty { fail("an empty change") }
    check(change.deletions.map { old[$0] }, Set(old).subtracting(new), "deletions")
    check(change.insertions.map { new[$0] }, Set(new).subtracting(old), "insertions")
    let staying = Set(old).intersection(new)
    check(
      change.modifications.map { new[$0.new] }, observer.modified().intersection(staying),
      "modifications")
    for pair in change.modifications + change.moves where old[pair.old] !== new[pair.new] {
      fail("\(pair) names two rows")
    }
    observer.rows = new
    observer.forget()
  }

  private func check(_ found: [ModelBook], _ expected: Set<ModelBook>, _ what: String) {
    if found.count != expected.count || Set(found) != expected {
      fail("\(what): \(found.map(\.objectID)) instead of \(expected.map(\.objectID))")
    }
  }

  func checkRows() {
    let expected = expected
    let rows = results.array
    if rows != expected {
      fail("rows \(rows.map(\.objectID)) instead of \(expected.map(\.objectID))")
    }
    if results.count != expected.count { fail("a wrong count") }
    guard !world.books.isEmpty else { return }
    let book = world.books[world.below(world.books.count)]
    if results.position(of: book) != expected.firstIndex(of: book) {
      fail("a wrong position")
    }
  }

  /// Everybody has been told of everything.
  func checkSettled() {
    let expected = expected
    for observer in observers {
      if observer.rows != expected { fail("an observer was not told of new rows") }
      if !observer.modified().isDisjoint(with: expected) {
        fail("an observer was not told of modifications")
      }
      observer.forget()
    }
    if effect != nil, effectRows != expected { fail("an effect did not run") }
    if world.below(3) == 0 { checkRows() }
  }
}

/// One observer and what it knows.
final class ModelObserver {
  var rows: [ModelBook]
  var token: (any Cancellable)?
  /// What books were when it last looked, of those that changed since.
  private var seen: [ModelBook: ModelOwn] = [:]
  /// Books about which something decides that changed on others.
  private var elsewhere: Set<ModelBook> = []

  init(rows: [ModelBook]) { self.rows = rows }

  /// The books that are not what it saw: what came back to it in between is not modified.
  func modified() -> Set<ModelBook> {
    elsewhere.union(seen.filter { $0.value != ModelOwn($0.key) }.keys)
  }

  func note(_ book: ModelBook, was old: ModelOwn, isNow new: ModelOwn, elsewhere isElsewhere: Bool)
  {
    if old != new, seen[book] == nil { seen[book] = old }
    if isElsewhere { elsewhere.insert(book) }
  }

  func forget() {
    seen = [:]
    elsewhere = []
  }
}
