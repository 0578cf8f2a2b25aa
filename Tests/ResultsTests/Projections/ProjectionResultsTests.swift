import Signals
import SignalsTesting
import TestSupport
import Testing

/// Results and lists shown as projections, and their rows on screen.
@Suite struct `Projected results` {
  private let all: (store: Store, shelf: Shelf, novels: [Novel], writers: [Writer])

  init() throws { all = try library() }

  private var rows: Results<NovelRow> {
    all.store.results(Novel.self).projected(to: NovelRow.self)
  }

  @Test func `they are filtered and sorted by projected properties, live`() throws {
    let (store, _, novels, writers) = all
    let known = rows.where { $0.author != nil }.sorted(by: \.author, order: .descending)
    #expect(known.map(\.name) == ["Nana", "Emma"])
    novels[2].author = writers[0]
    writers[0].name = "Zweig"
    #expect(known.map(\.name) == ["Emma", "Ode", "Nana"])
    #expect(rows.sorted(by: \.pages).map(\.pages) == [0, 400, 500])
    #expect(rows.sorted(by: \.name, using: >).map(\.name) == ["Ode", "Nana", "Emma"])
    try store.delete(writers[0])
    #expect(known.map(\.name) == ["Nana"])
    #expect(rows.where { $0.writer?.novelCount == 1 }.map(\.name) == ["Nana"])
  }

  @Test func `what a condition is given and keeps is a projection as any`() throws {
    var held: [NovelRow] = []
    let rows = rows.where { row in
      if row.name == "Emma" { held.append(row) }
      return true
    }
    #expect(rows.count == 3 && held.count == 1)
    try all.store.delete(all.novels[0])
    #expect(held[0].author == "Austen" && held[0].isDeleted && rows.count == 2)
  }

  @Test func `a row is found by its root`() throws {
    let rows = rows.sorted(by: \.name, order: .descending)
    let row = NovelRow(all.novels[1])
    #expect(rows.firstIndex(of: row) == 1 && rows.contains(row) && rows[1] == row)
    try all.store.delete(all.novels[1])
    #expect(!rows.contains(row) && rows.count == 2 && row.isDeleted)
    #expect(rows == rows && rows.objects.count == 2)
  }

  @Test func `their changes are exact, and lead from the old rows to the new ones`() throws {
    let (store, _, novels, writers) = all
    let known = rows.where { $0.author != nil }.sorted(by: \.author)
    var mirror = Array(known)
    var changes: [String] = []
    let token = known.observe { change in
      change.apply(to: &mirror)
      changes.append(change.description)
    }
    let published = known.changes.sink { #expect(!$0.isEmpty) }
    writers[0].name = "Zweig"
    #expect(mirror == Array(known) && mirror.map(\.name) == ["Nana", "Emma"])
    try store.write {
      novels[2].author = writers[1]
      try store.delete(novels[1])
    }
    #expect(mirror == Array(known) && mirror.map(\.name) == ["Ode", "Emma"])
    #expect(changes.count == 2)
    token.cancel()
    published.cancel()
  }

  @Test func `the rows of a list are the members, in its order`() throws {
    let (_, shelf, novels, _) = all
    let rows = shelf.novels.projected(to: NovelRow.self)
    #expect(rows.map(\.root) == novels && rows == ShelfCard(shelf).novels)
    shelf.novels = List(novels.reversed())
    #expect(rows.map(\.root) == novels && rows != ShelfCard(shelf).novels)
    #expect(ShelfCard(shelf).novels.map(\.root) == novels.reversed())
  }

  @Test func `a row on screen is evaluated when something that it shows changes`() throws {
    let (store, _, novels, writers) = all
    let log = Count()
    let app = try TestHost(store) { ShelfScreen(rows: rows.sorted(by: \.name), log: log) }
    #expect(app.text.contains("Emma Austen") && app.text.contains("Nana Zola"))
    log.log = []
    writers[0].name = "Jane"
    novels[1].pages = 7
    #expect(app.text.contains("Emma Jane"))
    #expect(log.log == ["Emma"])
    log.log = []
    try store.delete(novels[0])
    #expect(!app.text.contains("Emma") && app.text.contains("Nana Zola"))
    novels[2].name = "Abc"
    #expect(log.log == ["Abc"])
    try store.undo()
    try store.undo()
    #expect(app.text.contains("Emma Jane"))
  }

  @Test func `views that show one root are given one projection`() throws {
    let (store, shelf, novels, _) = all
    let log = Count()
    let app = try TestHost(store) { CardScreen(card: .shared(for: shelf), log: log) }
    #expect(app.text.contains("3 novels"))
    let kept = NovelRow.shared(for: novels[0])
    log.log = []
    // The row's view has the same input, and so it is not evaluated.
    kept.width += 1
    shelf.novels.append(makeNovel(8, "Pot"))
    #expect(app.text.contains("4 novels") && app.text.contains("Pot"))
    #expect(log.log == ["Pot"])
    novels[0].name = "E"
    #expect(app.text.contains("E") && log.log == ["Pot", "E"])
  }

  @Test func `a text field edits through a projection`() throws {
    let (store, _, novels, _) = all
    let app = try TestHost(store) { Editor(row: .shared(for: novels[0])) }
    try app.type("Persuasion", into: "name")
    #expect(novels[0].name == "Persuasion")
  }
}

private struct ShelfScreen: View {
  let rows: Results<NovelRow>
  let log: Count

  var body: Element {
    ForEach(rows) { row in
      let _ = log.log.append(row.name)
      Text("\(row.name) \(row.author ?? "-")")
    }
  }
}

private struct CardScreen: View {
  let card: ShelfCard
  let log: Count

  var body: Element {
    Column {
      Text("\(card.count) novels")
      ForEach(card.novels) { row in RowView(row: row, log: log) }
    }
  }
}

private struct RowView: View {
  let row: NovelRow
  let log: Count

  var body: Element {
    let _ = log.log.append(row.name)
    Text(row.name)
  }
}

private struct Editor: View {
  @ObservedObject var row: NovelRow

  var body: Element { TextField("Name", text: $row.name, id: "name") }
}
