import CatalogApp
import ControlFile
import Signals
import SignalsTerminal
import Testing

@Suite struct `A catalogue, on a full screen` {
  let store = Store(undoLimit: .max)
  let screen: TerminalScreen

  init() throws {
    try store.loadSample()
    let browser = Browser(store)
    screen = TerminalScreen(store, width: 68, height: 8) { CatalogTerminal(browser) }
  }

  @Test func `the table stands below the search, and the status line at the foot`() {
    #expect(
      screen.text == """
        Search:                                               Section: ‹all›
        Name ▲               Version              KiB  Section
        apt                  2.6                   40  admin
        gpgv2                2.2                    0  admin
        libc6                2.36                 120  libs            held


        3 of 3 packages  down to the packages  f1 help  ctrl-c quit
        """)
  }

  @Test func `what is typed filters, and the picker narrows`() {
    screen.type("P")
    #expect(screen.text.contains("2 of 3 packages"))
    screen.press("tab", "return", "l", "return")
    #expect(screen.text.contains("0 of 3 packages"))
    screen.press("shift-tab", "delete")
    #expect(screen.text.contains("1 of 3 packages"))
    #expect(screen.text.contains("‹libs›"))
  }

  @Test func `titles sort, and the other way when they are used again`() {
    screen.press("down", "up")
    #expect(screen.focus == "sort-name")
    screen.press("right", "return")
    #expect(screen.focus == "sort-size")
    #expect(screen.text.contains("KiB ▲"))
    screen.press("return")
    #expect(screen.text.contains("KiB ▼"))
    #expect(screen.text.split(separator: "\n")[2].hasPrefix("libc6"))
  }

  @Test func `a package shows what it needs, which leads there and back`() {
    screen.press("down", "return")
    #expect(
      screen.text == """
        apt  2.6
        [Back]  [Hold]  [Remove]
        section admin, 40 KiB, by Deity
        depends on (2)                                                     █
        [gpgv2]                                                            █
        [libc6]                                                            │
        unresolved (1)                                                     │
        3 of 3 packages  h hold  d remove  u undo  esc back  ? help  q quit
        """)
    screen.press("down", "down", "return")
    #expect(screen.text.hasPrefix("libc6  2.36  held"))
    screen.press("escape")
    #expect(screen.text.hasPrefix("Search:"))
    #expect(screen.focus == "package-apt")
  }

  @Test func `holding, removing and undoing act on the row with the focus`() {
    screen.press("down", "h")
    #expect(screen.text.split(separator: "\n")[2].hasSuffix("held"))
    screen.press("d")
    #expect(screen.text.contains("2 of 2 packages"))
    #expect(screen.focus == "package-gpgv2")
    screen.press("u", "u")
    #expect(screen.text.contains("3 of 3 packages"))
    #expect(!screen.text.split(separator: "\n")[2].hasSuffix("held"))
    screen.press("u")
    #expect(screen.text.hasSuffix("there is nothing to undo"))
  }

  @Test(arguments: [["d"], ["right", "right", "return"]])
  func `removing from the page of a package leads to the row in its place`(
    _ keys: [TerminalKey]
  ) {
    screen.press("down", "return")
    for key in keys { screen.press(key) }
    #expect(screen.focus == "package-gpgv2")
    screen.press("u")
    #expect(screen.text.contains("3 of 3 packages  / search"))
    screen.press("end", "return", "d")
    #expect(screen.focus == "package-gpgv2")
    #expect(screen.text.contains("2 of 2 packages  / search"))
  }

  @Test func `a package that was removed far from where the list stands leaves the focus there`()
    throws
  {
    let store = Store(undoLimit: .max)
    let names = (10..<50).map { "p\($0)" }
    let file = names.map { "Package: \($0)\nVersion: 1\nDepends: p40" }.joined(separator: "\n\n")
    try store.load(ControlFile(parsing: Array(file.utf8).span))
    let browser = Browser(store)
    let screen = TerminalScreen(store, width: 68, height: 8) { CatalogTerminal(browser) }
    screen.press("down", "return", "down", "return")
    #expect(screen.text.hasPrefix("p40  1"))
    screen.press("d")
    #expect(screen.text.contains("39 of 39 packages  / search"))
    for name in names where name != "p40" {
      #expect(screen.focus == "package-\(name)")
      screen.press("down")
    }
  }

  @Test func `during a search the line explains the keys that are no part of it`() {
    #expect(screen.focus == "search")
    #expect(
      screen.text.hasSuffix("3 of 3 packages  down to the packages  f1 help  ctrl-c quit"))
    screen.press("down")
    #expect(
      screen.text.hasSuffix(
        "3 of 3 packages  / search  h hold  d remove  u undo  ? help  q quit"))
  }

  @Test func `a slash goes to the search, and letters are its own there`() {
    screen.press("down", "/")
    screen.type("hdq")
    #expect(screen.text.hasPrefix("Search: hdq"))
  }

  @Test(arguments: [(20, 4), (30, 5), (200, 60), (10, 3), (1, 1)])
  func `any size shows something, and keys still work`(_ width: Int, _ height: Int) {
    screen.resize(width: width, height: height)
    let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= height && lines.allSatisfy { $0.count <= width })
    screen.press("down", "return", "escape", "tab", "page-down", "end", "home", "ctrl-l")
    #expect(!screen.text.isEmpty)
  }
}
