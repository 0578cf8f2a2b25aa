// Statements of "Gotchas" that the page makes without showing them.

import Signals
import SignalsTesting
import Testing

@Suite("Gotchas, the page") struct GotchasPageTests {
  final class Book: Object {
    @PrimaryKey var isbn = ""
    @Field var title = ""
    @Field var tags: [String] = []
  }

  struct Narrowed: View {
    @ObservedResults(Book.self, sortedBy: \.title) var books
    @State private var query = ""
    @State private var shortest = 0

    var body: Element {
      TextField("search", text: $query)
      TextField(
        "shortest",
        text: $shortest.map {
          "\($0)"
        } back: {
          Int($0)
        })
      ForEach(books.where { $0.title.contains(query) || query.isEmpty }) {
        Text("plain \($0.title)")
      }
      ForEach($books.where(on: query) { $0.title.count >= shortest }) { Text("old \($0.title)") }
      ForEach($books.where(on: [query, "\(shortest)"]) { $0.title.count >= shortest }) {
        Text("new \($0.title)")
      }
    }
  }

  struct Same: View {
    var body: Element {
      Button("ok") {}
      Button("ok") {}
    }
  }

  let store = Store()

  @Test func `a condition whose on: lacks state shows old rows`() throws {
    for title in ["Dune", "Solaris"] {
      let book = Book()
      book.isbn = title
      book.title = title
      try store.add(book)
    }
    let app = try TestHost(store) { Narrowed() }
    try app.type("5", into: "shortest")
    #expect(app.text.contains("old Dune"))
    #expect(!app.text.contains("new Dune"))
    try app.type("Sol", into: "search")
    #expect(!app.text.contains("plain Dune"))
  }

  @Test func `a host without references ends`() {
    let renderer = TextRenderer(), book = Book()
    _ = ViewHost(store, renderer: renderer) { Text(book.title) }
    book.title = "Solaris"
    #expect(renderer.text == "")
  }

  @Test func `two buttons of one title are ambiguous when one is used`() throws {
    let app = try TestHost(store) { Same() }
    let error = #expect(throws: TestHostError.self) { try app.tap("ok") }
    #expect(
      error?.description.contains("several elements with the id \"ok\" are on screen") == true)
  }

  @Test func `a list copied or a field mutated in place is a value`() throws {
    let book = Book()
    try store.add(book)
    var tags = book.tags
    tags.append("x")
    #expect(book.tags == [])
    book.tags.append("y")
    #expect(book.tags == ["y"])
  }

  @Test func `a throwing intent takes back the graph and not a signal`() throws {
    struct Stop: Error {}
    let book = Book()
    try store.add(book)
    let state = Signal(0)
    let app = try TestHost(store) {
      Button("go") {
        state.value = 1
        book.title = "x"
        throw Stop()
      }
    }
    #expect(throws: Stop.self) { try app.tap("go") }
    #expect((state.value, book.title) == (1, ""))
  }
}
