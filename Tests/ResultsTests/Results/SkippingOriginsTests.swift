import Signals
import SignalsTesting
import TestSupport
import Testing

/// Observers of live collections that are not told of the commits of some origins.
@Suite struct `Skipping origins` {
  let store = Store()

  @Test func `a table moved by the user is not moved once more, and stays right`() throws {
    let tales = try store.addTales(0..<5)
    let shelf = TaleShelf()
    shelf.novels = List(tales)
    try store.add(shelf)
    let byPages = store.results(Tale.self).sorted(by: \.pages)
    let sections = byPages.sectioned { $0.pages / 3 }
    var table = Array(byPages)
    var list = Array(shelf.novels)
    var groups = sections.contents
    var told = 0
    let tokens: [any Cancellable] = [
      byPages.observe(skipping: ["drag"]) { change in
        change.apply(to: &table)
        told += 1
      },
      shelf.changes(of: \.novels, skipping: ["drag"]).sink { change in
        change.apply(to: &list)
        told += 1
      },
      sections.observe(skipping: ["drag"]) { change in
        change.apply(to: &groups)
        told += 1
      },
    ]
    for round in 0..<3 {
      try store.write(origin: "drag") {
        tales[0].pages = 7 + round
        shelf.novels.move(fromOffsets: [0], toOffset: 3)
      }
      // The user's hand has done it.
      table = Array(byPages)
      list = Array(shelf.novels)
      groups = sections.contents
    }
    #expect(told == 0)
    try store.write {
      tales[1].pages = 10
      shelf.novels.append(tales[2])
    }
    #expect(told == 3)
    #expect(table == Array(byPages))
    #expect(list == Array(shelf.novels))
    #expect(groups == sections.contents)
    tokens.forEach { $0.cancel() }
  }

  @Test func `another commit before or after it is told`() throws {
    let tales = try store.addTales(0..<3)
    let rows = store.results(Tale.self).sorted(by: \.pages)
    var changes: [CollectionChange<Tale>] = []
    let token = rows.observe(skipping: ["drag", .undo]) { changes.append($0) }
    try store.write(origin: "drag") { tales[0].pages = 9 }
    #expect(changes.isEmpty)
    try store.write(origin: "other") { tales[0].pages = 1 }
    #expect(changes.count == 1 && changes[0].moves == [.init(old: 2, new: 0)])
    try store.undo()
    #expect(changes.count == 1)
    tales[1].title = "x"
    #expect(changes.count == 2 && changes[1].modifications == [.init(old: 0, new: 0)])
    #expect(changes[1].moves.isEmpty)
    token.cancel()
  }

  @Test func `what an effect makes of a skipped commit is told from there`() throws {
    let tales = try store.addTales(0..<3)
    let rows = store.results(Tale.self).sorted(by: \.pages)
    var table = Array(rows)
    var changes: [CollectionChange<Tale>] = []
    let token = rows.observe(skipping: ["drag"]) { change in
      changes.append(change)
      change.apply(to: &table)
    }
    let effect = Effect { if tales[0].pages == 9 { tales[1].pages = 10 } }
    // The user's hand moves the first row to the end.
    table = [tales[1], tales[2], tales[0]]
    try store.write(origin: "drag") { tales[0].pages = 9 }
    #expect(changes.count == 1 && changes[0].moves == [.init(old: 0, new: 2)])
    #expect(changes[0].modifications == [.init(old: 0, new: 2)])
    #expect(table == Array(rows))
    effect.cancel()
    token.cancel()
  }

  @Test func `rows that read elsewhere what was skipped are not modified`() throws {
    let tales = try store.addTales(0..<3)
    let poet = Teller()
    tales[0].poet = poet
    let rows = store.results(Tale.self).where { $0.poet?.name != "x" }
    var (modified, all) = (0, 0)
    let token = rows.observe(skipping: ["drag"]) { modified += $0.modifications.count }
    let other = rows.observe { all += $0.modifications.count }
    try store.write(origin: "drag") { poet.name = "a" }
    #expect(modified == 0 && all == 1)
    poet.name = "b"
    #expect(modified == 1 && all == 2)
    token.cancel()
    other.cancel()
  }

  @Test func `what is not of the origin's commit is told with it`() throws {
    let tales = try store.addTales(0..<3)
    let limit = Signal(0)
    let rows = store.results(Tale.self).where { $0.pages >= limit.value }
    var changes: [CollectionChange<Tale>] = []
    let token = rows.observe(skipping: ["drag"]) { changes.append($0) }
    try batch {
      limit.value = 1
      try store.write(origin: "drag") { tales[2].title = "x" }
    }
    #expect(changes.count == 1 && changes[0].deletions == [0])
    struct Failed: Error {}
    try? store.write(origin: "drag") {
      tales[2].pages = 0
      throw Failed()
    }
    #expect(changes.count == 1)
    tales[2].pages = 5
    #expect(changes.count == 2)
    token.cancel()
    try store.write(origin: "drag") { tales[1].pages = 0 }
    #expect(changes.count == 2)
  }

  /// Random commits of two origins: the copy of an observer that skips one is right once its owner has made that
  /// change itself.
  @Test(arguments: firstSeed...(firstSeed + 3))
  func `the next change always leads from what was skipped`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var tales = try store.addTales(0..<8)
    let rows = store.results(Tale.self).where { $0.pages > 1 }.sorted(by: \.pages)
    let sections = rows.sectioned(by: \.title.count)
    var (table, groups) = (Array(rows), sections.contents)
    var told = 0
    let tokens: [any Cancellable] = [
      rows.observe(skipping: ["drag"]) { change in
        change.apply(to: &table)
        told += 1
      },
      sections.observe(skipping: ["drag"]) { change in
        change.apply(to: &groups)
        told += 1
      },
    ]
    for step in 0..<runLength(usually: 400) {
      let isDrag = Bool.random(using: &random)
      told = 0
      try store.write(origin: isDrag ? "drag" : "other") {
        for _ in 0...Int.random(in: 0..<3, using: &random) {
          guard let tale = tales.filter({ !$0.isDeleted }).randomElement(using: &random) else {
            continue
          }
          switch Int.random(in: 0..<6, using: &random) {
          case 0: tale.title += "x"
          case 1: tale.title = "y"
          case 2 where tales.count < 60: tales += try store.addTales([3])
          case 3 where tales.count { !$0.isDeleted } > 4: try store.delete(tale)
          default: tale.pages = Int.random(in: 0..<9, using: &random)
          }
          if Bool.random(using: &random) { _ = rows.count }
        }
      }
      if isDrag { (table, groups) = (Array(rows), sections.contents) }
      if isDrag && told > 0 || table != Array(rows) || groups != sections.contents {
        Issue.record("seed \(seed), step \(step)")
        break
      }
    }
    tokens.forEach { $0.cancel() }
  }
}
