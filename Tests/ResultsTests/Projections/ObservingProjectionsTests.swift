import Signals
import TestSupport
import Testing

/// Observers and subscribers of projections.
@Suite struct `Projections, observed` {
  private let all: (store: Store, shelf: Shelf, novels: [Novel], writers: [Writer])

  init() throws { all = try library() }

  @Test func `an observer of a property gets old and new, once a commit, if they differ`() throws {
    let (store, _, novels, writers) = all
    let row = NovelRow.shared(for: novels[0])
    var seen: [String] = []
    let token = row.observe(\.author, initial: true) { seen.append("\($0 ?? "-")>\($1 ?? "-")") }
    writers[0].name = "Jane"
    try store.write {
      writers[0].name = "x"
      novels[0].author = writers[1]
    }
    try store.write {
      writers[1].name = "y"
      writers[1].name = "Zola"
    }
    novels[0].author = nil
    #expect(seen == ["Austen>Austen", "Austen>Jane", "Jane>Zola", "Zola>-"])
    token.cancel()
    novels[0].author = writers[1]
    #expect(seen.count == 4)
  }

  @Test func `properties that share a part of their paths do not disturb each other`() throws {
    let (_, _, novels, writers) = all
    let row = WriterRow.shared(for: writers[0])
    var names: [String] = []
    let tokens = [
      row.observe(\.name) { names.append("\($0)>\($1)") },
      NovelRow.shared(for: novels[0]).observe(\.label) { _, new in names.append(new) },
    ]
    novels[1].author = writers[0]
    novels[0].tags = ["a"]
    novels[0].size.width = 3
    #expect(names == [])
    writers[0].name = "Jane"
    #expect(names == ["Austen>Jane"])
    for token in tokens { token.cancel() }
  }

  @Test func `an observer of all is told which properties changed, old and new`() throws {
    let (store, _, novels, writers) = all
    let row = NovelRow.shared(for: novels[0])
    var seen: [String] = []
    let token = row.observe { change in
      seen.append("\(change.properties) \(change.old(\.title)) > \(change.new(\.title))")
      #expect(change.kind == .modified && change.projection === row)
    }
    novels[0].name = "E"
    try store.write {
      novels[0].pages = 1
      writers[0].name = "Jane"
    }
    novels[0].shelf = "not projected"
    novels[0].pages = 1
    #expect(
      seen == [
        #"["name", "label"] Emma by Austen > E by Austen"#,
        #"["author", "label", "pages"] E by Austen > E by Jane"#,
      ])
    #expect(row.title == "E by Jane")
    token.cancel()
  }

  @Test func `a deletion changes no value, and is told as one`() throws {
    let (store, _, novels, _) = all
    let row = NovelRow.shared(for: novels[0])
    var kinds: [String] = []
    let tokens: [any Cancellable] = [
      row.observe { kinds.append("\($0.kind) \($0.properties)") },
      row.observe(\.author) { _, _ in kinds.append("author") },
      row.observe(\.isDeleted) { kinds.append("\($0)>\($1)") },
    ]
    try store.delete(novels[0])
    try store.undo()
    #expect(kinds == ["deleted []", "false>true", "inserted []", "true>false"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `lists of projections are observed by their members`() throws {
    let (_, shelf, novels, _) = all
    let card = ShelfCard.shared(for: shelf)
    var counts: [String] = []
    let token = card.observe(\.novels) { counts.append("\($0.count)>\($1.count)") }
    novels[0].name = "x"
    shelf.novels.remove(at: 0)
    #expect(counts == ["3>2"])
    token.cancel()
  }

  @Test func `a token keeps the projection, and a released one observes no more`() throws {
    let (_, _, novels, _) = all
    var calls = 0
    var token: (any Cancellable)? = NovelRow.shared(for: novels[0]).observe(\.name) { _, _ in
      calls += 1
    }
    weak let row = NovelRow.shared(for: novels[0])
    novels[0].name = "x"
    #expect(calls == 1 && row != nil)
    withExtendedLifetime(token) {}
    token = nil
    novels[0].name = "y"
    #expect(calls == 1 && row == nil)
  }

  @Test func `a projection publishes values and changes`() throws {
    let (store, _, novels, writers) = all
    let row = NovelRow.shared(for: novels[0])
    var (values, changes): ([String?], [[String]]) = ([], [])
    let tokens: [any Cancellable] = [
      row.publisher(for: \.author).sink { values.append($0) },
      row.changes.map(\.properties).sink { changes.append($0) },
    ]
    novels[0].author = writers[1]
    novels[0].pages = 2
    try store.delete(novels[0])
    #expect(values == ["Austen", "Zola"])
    #expect(changes == [["author", "writer"], ["label", "pages"], []])
    for token in tokens { token.cancel() }
    try store.undo()
    #expect(changes.count == 3)
  }

  @Test func `an effect and an observer that write see each other's commits`() throws {
    let (_, _, novels, _) = all
    let row = NovelRow.shared(for: novels[0])
    var seen: [String] = []
    let first = row.observe(\.pages) { _, new in if new < 3 { row.width = new } }
    let second = row.observe { seen.append("\($0.properties)") }
    novels[0].pages = 2
    #expect(seen == [#"["width", "label", "pages"]"#])
    first.cancel()
    second.cancel()
  }
}
