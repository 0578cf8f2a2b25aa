import Foundation
import LibraryApp
import Signals
import Testing

@Suite struct `Business logic, without a store` {
  let library = Library()
  let member = Member()
  let book = Book()

  init() {
    book.isbn = "0441569595"
    library.members.append(member)
    library.available.append(book)
  }

  @Test func `a borrowed book moves from the library to the member`() throws {
    #expect(try library.borrow(isbn: "0441569595", for: member.id) === book)
    #expect(library.available.isEmpty)
    #expect(Array(member.borrowed) == [book])
  }

  @Test func `a book that is not there can't be borrowed`() {
    #expect(throws: Library.BorrowError.noSuchBook("1")) {
      try library.borrow(isbn: "1", for: member.id)
    }
    #expect(Array(library.available) == [book])
  }

  @Test func `only a member can borrow`() {
    let stranger = UUID()
    #expect(throws: Library.BorrowError.noSuchMember(stranger)) {
      try library.borrow(isbn: "0441569595", for: stranger)
    }
    #expect(Array(library.available) == [book])
  }

  @Test func `a returned book is available again`() throws {
    try library.borrow(isbn: "0441569595", for: member.id)
    #expect(try library.takeBack(isbn: "0441569595", from: member.id) === book)
    #expect(Array(library.available) == [book])
    #expect(member.borrowed.isEmpty)
  }

  @Test func `only what was borrowed can be returned`() {
    #expect(throws: Library.BorrowError.noSuchBook("0441569595")) {
      try library.takeBack(isbn: "0441569595", from: member.id)
    }
  }
}
