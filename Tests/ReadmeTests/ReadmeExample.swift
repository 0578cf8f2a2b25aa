import Signals
import SignalsTesting
import Testing

final class Book: Object {
  @PrimaryKey var isbn = ""
  @Field var title = ""
}

struct Shelf: View {
  @ObservedResults(Book.self, sortedBy: \.title) var books
  @State private var query = ""

  var body: Element {
    TextField("Search", text: $query, id: "search")
    ForEach($books.where(on: query) { query.isEmpty || $0.title.contains(query) }) { book in
      Button(book.title, id: book.isbn) { try $books.remove(book) }
    }
  }
}

@Test func removing() throws {
  let store = Store(), book = Book()
  book.isbn = "0441569595"; book.title = "Neuromancer"
  try store.add(book)
  let app = try TestHost(store) { Shelf() }
  try app.tap("0441569595")
  #expect(!app.text.contains("Neuromancer"))
  try store.undo()
  #expect(app.text.contains("[Neuromancer]"))
}
