import Signals
import TestSupport

class ModelBook: Object {
  @Field var title = ""
  @Field var pages = 0
  @Field var rating: Double?
  @Link var writer: ModelWriter?
  @Links var tags: List<ModelWriter>
  @Inverse(\ModelShelf.books) var shelves
}

final class ModelNovel: ModelBook {}

final class ModelWriter: Object {
  @Field var name = ""
}

final class ModelShelf: Object {
  @Links var books: List<ModelBook>
}

/// What the closures of a query may read beside objects.
final class ModelSignals {
  let limit = Signal(3)
  let flag = Signal(true)
  private(set) lazy var isOdd = Computed { [limit] in limit.value % 2 == 1 }
  var inner: Results<ModelBook>?
  weak var world: ResultsWorld?
}

/// Notes what a closure reads elsewhere than on its candidate, with a way to read it again.
final class ModelTrace {
  private var reads: [() -> Bool] = []

  func read<Value: Equatable>(_ value: @escaping () -> Value) -> Value {
    let old = value()
    reads.append { value() == old }
    return old
  }

  /// Whether something is not what it was.
  var hasChanged: Bool { !reads.allSatisfy { $0() } }
}

/// A condition, written once for the results and for the model, which passes a trace.
struct ModelFilter {
  let name: String
  let holds: (ModelBook, ModelSignals, ModelTrace?) -> Bool

  static var all: [ModelFilter] {
    [
      ModelFilter(name: "long") { book, _, _ in book.pages > 2 },
      ModelFilter(name: "even or a") { book, _, _ in book.pages % 2 == 0 || book.title == "a" },
      ModelFilter(name: "rated or written") { book, _, _ in
        book.rating ?? 0 > 0 || book.writer != nil
      },
      ModelFilter(name: "over the limit") { book, signals, trace in
        book.pages > read(trace) { signals.limit.value }
      },
      ModelFilter(name: "odd limit or long") { book, signals, trace in
        read(trace) { signals.isOdd.value } || book.pages > 5
      },
      ModelFilter(name: "flag") { book, signals, trace in
        guard read(trace, { signals.flag.value }) else { return book.title != "a" }
        guard let writer = book.writer else { return false }
        return read(trace) { writer.name } != "A"
      },
      ModelFilter(name: "tagged B") { book, _, trace in
        book.tags.contains { tag in read(trace) { tag.name } == "B" } || book.pages < 5
      },
      ModelFilter(name: "shelved") { book, _, _ in !book.shelves.isEmpty },
      ModelFilter(name: "inner") { book, signals, trace in
        guard let trace else { return signals.inner?.contains(book) ?? false }
        return trace.read { signals.world?.stored.filter { $0.pages > 4 } ?? [] }.contains(book)
      },
    ]
  }

  private static func read<Value: Equatable>(
    _ trace: ModelTrace?, _ value: @escaping () -> Value
  ) -> Value {
    trace?.read(value) ?? value()
  }
}

/// A sort key, likewise.
struct ModelKey {
  let name: String
  let sort: (Results<ModelBook>) -> Results<ModelBook>
  let sortNovels: (Results<ModelNovel>) -> Results<ModelNovel>
  let isBefore: (ModelBook, ModelBook) -> Bool
  var read: (ModelBook, ModelTrace) -> Void = { _, _ in }

  static var all: [ModelKey] {
    [
      ModelKey(name: "title") {
        $0.sorted(by: \.title)
      } sortNovels: {
        $0.sorted(by: \.title)
      } isBefore: {
        $0.title < $1.title
      },
      ModelKey(name: "pages") {
        $0.sorted(by: \.pages, order: .descending)
      } sortNovels: {
        $0.sorted(by: \.pages, order: .descending)
      } isBefore: {
        $0.pages > $1.pages
      },
      ModelKey(name: "rating") {
        $0.sorted(by: \.rating)
      } sortNovels: {
        $0.sorted(by: \.rating)
      } isBefore: {
        ($0.rating ?? -1) < ($1.rating ?? -1)
      },
      ModelKey(name: "length") {
        $0.sorted(by: \.title, order: .descending, using: { $0.utf8.count < $1.utf8.count })
      } sortNovels: {
        $0.sorted(by: \.title, order: .descending, using: { $0.utf8.count < $1.utf8.count })
      } isBefore: {
        $0.title.utf8.count > $1.title.utf8.count
      },
      ModelKey(name: "writer") {
        $0.sorted(by: \.writer?.name, order: .descending)
      } sortNovels: {
        $0.sorted(by: \.writer?.name, order: .descending)
      } isBefore: {
        ($0.writer?.name ?? "") > ($1.writer?.name ?? "")
      } read: { book, trace in
        if let writer = book.writer { _ = trace.read { writer.name } }
      },
    ]
  }
}

/// What a book's own properties were.
struct ModelOwn: Equatable {
  let title: String
  let pages: Int
  let rating: Double?
  let writer: ModelWriter?
  let tags: [ModelWriter]

  init(_ book: ModelBook) {
    title = book.title
    pages = book.pages
    rating = book.rating
    writer = book.writer
    tags = Array(book.tags)
  }
}
