import LibraryApp
import Signals
import SignalsTesting
import Testing

@Suite struct `The library's screen` {
  let store = Store()
  let library: Library
  let member: Member
  let app: TestHost

  init() throws {
    let (library, member) = try Library.sample(in: store)
    (self.library, self.member) = (library, member)
    app = try TestHost(store) { LibraryScreen(library: library, member: member) }
  }

  @Test func `it shows what is available, by title`() {
    #expect(
      app.text == """
        Available: 3
        Search: []
        [Borrow Neuromancer]
        [Borrow Snow Crash]
        [Borrow The Left Hand of Darkness]
        Borrowed by Case: 0
        """)
  }

  @Test func `a borrowed book leaves one list and appears in the other, in one frame`() throws {
    let frames = app.frames
    try app.tap("borrow-0441569595")
    #expect(app.frames == frames + 1)
    #expect(app.text.contains("Available: 2"))
    #expect(!app.exists("borrow-0441569595"))
    #expect(app.exists("return-0441569595"))
    try app.tap("return-0441569595")
    #expect(app.text.contains("Available: 3"))
    #expect(app.exists("borrow-0441569595"))
    #expect(!app.exists("return-0441569595"))
  }

  @Test func `the search narrows the list as one types`() throws {
    try app.type("Snow", into: "search")
    #expect(app.exists("borrow-0553380958"))
    #expect(!app.exists("borrow-0441569595"))
    try app.type("Gibson", into: "search")
    #expect(!app.exists("borrow-0553380958"))
    #expect(app.exists("borrow-0441569595"))
    try app.type("", into: "search")
    #expect(app.text.contains("Borrow The Left Hand of Darkness"))
  }

  @Test func `a book that somebody else borrowed meanwhile is not on screen any more`() throws {
    try library.borrow(isbn: "0441569595", for: member.id)
    let error = #expect(throws: TestHostError.self) { try app.tap("borrow-0441569595") }
    #expect(
      error?.error
        == .noElement(
          "borrow-0441569595",
          nearest: ["borrow-0441007465", "return-0441569595", "borrow-0553380958"]))
  }

  @Test func `a refused intent reaches the caller and leaves the state untouched`() throws {
    let before = app.text
    try store.write { library.members.remove(member) }
    #expect(throws: Library.BorrowError.noSuchMember(member.id)) {
      try app.tap("borrow-0441569595")
    }
    try store.undo()
    #expect(app.text == before)
  }

  @Test func `a new title is one row's work`() throws {
    let bodies = app.bodies
    library.available[1].title = "Zoe"
    // The results are sorted by title: the screen, and the rows it makes anew.
    #expect(app.text.contains("[Borrow Snow Crash]\n[Borrow Zoe]"))
    #expect(app.bodies - bodies <= 4)
  }

  @Test func `a deleted book is gone from every list, and undo brings it back`() throws {
    let book = library.available[0]
    try app.tap("borrow-\(book.isbn)")
    try store.delete(book)
    #expect(!app.text.contains("Neuromancer"))
    #expect(app.text.contains("Borrowed by Case: 0"))
    try store.undo()
    #expect(app.text.contains("[Return Neuromancer]"))
  }
}
