import Signals

/// How a novel stands in a list.
final class NovelRow: Projection<Novel> {
  @ProjectedWritable(\Novel.name) var name: String
  @ProjectedWritable(\Novel.size.width) var width: Int
  @Projected(\Novel.author?.name) var author: String?
  @Projected(\Novel.label) var label: String
  @Projected(\Novel.tags.count) var tagCount: Int
  @Projected(\Novel.pages) var pages: Int
  @Projected(\Novel.price) var price: Double?
  @Projected(\Novel.author) var writer: WriterRow?
  @Projected(\Novel.shelves.first?.place) var place: String?

  var title: String { "\(name) by \(author ?? "nobody")" }
}

class WriterRow: Projection<Writer> {
  @Projected(\Writer.name) var name: String
  @Projected(\Writer.novels.count) var novelCount: Int
}

final class LongWriterRow: WriterRow {
  @Projected(\Writer.name.count) var length: Int
}

/// A list shown by its rows.
final class ShelfCard: Projection<Shelf> {
  @Projected(\Shelf.novels) var novels: ProjectedList<NovelRow>
  @Projected(\Shelf.novels) var plain: List<Novel>
  @Projected(\Shelf.novels.count) var count: Int
  @Projected(\Shelf.best?.author?.name) var bestAuthor: String?
  @Projected(\Shelf.novels.first?.name) var first: String?
  @Projected(\Shelf.pageSum) var pageSum: Int
}

extension Shelf {
  var pageSum: Int { novels.reduce(0) { $0 + $1.pages } }
}

/// A projection of a projection.
final class Spine: Projection<NovelRow> {
  @Projected(\NovelRow.author) var author: String?
  @ProjectedWritable(\NovelRow.name) var name: String
}

/// A join.
final class Loan: Projection<Loan.Roots> {
  struct Roots {
    let novel: Novel
    let reader: Writer?
    var note = 0
  }
  @Projected(\Roots.novel.name) var name: String
  @Projected(\Roots.reader?.name) var reader: String?
  @ProjectedWritable(\Roots.novel.pages) var pages: Int
}

/// A store with one shelf of three novels by two writers.
func library() throws -> (store: Store, shelf: Shelf, novels: [Novel], writers: [Writer]) {
  let store = Store()
  let writers = ["Austen", "Zola"].map { name in
    let writer = Writer()
    writer.name = name
    return writer
  }
  let novels = [
    makeNovel(1, "Emma", pages: 400), makeNovel(2, "Nana", pages: 500), makeNovel(3, "Ode"),
  ]
  novels[0].author = writers[0]
  novels[1].author = writers[1]
  let shelf = makeShelf("A", novels)
  shelf.best = novels[0]
  try store.write(undoable: false) {
    try store.add(writers)
    try store.add(shelf)
  }
  return (store, shelf, novels, writers)
}
