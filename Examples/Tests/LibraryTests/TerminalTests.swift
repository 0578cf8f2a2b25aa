import LibraryApp
import Signals
import SignalsTerminal
import Testing

@Suite struct `The library on a full screen` {
  private func shown(
    _ style: ScreenStyle, width: Int = 40, height: Int = 10, more: Bool = false
  ) throws -> (TerminalScreen, Store) {
    let store = Store()
    let (library, member) = try Library.sample(in: store, more: more)
    return (
      TerminalScreen(store, width: width, height: height) {
        LibraryTerminal(store, library, member, style)
      }, store
    )
  }

  @Test(arguments: ScreenStyle.allCases)
  func `the screen is above the book that has the focus`(_ style: ScreenStyle) throws {
    let (screen, _) = try shown(style, width: 60)
    screen.press("down", "down")
    #expect(
      screen.text == """
        Available: 3
        Search:
        [Borrow Neuromancer]
        [Borrow Snow Crash]
        [Borrow The Left Hand of Darkness]
        Borrowed by Case: 0
        \(String(repeating: "─", count: 60))
        Snow Crash, by Neal Stephenson
        ISBN 0553380958, borrowed 0×
        \(style)  / search  u undo  ? help  q quit
        """)
  }

  @Test(arguments: ScreenStyle.allCases)
  func `borrowing, returning and undoing, by keys`(_ style: ScreenStyle) throws {
    let (screen, store) = try shown(style, width: 60)
    screen.press("down", "return")
    #expect(screen.text.contains("Borrowed by Case: 1\n[Return Neuromancer]\n"))
    #expect(screen.focus == "borrow-0553380958")
    screen.press("end", "return")
    #expect(screen.text.contains("Borrowed by Case: 0\n"))
    screen.press("u", "u")
    #expect(screen.text.contains("Available: 3\n"))
    #expect(!store.canUndo)
    screen.press("u")
    #expect(screen.text.hasSuffix("there is nothing to undo"))
  }

  @Test(arguments: ScreenStyle.allCases)
  func `a long list scrolls, and a slash leads back to the search`(_ style: ScreenStyle) throws {
    let (screen, _) = try shown(style, width: 60, more: true)
    screen.press("down")
    for _ in 0..<27 { screen.press("down") }
    #expect(screen.text.contains("We, by Yevgeny Zamyatin\n"))
    #expect(!screen.text.contains("Search:"))
    screen.press("/")
    screen.type("sol")
    #expect(screen.text.hasPrefix("Available: 28\nSearch: sol\n[Borrow Solaris]\n"))
    screen.press("down")
    #expect(screen.text.contains("Solaris, by Stanisław Lem\n"))
  }
}
