import Signals
import TestSupport
import Testing

/// What projected properties read and write, and which projections are the same.
@Suite struct `Projections` {
  private let all: (store: Store, shelf: Shelf, novels: [Novel], writers: [Writer])

  init() throws { all = try library() }

  @Test func `paths lead through links, lists, optionals and computed properties`() throws {
    let (_, shelf, novels, writers) = all
    let (row, card) = (NovelRow(novels[0]), ShelfCard(shelf))
    #expect(row.author == "Austen" && row.label == "Emma (400)" && row.place == "A")
    #expect(card.count == 3 && card.bestAuthor == "Austen" && card.first == "Emma")
    #expect(card.pageSum == 900 && card.plain == shelf.novels)
    novels[0].author = writers[1]
    novels[0].tags = ["x"]
    shelf.novels.remove(at: 0)
    #expect(row.author == "Zola" && row.tagCount == 1 && row.place == nil)
    #expect(card.count == 2 && card.first == "Nana" && card.pageSum == 500)
    novels[0].author = nil
    #expect(row.author == nil && row.writer == nil && card.bestAuthor == nil)
  }

  @Test func `an unstored object can be projected`() {
    let row = NovelRow(makeNovel(1, "Emma"))
    row.name = "Persuasion"
    #expect(row.root.name == "Persuasion" && !row.isDeleted && row.author == nil)
  }

  @Test func `a write is one commit of the property it leads to`() throws {
    let (store, _, novels, _) = all
    let row = NovelRow(novels[0])
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    row.name = "Emma II"
    row.width = 7
    row.width += 1
    row.name = "Emma II"
    #expect(novels[0].name == "Emma II" && novels[0].size == Size(width: 8, height: 2))
    #expect(
      commits.map { $0.changes.map(\.properties).joined().map(\.name) } == [
        ["name"], ["size"], ["size"],
      ])
    token.cancel()
  }

  @Test func `reading a property is a dependency on what its path reads and on nothing else`()
    throws
  {
    let (store, _, novels, writers) = all
    let row = NovelRow(novels[0])
    var runs: [String?] = []
    let effect = Effect { runs.append(row.author) }
    novels[0].name = "x"
    novels[0].pages = 1
    writers[1].name = "y"
    #expect(runs == ["Austen"])
    writers[0].name = "Jane"
    try store.write { novels[0].author = writers[1] }
    #expect(runs == ["Austen", "Jane", "y"])
    effect.cancel()
  }

  @Test func `all who ask for the projection of a root are given the same one`() throws {
    let (store, shelf, novels, writers) = all
    let row = NovelRow.shared(for: novels[0])
    #expect(NovelRow.shared(for: novels[0]) === row)
    #expect(store.results(Novel.self).projected(to: NovelRow.self)[0] === row)
    #expect(ShelfCard(shelf).novels[0] === row)
    #expect(shelf.novels.projected(to: NovelRow.self)[0] === row)
    let spine = Spine.shared(for: row)
    #expect(Spine.shared(for: NovelRow(novels[0])) === spine && spine.name == "Emma")
    let loan = Loan.shared(for: .init(novel: novels[0], reader: writers[0]))
    #expect(Loan.shared(for: .init(novel: novels[0], reader: writers[0])) === loan)
    #expect(Loan.shared(for: .init(novel: novels[0], reader: nil)) !== loan)
    let writer = WriterRow.shared(for: writers[0])
    #expect(row.writer === writer && LongWriterRow.shared(for: writers[0]) !== writer)
    #expect(NovelRow(novels[0]) !== row)
  }

  @Test func `two projections are equal if they are of one class and show the same root`() throws {
    let (_, _, novels, writers) = all
    #expect(NovelRow(novels[0]) == NovelRow(novels[0]))
    #expect(Set([NovelRow(novels[0]), NovelRow(novels[0]), NovelRow(novels[1])]).count == 2)
    #expect(WriterRow(writers[0]) != LongWriterRow(writers[0]))
    let roots = Loan.Roots(novel: novels[0], reader: writers[0])
    #expect(Loan(roots) == Loan(roots))
    #expect(Loan(roots) != Loan(.init(novel: novels[0], reader: writers[1])))
    #expect(Loan(roots) != Loan(.init(novel: novels[0], reader: nil)))
    #expect(Loan(roots) != Loan(.init(novel: novels[0], reader: writers[0], note: 1)))
    #expect(Spine(NovelRow(novels[0])) == Spine(NovelRow(novels[0])))
  }

  @Test func `a projection shows a projection, and a join several objects`() throws {
    let (_, _, novels, writers) = all
    let spine = Spine(NovelRow(novels[0]))
    spine.name = "E"
    #expect(novels[0].name == "E" && spine.author == "Austen")
    let loan = Loan(.init(novel: novels[1], reader: writers[0]))
    loan.pages += 1
    #expect(loan.name == "Nana" && loan.reader == "Austen" && novels[1].pages == 501)
  }

  @Test func `inherited properties are projected too`() throws {
    let (_, _, _, writers) = all
    let row = LongWriterRow(writers[0])
    #expect(row.name == "Austen" && row.length == 6 && row.novelCount == 1)
  }

  @Test func `bindings write through the projection`() throws {
    let (_, _, novels, _) = all
    let row = NovelRow(novels[0])
    @ObservedObject var observed = row
    $observed.name.wrappedValue = "a"
    #expect(novels[0].name == "a")
    row.bindings.width.wrappedValue = 9
    #expect(novels[0].size.width == 9 && row.bindings.name.wrappedValue == "a")
  }

  @Test func `only its users retain a projection, and it retains its root`() throws {
    let (store, shelf, novels, _) = all
    weak let row = NovelRow.shared(for: novels[0])
    #expect(row == nil)
    var card: ShelfCard? = ShelfCard.shared(for: shelf)
    weak let weakCard = card
    _ = card?.novels.map(\.name)
    let effect = Effect { _ = weakCard?.count }
    card = nil
    #expect(weakCard == nil)
    effect.cancel()
    var novel: Novel? = makeNovel(9)
    weak let weakNovel = novel
    var other: NovelRow? = NovelRow.shared(for: novel!)
    novel = nil
    #expect(weakNovel != nil && other?.name == "")
    other = nil
    #expect(weakNovel == nil)
    withExtendedLifetime(store) {}
  }

  @Test func `a projection outlives its store`() throws {
    var novel: Novel?
    var row: NovelRow?
    do {
      let (_, _, novels, _) = try library()
      novel = novels[0]
      row = NovelRow.shared(for: novels[0])
    }
    #expect(row?.isDeleted == true && row?.name == "Emma" && row?.author == nil)
    withExtendedLifetime(novel) {}
  }
}
