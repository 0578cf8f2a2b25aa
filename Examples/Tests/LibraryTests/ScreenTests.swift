import LibraryApp
import Signals
import SignalsTesting
import Testing

/// What holds for the screen, whatever it is made on.
@Suite(.leavesNothing) struct `The library's screen` {
  /// A mounted screen.
  struct Mounted {
    let store = Store()
    let library: Library
    let member: Member
    let app: TestHost

    init(_ style: ScreenStyle) throws {
      let (library, member) = try Library.sample(in: store)
      (self.library, self.member) = (library, member)
      app = try TestHost(store) { [store] in style.screen(store, library, member) }
    }
  }

  @Test(arguments: ScreenStyle.allCases)
  func `it shows what is available, by title`(_ style: ScreenStyle) throws {
    let screen = try Mounted(style)
    #expect(
      screen.app.text == """
        Available: 3
        Search: []
        [Borrow Neuromancer]
        [Borrow Snow Crash]
        [Borrow The Left Hand of Darkness]
        Borrowed by Case: 0
        """)
  }

  @Test(arguments: ScreenStyle.allCases)
  func `a borrowed book leaves one list and appears in the other, in one frame`(
    _ style: ScreenStyle
  ) throws {
    let screen = try Mounted(style)
    let frames = screen.app.frames
    try screen.app.expectChanges(
      """
      ~ Book(isbn: "0441569595")
          loans: 0 -> 1
      ~ Library
          available
            - Book(isbn: "0441569595") at 0
      ~ Member
          borrowed
            + Book(isbn: "0441569595") at 0
      screen
        column
      -   text "Available: 3"
      +   text "Available: 2"
          textField #search "Search" = ""
      -   button #borrow-0441569595 "Borrow Neuromancer"
          button #borrow-0441007465 "Borrow The Left Hand of Darkness"
      -   section "Borrowed by Case: 0"
      +   section "Borrowed by Case: 1"
      +     button #return-0441569595 "Return Neuromancer"
      """
    ) { try screen.app.tap("borrow-0441569595") }
    #expect(screen.app.frames == frames + 1)
  }

  @Test(arguments: ScreenStyle.allCases)
  func `a returned book is in the list again`(_ style: ScreenStyle) throws {
    let screen = try Mounted(style)
    try screen.app.tap("borrow-0441569595")
    try screen.app.expectChanges(
      """
      ~ Library
          available
            + Book(isbn: "0441569595") at 2
      screen
      +   button #borrow-0441569595 "Borrow Neuromancer"
      """, exhaustivity: .partial
    ) { try screen.app.tap("return-0441569595") }
    #expect(!screen.app.exists("return-0441569595"))
  }

  @Test(arguments: ScreenStyle.allCases)
  func `the search narrows the list as one types`(_ style: ScreenStyle) throws {
    let screen = try Mounted(style)
    try screen.app.type("Snow", into: "search")
    #expect(screen.app.exists("borrow-0553380958"))
    #expect(!screen.app.exists("borrow-0441569595"))
    try screen.app.type("Gibson", into: "search")
    #expect(!screen.app.exists("borrow-0553380958"))
    #expect(screen.app.exists("borrow-0441569595"))
    try screen.app.type("", into: "search")
    #expect(screen.app.text.contains("Borrow The Left Hand of Darkness"))
  }

  @Test(arguments: ScreenStyle.allCases)
  func `a book that another user has borrowed is not on screen any more`(
    _ style: ScreenStyle
  ) throws {
    let screen = try Mounted(style)
    try screen.library.borrow(isbn: "0441569595", for: screen.member.id)
    let error = #expect(throws: TestHostError.self) { try screen.app.tap("borrow-0441569595") }
    #expect(
      error?.error
        == .noElement(
          "borrow-0441569595",
          nearest: ["borrow-0441007465", "return-0441569595", "borrow-0553380958"]))
  }

  @Test(arguments: ScreenStyle.allCases)
  func `a refused intent reaches the caller and leaves the state untouched`(_ style: ScreenStyle)
    throws
  {
    let screen = try Mounted(style)
    try screen.store.write { screen.library.members.remove(screen.member) }
    screen.app.expectNoChange {
      #expect(throws: Library.BorrowError.noSuchMember(screen.member.id)) {
        try screen.app.tap("borrow-0441569595")
      }
    }
  }

  @Test(arguments: ScreenStyle.allCases)
  func `a new title is one row's work`(_ style: ScreenStyle) throws {
    let screen = try Mounted(style)
    // The results are sorted by title: the screen, and the rows it makes anew.
    screen.app.expectChanges(
      """
      ~ Book(isbn: "0441007465")
          title: "The Left Hand of Darkness" -> "Zoe"
      screen
          button #borrow-0553380958 "Borrow Snow Crash"
      -   button #borrow-0441007465 "Borrow The Left Hand of Darkness"
      +   button #borrow-0441007465 "Borrow Zoe"
      """, bodies: 4
    ) { screen.library.available[1].title = "Zoe" }
  }

  @Test(arguments: ScreenStyle.allCases)
  func `a deleted book is gone from every list, and undo brings it back`(_ style: ScreenStyle)
    throws
  {
    let screen = try Mounted(style)
    let book = screen.library.available[0]
    try screen.app.tap("borrow-\(book.isbn)")
    try screen.store.delete(book)
    #expect(!screen.app.text.contains("Neuromancer"))
    #expect(screen.app.text.contains("Borrowed by Case: 0"))
    try screen.store.undo()
    #expect(screen.app.text.contains("[Return Neuromancer]"))
  }
}
