import Foundation
import Testing

/// The examples as they are started: the programs themselves, from `main` to the way they end.
@Suite(.serialized) struct `The apps, on a terminal` {
  private static let sample = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/CatalogApp/Resources/packages.control").path(percentEncoded: false)

  private static let (large, small) = ((width: 80, height: 24), (width: 20, height: 5))

  private func start(
    _ name: String, _ arguments: [String] = [], _ size: (width: Int, height: Int)
  ) throws -> RunningApp {
    try RunningApp(name, arguments, width: size.width, height: size.height)
  }

  @Test func `catalog searches, opens a package and goes back`() async throws {
    let app = try start("catalog", [Self.sample], Self.large)
    try await app.wait(for: "the table") { $0.screen.text.hasPrefix(goldenCatalog) }
    #expect(!app.isRestored)
    app.type("日é")
    try await app.wait("Search: 日é")
    try await app.wait("\n0 of ")
    app.type("\u{7F}\u{7F}libc6")
    try await app.wait("Search: libc6")
    app.type("\u{1B}[B\r")
    try await app.wait("[Back]  [Hold]  [Remove]")
    app.type("\u{1B}")
    try await app.wait("Search: libc6")
    app.type("\u{3}")
    try await app.expectEnd(.exit(0))
  }

  @Test func `catalog on a small terminal`() async throws {
    let app = try start("catalog", [Self.sample], Self.small)
    try await app.wait(for: "the table") { $0.screen.text == goldenSmallCatalog }
    // Where it is narrow the titles stand between.
    app.type("\u{1B}[B\u{1B}[B\r")
    try await app.wait("[Back]")
    app.type("\u{1B}")
    try await app.wait(for: "the table") { $0.screen.text == goldenSmallCatalog }
    app.type("\u{3}")
    try await app.expectEnd(.exit(0))
  }

  @Test func `kitchen takes an order, and undoes it`() async throws {
    let app = try start("kitchen", [], Self.large)
    try await app.wait("Minute 0: 9 plates to serve")
    app.type("m")
    try await app.wait("Table: 1")
    app.type("/sorbet")
    try await app.wait(for: "one dish") { !$0.screen.text.contains("cheesecake") }
    app.type("\u{1B}[B\r")
    try await app.wait("Undo: order lemon sorbet")
    app.type("u")
    try await app.wait("Redo: order lemon sorbet")
    app.type("q")
    try await app.expectEnd(.exit(0))
  }

  @Test func `library searches, borrows and takes back`() async throws {
    let app = try start("library", [], Self.large)
    try await app.wait("[Borrow Hyperion]")
    app.type("body")
    try await app.wait("Search: body\n[Borrow The Three-Body Problem]\nBorrowed by Case: 0")
    app.type("\u{1B}[B")
    try await app.wait("The Three-Body Problem, by 刘慈欣\n")
    app.type("\r")
    try await app.wait("Borrowed by Case: 1\n[Return The Three-Body Problem]")
    // The book is not among the others any more: the search has the focus.
    app.type("\u{1B}[B\r")
    try await app.wait("Borrowed by Case: 0")
    app.type("\u{3}")
    try await app.expectEnd(.exit(0))
  }

  @Test func `library on a small terminal`() async throws {
    let app = try start("library", [], Self.small)
    try await app.wait("Available: 28")
    app.type("\u{1B}[B\u{1B}[B")
    try await app.wait("[Borrow A Fire Upo…")
    app.type("/dune")
    try await app.wait("Search: dune")
    app.type("\u{3}")
    try await app.expectEnd(.exit(0))
  }

  @Test(arguments: [false, true])
  func `people changes by itself, and shows who is chosen`(_ isSmall: Bool) async throws {
    let app = try start("people", ["3", "3"], isSmall ? Self.small : Self.large)
    app.type("++++++")
    try await app.wait("3/3")
    if !isSmall {
      try await app.wait("Name 612")
      app.type("\u{1B}[B\u{1B}[A\r")
      try await app.wait("Chosen: ")
      app.type("\u{1B}")
      try await app.wait(for: "nobody chosen") { !$0.screen.text.contains("Chosen: ") }
    }
    app.type("?")
    try await app.wait("Keys")
    app.type("\u{3}")
    try await app.expectEnd(.exit(0))
  }

  @Test(arguments: ["mvi", "mvvm", "viper"])
  func `scrums meets while the clock advances`(_ style: String) async throws {
    let app = try start("scrums", ["--style", style, "--today", "2026-11-21"], Self.large)
    try await app.wait("Daily scrums: 3")
    app.type("\u{1B}[B\r")
    try await app.wait("10 min, Orange")
    app.type("m")
    try await app.wait("0:01 elapsed, 9:59 left")
    app.type("p")
    try await app.wait("left, paused")
    app.type("\u{3}")
    try await app.expectEnd(.exit(0))
  }

  @Test func `scrums on a small terminal`() async throws {
    let app = try start("scrums", ["--today", "2026-11-21"], Self.small)
    try await app.wait("n new")
    app.type("n")
    try await app.wait("Title:")
    app.type("Retro")
    try await app.wait("Title: Retro")
    app.type("\u{1B}")
    try await app.wait("n new")
    app.type("\u{3}")
    try await app.expectEnd(.exit(0))
  }

  @Test func `scrums tells on screen that its file can't be written`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "scrums-\(UUID())").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    // The file may not grow beyond 2 KiB: the first commits fit, and all objects don't in the end.
    let app = try RunningApp(
      "scrums", ["--store", path], width: 80, height: 24,
      script: #"trap "" XFSZ; ulimit -f 4; "$0" "$@"; echo "status $?""#)
    try await app.wait("Daily scrums: 3")
    app.type("n")
    try await app.wait("Title:")
    app.type(String(repeating: "Retro ", count: 500))
    try await app.wait("not saved: ")
    app.type("\u{3}")
    try await app.wait("status 73")
    try await app.expectEnd(.exit(0))
  }

  @Test(arguments: [
    ("catalog", "packages"), ("kitchen", "Minute"), ("library", "Borrow"), ("people", "/"),
    ("scrums", ":"),
  ])
  func `who is asked to end ends so`(_ name: String, _ text: String) async throws {
    let app = try start(name, name == "catalog" ? [Self.sample] : [], Self.large)
    try await app.wait(text)
    app.send(SIGTERM)
    try await app.expectEnd(.signal(SIGTERM))
  }

  @Test func `a shell stops an app, and continues it`() async throws {
    // The shell waits for its job as `waitpid` does with `WUNTRACED`: 148 is a stop by SIGTSTP.
    let app = try RunningApp(
      "catalog", [Self.sample], width: 80, height: 24,
      script: #""$0" "$@"; echo "status $?"; read line; fg > /dev/null; echo "status $?""#)
    try await app.wait(for: "the table") { $0.screen.text.hasPrefix(goldenCatalog) }
    app.send(SIGTSTP)
    try await app.wait("status 148")
    #expect(app.isRestored)
    app.type("\n")
    try await app.wait(for: "the table") { $0.screen.text.hasPrefix(goldenCatalog) }
    #expect(!app.isRestored)
    app.type("\u{3}")
    try await app.wait("status 0")
    try await app.expectEnd(.exit(0))
  }
}

/// All but the keys at the foot.
private let goldenCatalog = """
  Search:                                                           Section: ‹all›
  Name ▲                       Version                  KiB  Section
  adduser                      3.134                    686  admin               █
  apt                          2.6.1                   4232  admin               █
  base-files                   12.4+deb12u5             341  admin               █
  bash                         5.2.15-2+b2             7164  shells              █
  bsdutils                     1:2.38.1-5+b1            356  utils               █
  bzip2                        1.0.8-5+b1               113  utils               █
  ca-certificates              20230311                 387  misc                █
  coreutils                    9.1-1                  18062  utils               █
  curl                         7.88.1-10                501  web                 │
  dash                         0.5.12-2                 191  shells              │
  debconf                      1.5.82                     0  admin               │
  debian-archive-keyring       2023.3                   160  misc                │
  debianutils                  5.7-0.5~deb12u1          243  utils               │
  dpkg                         1.21.22                 6315  admin               │
  e2fsprogs                    1.47.0-2                1511  admin               │
  findutils                    4.9.0-4                 1998  utils               │
  gawk                         1:5.2.1-2               2940  interpreters        │
  git                          1:2.39.2-1.1           46932  vcs                 │
  git-man                      1:2.39.2-1.1            2122  doc                 │
  gpgv                         2.2.40-1.1               900  utils               │
  grep                         3.8-5                   1128  utils               │
  60 of 60 packages
  """

private let goldenSmallCatalog = """
  Search:       Sect…█
  Name ▲      …      │
  adduser     …      │
  apt         …      │
  base-files  …      │
  """
