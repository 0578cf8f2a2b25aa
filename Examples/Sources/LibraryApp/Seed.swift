package import Signals

extension Library {
  /// A small library with one member, stored.
  package static func sample(in store: Store) throws -> (library: Library, member: Member) {
    let library = Library()
    let member = Member()
    member.name = "Case"
    library.members.append(member)
    let titles = [
      ("0441569595", "Neuromancer", "William Gibson"),
      ("0441007465", "The Left Hand of Darkness", "Ursula K. Le Guin"),
      ("0553380958", "Snow Crash", "Neal Stephenson"),
    ]
    for (isbn, title, author) in titles {
      let book = Book()
      book.isbn = isbn
      book.title = title
      book.author = author
      library.available.append(book)
    }
    try store.write(undoable: false) { try store.add(library) }
    return (library, member)
  }
}
