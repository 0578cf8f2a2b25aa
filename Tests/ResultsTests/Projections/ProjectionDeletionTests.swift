import Signals
import TestSupport
import Testing

/// What a projection shows after its root was deleted.
@Suite struct `Projections of deleted objects` {
  @Test func `they keep the last values, whether they were read or not`() throws {
    let (store, shelf, novels, writers) = try library()
    let (row, card) = (NovelRow.shared(for: novels[0]), ShelfCard(shelf))
    writers[0].name = "Jane"
    try store.delete(novels[0])
    #expect(row.isDeleted && row.author == "Jane" && row.place == "A" && row.label == "Emma (400)")
    #expect(row.writer?.name == "Jane" && novels[0].author == nil)
    #expect(card.count == 2 && card.first == "Nana" && card.bestAuthor == nil && !card.isDeleted)
    try store.delete(shelf)
    #expect(card.novels.map(\.name) == ["Nana", "Ode"] && card.plain.count == 2)
    #expect(card.pageSum == 500)
  }

  @Test func `the values are those of the moment, and those of a cascade from before it`() throws {
    let store = Store()
    let chain = (0..<3).map { key in
      let chain = Chain()
      chain.key = key
      return chain
    }
    chain[0].next = chain[1]
    chain[1].next = chain[2]
    try store.add(chain[0])
    let rows = chain.map { ChainRow.shared(for: $0) }
    try store.write {
      chain[2].next = chain[0]
      try store.delete(chain[0])
      #expect(rows.map(\.next) == [1, 2, 0])
    }
    #expect(rows.map(\.isDeleted) == [true, true, true])
    #expect(rows.map(\.next) == [1, 2, 0])
  }

  @Test func `readers of one are notified of the deletion, and of the return`() throws {
    let (store, _, novels, writers) = try library()
    let row = NovelRow.shared(for: novels[0])
    var seen: [String] = []
    let effect = Effect { seen.append("\(row.author ?? "-") \(row.isDeleted)") }
    try store.delete(novels[0])
    try store.undo()
    writers[0].name = "Jane"
    #expect(seen == ["Austen false", "Austen true", "Austen false", "Jane false"])
    effect.cancel()
  }

  @Test func `undo brings the root back, and redo deletes it with the values of then`() throws {
    let (store, _, novels, writers) = try library()
    let row = NovelRow.shared(for: novels[0])
    try store.delete(novels[0])
    try store.undo()
    #expect(!row.isDeleted && row.author == "Austen")
    try store.write(undoable: false) { writers[0].name = "Jane" }
    try store.redo()
    #expect(row.isDeleted && row.author == "Jane")
    try store.undo()
    novels[0].author = writers[1]
    #expect(row.author == "Zola")
  }

  @Test func `what an undo of its making deletes keeps its values too`() throws {
    let (store, shelf, _, writers) = try library()
    let novel = makeNovel(4, "Germinal")
    try store.write {
      shelf.novels.append(novel)
      novel.author = writers[1]
    }
    let row = NovelRow.shared(for: novel)
    try store.undo()
    #expect(row.isDeleted && row.author == "Zola" && row.place == "A")
    try store.redo()
    #expect(!row.isDeleted && row.author == "Zola")
  }

  @Test func `what a change set from elsewhere deletes keeps its values too`() throws {
    let replica = Store()
    var whole: [ChangeSet] = []
    let mirror = Store()
    let filling = mirror.commits.sink { whole.append($0) }
    let (writer, novel) = (Writer(), makeNovel(7, "Nana"))
    writer.name = "Zola"
    novel.author = writer
    try mirror.add(novel)
    try replica.apply(whole[0])
    let twin = try #require(replica.object(Novel.self, primaryKey: 7))
    let row = NovelRow.shared(for: twin)
    try mirror.write {
      try mirror.delete(writer)
      try mirror.delete(novel)
    }
    try replica.apply(whole[1])
    #expect(row.isDeleted && row.author == "Zola")
    filling.cancel()
  }

  @Test func `a deletion that is rolled back leaves the projection live`() throws {
    let (store, _, novels, writers) = try library()
    let row = NovelRow.shared(for: novels[0])
    try? store.write {
      try store.delete(novels[0])
      #expect(row.isDeleted && row.author == "Austen")
      throw Refusal()
    }
    novels[0].author = writers[1]
    #expect(!row.isDeleted && row.author == "Zola")
  }

  @Test func `what is written after the deletion stays in the projection`() throws {
    let (store, _, novels, _) = try library()
    let row = NovelRow.shared(for: novels[0])
    try store.delete(novels[0])
    var seen: [String] = []
    let effect = Effect { seen.append(row.name) }
    row.name = "x"
    row.width = 5
    #expect(seen == ["Emma", "x"] && row.width == 5 && novels[0].name == "Emma")
    try store.undo()
    #expect(row.name == "Emma" && row.width == 1 && seen == ["Emma", "x", "Emma"])
    effect.cancel()
  }

  @Test func `a join is deleted with any of its objects, and back with all of them`() throws {
    let (store, _, novels, writers) = try library()
    let loan = Loan.shared(for: .init(novel: novels[0], reader: writers[0]))
    try store.delete(writers[0])
    novels[0].name = "x"
    #expect(loan.isDeleted && loan.name == "Emma" && loan.reader == "Austen")
    try store.delete(novels[0])
    try store.undo()
    #expect(loan.isDeleted && loan.name == "Emma")
    try store.undo()
    try store.undo()
    #expect(!loan.isDeleted && loan.name == "Emma" && loan.reader == "Austen")
  }

  @Test func `a projection made after the deletion shows what the object shows`() throws {
    let (store, _, novels, _) = try library()
    try store.delete(novels[0])
    let row = NovelRow(novels[0])
    #expect(row.isDeleted && row.name == "Emma" && row.author == nil)
    row.name = "x"
    #expect(novels[0].name == "x")
  }

  @Test func `a projection of a projection keeps its values`() throws {
    let (store, _, novels, _) = try library()
    let spine = Spine(NovelRow(novels[0]))
    try store.delete(novels[0])
    #expect(spine.isDeleted && spine.author == "Austen" && spine.name == "Emma")
  }
}

private final class ChainRow: Projection<Chain> {
  @Projected(\Chain.next?.key) var next: Int?
}
