import Shell
package import Signals
import SignalsTerminal

/// The library on a full screen: the screen of any style, and below it the book that has the focus.
package struct LibraryTerminal: View {
  @Focus private var focus
  private let store: Store
  private let library: Library
  private let member: Member
  private let style: ScreenStyle
  private let problem: () -> String?

  /// Shows a library to one of its members; `problem` is something that the user should know.
  package init(
    _ store: Store, _ library: Library, _ member: Member, _ style: ScreenStyle,
    problem: @escaping () -> String? = { nil }
  ) {
    (self.store, self.library, self.member) = (store, library, member)
    (self.style, self.problem) = (style, problem)
  }

  /// What the view shows.
  package var body: Element {
    let (store, library, member, style) = (store, library, member, style)
    let status = problem() ?? "\(style)"
    FullScreen(status: status, keys: keys, fields: ["search"]) {
      ScrollBox { style.screen(store, library, member) }
      Divider()
      BookFacts(book: book).frame(minHeight: 2, maxHeight: 2)
    }
    .onKey("/") { focus = "search" }
    .onKey("u") { try store.undo() }
  }

  private var keys: [FullScreen.Key] {
    [
      .init("/", "search"), .init("u", "undo"),
      .init("down", "to the books", inFieldsAlone: true),
    ]
  }

  /// The book that is borrowed or returned by what has the focus.
  private var book: Book? {
    guard let focus else { return nil }
    for prefix in ["borrow-", "return-"] where focus.hasPrefix(prefix) {
      return store.object(Book.self, primaryKey: String(focus.dropFirst(prefix.count)))
    }
    return nil
  }
}

/// What there is to know of a book, or what to do without one.
struct BookFacts: View {
  let book: Book?

  var body: Element {
    if let book {
      Text("\(book.title), by \(book.author)").style(.emphasized)
      Text("ISBN \(book.isbn), borrowed \(book.loans)×").style(.secondary)
    } else {
      Text("Return borrows a book, or returns it.").style(.secondary)
    }
  }
}
