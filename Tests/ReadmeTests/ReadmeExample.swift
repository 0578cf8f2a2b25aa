import Signals
import SignalsTesting
import Testing

final class Book: Object {
  @Field var title = ""
}

struct Shelf: View {
  @ObservedResults(Book.self, sortedBy: \.title) var books

  var body: Element {
    ForEach(books) { book in
      Button(book.title) { try $books.remove(book) }
    }
  }
}

@Test func removing() throws {
  let store = Store(), book = Book()
  book.title = "Neuromancer"
  try store.add(book)
  let app = try TestHost(store) { Shelf() }
  try app.tap("Neuromancer")
  #expect(app.text == "")
  try store.undo()
  #expect(app.text == "[Neuromancer]")
}
