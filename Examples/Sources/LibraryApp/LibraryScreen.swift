package import Signals

/// What a member sees of a library: the books there, and those borrowed.
package struct LibraryScreen: View {
  @ObservedObject var library: Library
  @ObservedObject var member: Member
  @ObservedResults(Book.self, sortedBy: \.title) var books
  @State private var query = ""

  /// Shows a library to one of its members.
  package init(library: Library, member: Member) {
    self.library = library
    self.member = member
  }

  /// What the view shows.
  package var body: Element {
    Column {
      Text("Available: \(library.available.count)").style(.title)
      TextField("Search", text: $query, id: "search")
      ForEach($books.results(on: query) { $0.matching(query + "*", in: \.title, \.author) }) {
        book in
        if library.available.contains(book) {
          Button("Borrow \(book.title)", id: "borrow-\(book.isbn)") {
            try library.borrow(isbn: book.isbn, for: member.id)
          }
        }
      }
      Section("Borrowed by \(member.name): \(member.borrowed.count)") {
        ForEach(member.borrowed) { book in
          Button("Return \(book.title)", id: "return-\(book.isbn)") {
            try library.takeBack(isbn: book.isbn, from: member.id)
          }
        }
      }
    }
  }
}
