package import Signals

/// A library and one of its members, joined: a view model without a view-model layer.
package final class Desk: Projection<Desk.Roots> {
  /// What is joined.
  package struct Roots {
    let library: Library
    let member: Member
  }

  @Projected(\Roots.library.available) package var available: List<Book>
  @Projected(\Roots.library.available.count) package var availableCount: Int
  @Projected(\Roots.member.borrowed) package var borrowed: List<Book>
  @Projected(\Roots.member.name) package var name: String

  /// The books that match, by title.
  func available(matching query: String) -> [Book] {
    available.filter { $0.matches(query) }.sorted { $0.title < $1.title }
  }

  func borrow(_ book: Book) throws {
    try root.library.borrow(isbn: book.isbn, for: root.member.id)
  }

  func takeBack(_ book: Book) throws {
    try root.library.takeBack(isbn: book.isbn, from: root.member.id)
  }
}

/// What a member sees of a library, on a projection of both.
package struct DeskScreen: View {
  @ObservedObject var desk: Desk
  @State private var query = ""

  /// Shows a library to one of its members.
  package init(library: Library, member: Member) {
    desk = Desk.shared(for: Desk.Roots(library: library, member: member))
  }

  /// What the view shows.
  package var body: Element {
    Column {
      Text("Available: \(desk.availableCount)").style(.title)
      TextField("Search", text: $query, id: "search")
      ForEach(desk.available(matching: query)) { book in
        Button("Borrow \(book.title)", id: "borrow-\(book.isbn)") { try desk.borrow(book) }
      }
      Section("Borrowed by \(desk.name): \(desk.borrowed.count)") {
        ForEach(desk.borrowed) { book in
          Button("Return \(book.title)", id: "return-\(book.isbn)") { try desk.takeBack(book) }
        }
      }
    }
  }
}
