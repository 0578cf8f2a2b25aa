import Foundation
import Signals
import Testing

final class Book: Object {
  @PrimaryKey var isbn = ""
  @Field var title = ""
  @Field var author = ""
  @Inverse(\Library.available) var libraries
}
final class Member: Object {
  @PrimaryKey var id2 = UUID()
  @Links var borrowed: List<Book>
}
final class Library: Object {
  @PrimaryKey var key = UUID()
  @Links var available: List<Book>
  @Links var members: List<Member>
  @Link var best: Book?
}
struct Oops: Error {}

@Test func graph() throws {
  let store = Store()
  let library = Library(), member = Member(), book = Book()
  book.isbn = "x"
  book.title = "Neuromancer"
  var commits: [String] = []
  let token = store.commits.sink { commits.append($0.description) }
  try store.write {
    try store.add(library)
    library.members.append(member)
    library.available.append(book)
  }
  #expect(book.store === store)
  #expect(Array(book.libraries) == [library])
  var log: [String] = []
  let e = Effect {
    log.append(
      "\(book.title) \(library.available.count) \(book.libraries.count) \(library.best?.title ?? "-")"
    )
  }
  #expect(throws: Oops.self) {
    try store.write {
      library.available.remove(book)
      member.borrowed.append(book)
      library.best = book
      book.title = "gone"
      _ = book.libraries.count
      throw Oops()
    }
  }
  #expect(log == ["Neuromancer 1 1 -"])
  try library.write {
    library.available.remove(book)
    member.borrowed.append(book)
    library.best = book
  }
  #expect(log.last == "Neuromancer 0 0 Neuromancer")
  try store.delete(book)
  #expect(log.last == "Neuromancer 0 0 -")
  #expect(member.borrowed.isEmpty && book.isDeleted)
  try store.undo()
  #expect(member.borrowed.count == 1 && !book.isDeleted && library.best === book)
  try store.undo()
  #expect(log.last == "Neuromancer 1 1 -")
  #expect(store.object(Book.self, primaryKey: "x") === book)
  print(commits.joined(separator: "\n--\n"))
  _ = (e, token)
}
