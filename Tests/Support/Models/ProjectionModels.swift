package import Signals

/// How a novel stands in a list.
package final class NovelRow: Projection<Novel> {
  @ProjectedWritable(\Novel.name) package var name: String
  @ProjectedWritable(\Novel.size.width) package var width: Int
  @Projected(\Novel.author?.name) package var author: String?
  @Projected(\Novel.label) package var label: String
  @Projected(\Novel.tags.count) package var tagCount: Int
  @Projected(\Novel.pages) package var pages: Int
  @Projected(\Novel.price) package var price: Double?
  @Projected(\Novel.author) package var writer: WriterRow?
  @Projected(\Novel.shelves.first?.place) package var place: String?

  package var title: String { "\(name) by \(author ?? "nobody")" }
}

package class WriterRow: Projection<Writer> {
  @Projected(\Writer.name) package var name: String
  @Projected(\Writer.novels.count) package var novelCount: Int
}

package final class LongWriterRow: WriterRow {
  @Projected(\Writer.name.count) package var length: Int
}

/// A list shown by its rows.
package final class ShelfCard: Projection<Shelf> {
  @Projected(\Shelf.novels) package var novels: ProjectedList<NovelRow>
  @Projected(\Shelf.novels) package var plain: List<Novel>
  @Projected(\Shelf.novels.count) package var count: Int
  @Projected(\Shelf.best?.author?.name) package var bestAuthor: String?
  @Projected(\Shelf.novels.first?.name) package var first: String?
  @Projected(\Shelf.pageSum) package var pageSum: Int
}

extension Shelf {
  package var pageSum: Int { novels.reduce(0) { $0 + $1.pages } }
}

/// A projection of a projection.
package final class Spine: Projection<NovelRow> {
  @Projected(\NovelRow.author) package var author: String?
  @ProjectedWritable(\NovelRow.name) package var name: String
}

/// A join.
package final class Loan: Projection<Loan.Roots> {
  package struct Roots {
    package let novel: Novel
    package let reader: Writer?
    package var note = 0

    package init(novel: Novel, reader: Writer?, note: Int = 0) {
      (self.novel, self.reader, self.note) = (novel, reader, note)
    }
  }
  @Projected(\Roots.novel.name) package var name: String
  @Projected(\Roots.reader?.name) package var reader: String?
  @ProjectedWritable(\Roots.novel.pages) package var pages: Int
}

/// A store with one shelf of three novels by two writers.
package func library() throws -> (store: Store, shelf: Shelf, novels: [Novel], writers: [Writer]) {
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
