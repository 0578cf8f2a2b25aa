import LibraryApp
import Signals
import Testing

@Suite struct `The library in a store` {
  let store = Store()
  let library: Library
  let member: Member

  init() throws { (library, member) = try Library.sample(in: store) }

  @Test func `borrowing is one commit of both lists`() throws {
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    let book = try library.borrow(isbn: "0441569595", for: member.id)
    #expect(commits.count == 1)
    #expect(commits[0][library]?.new(\.available)?.contains(book.objectID) == false)
    #expect(commits[0][member]?.new(\.borrowed) == [book.objectID])
    token.cancel()
  }

  @Test func `no observer ever sees the book in neither list, or in both`() throws {
    var counts: [Int] = []
    let effect = Effect { counts.append(library.available.count + member.borrowed.count) }
    try library.borrow(isbn: "0441569595", for: member.id)
    try library.takeBack(isbn: "0441569595", from: member.id)
    #expect(counts == [3, 3, 3])
    effect.cancel()
  }

  @Test func `undo gives the book back to its place`() throws {
    let before = Array(library.available)
    try library.borrow(isbn: "0441007465", for: member.id)
    try store.undo()
    #expect(Array(library.available) == before)
    #expect(member.borrowed.isEmpty)
  }

  @Test func `a refused borrowing leaves no commit to undo`() {
    #expect(throws: Library.BorrowError.noSuchBook("1")) {
      try library.borrow(isbn: "1", for: member.id)
    }
    #expect(!store.canUndo)
  }
}
