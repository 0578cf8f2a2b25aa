import CatalogApp
import ControlFile
import KitchenApp
import LibraryApp
import PeopleApp
import ScrumsApp
import ScrumsModel
import Signals
import SignalsTerminal
import SignalsTesting
import Testing

/// Every app on a full screen: what lies over it takes every key.
@MainActor
@Suite struct `The examples, covered` {
  /// A screen of an app, and the keys that lead there.
  struct Place: CustomTestStringConvertible, Sendable {
    let app: App
    let keys: [String]
    var testDescription: String { "\(app) \(keys.joined(separator: " "))" }
  }

  enum App: Sendable { case catalog, kitchen, library, people, scrums }

  nonisolated static let places: [Place] = [
    Place(app: .catalog, keys: ["down"]), Place(app: .catalog, keys: ["down", "return"]),
    Place(app: .catalog, keys: []), Place(app: .kitchen, keys: []),
    Place(app: .kitchen, keys: ["m", "down", "down"]), Place(app: .kitchen, keys: ["/"]),
    Place(app: .kitchen, keys: ["down", "return"]), Place(app: .library, keys: ["down"]),
    Place(app: .library, keys: ["down", "return"]), Place(app: .people, keys: ["down", "return"]),
    Place(app: .people, keys: ["down"]), Place(app: .scrums, keys: []),
    Place(app: .scrums, keys: ["return"]), Place(app: .scrums, keys: ["n", "tab", "tab"]),
    Place(app: .scrums, keys: ["return", "m"]),
  ]

  /// An app on screen, on a clock that stands still.
  private struct Shown {
    let store = Store(undoLimit: .max)
    let screen: TerminalScreen

    @MainActor init(_ place: Place, width: Int = 70, height: Int = 20) throws {
      let store = store
      let root: () -> Element
      switch place.app {
      case .catalog:
        let file = "Package: apt\nSection: admin\nDepends: libc6\n\nPackage: libc6\nSection: libs\n"
        try store.load(ControlFile(parsing: Array(file.utf8).span))
        let browser = Browser(store)
        root = { CatalogTerminal(browser).element }
      case .kitchen:
        try Kitchen.sample(in: store, withOrders: true)
        let service = try Service(store, clock: ManualClock())
        root = { KitchenTerminal(service).element }
      case .library:
        let (library, member) = try Library.sample(in: store)
        root = { LibraryTerminal(store, library, member, .objects).element }
      case .people:
        let office = Office(store.snapshot(), seed: 3)
        let work = RemoteWork(office, for: store, limit: 0, clock: ManualClock())
        let course = Course()
        course.number = 1
        for number in 1...3 {
          let person = Person()
          person.number = number
          course.members.append(person)
        }
        try store.add(course)
        root = { PeopleTerminal(work, number: 1).element }
      case .scrums:
        try Scrums.seed(store)
        let clock = ManualClock()
        let connection = Connection(SampleService(), cache: nil, clock: clock)
        let world = World(
          store, feed: ScrumFeed(connection, into: store), ticker: Ticker(clock))
        root = { ScrumsTerminal(world, .mvi).element }
      }
      screen = TerminalScreen(store, width: width, height: height) { root() }
      for key in place.keys { screen.press(TerminalKey(parsing: key)) }
    }
  }

  /// The keys that a screen binds, and those that use and move.
  private func keys(of screen: TerminalScreen) -> [TerminalKey] {
    screen.host.keys.map { TerminalKey(parsing: $0.name) }
      + ["return", " ", "tab", "up", "down", "left", "right", "x", "delete", "page-down", "home"]
  }

  /// Presses a key under what covers the app, and expects that nothing comes of it once that is closed.
  private func expectNothing(
    _ shown: Shown, _ key: TerminalKey, open: (TerminalScreen) -> Void,
    close: (TerminalScreen) -> Void
  ) {
    let (screen, before) = (shown.screen, shown.screen.text)
    var commits = 0
    let token = shown.store.commits.sink { _ in commits += 1 }
    open(screen)
    #expect(screen.text != before)
    screen.press(key)
    close(screen)
    #expect(commits == 0, "\(key.fullName) wrote")
    #expect(!screen.hasQuit, "\(key.fullName) quit")
    #expect(screen.text == before, "\(key.fullName) changed the screen")
    token.cancel()
  }

  @Test(arguments: places) func `no key reaches an app below its help`(_ place: Place) throws {
    let shown = try Shown(place)
    for key in keys(of: shown.screen) {
      expectNothing(shown, key) {
        $0.press("f1")
      } close: { screen in
        if screen.text.contains("f1 q: close") { screen.press("escape") }
      }
    }
  }

  @Test(arguments: places) func `no key reaches an app below an error`(_ place: Place) throws {
    struct Refused: Error {}
    let shown = try Shown(place)
    for key in keys(of: shown.screen) where key != "x" && key != " " {
      // What is typed into a field goes there.
      if shown.screen.focus == "search", key.name.count == 1 { continue }
      expectNothing(shown, key) { screen in
        try? screen.host.perform { throw Refused() }
      } close: { _ in
      }
    }
  }

  @Test(arguments: [
    Place(app: .catalog, keys: ["tab"]), Place(app: .scrums, keys: ["n", "tab", "tab"]),
  ])
  func `no key reaches an app below the options of a picker`(_ place: Place) throws {
    let shown = try Shown(place)
    for key in keys(of: shown.screen) where key != "return" && key != " " {
      expectNothing(shown, key) {
        $0.press("return")
      } close: { screen in
        if screen.text.contains("┌") { screen.press("escape") }
      }
    }
  }

  @Test(arguments: ["escape", "?", "f1", "q"] as [TerminalKey])
  func `the help of every app closes with any of its keys`(_ key: TerminalKey) throws {
    for place in Self.places {
      let shown = try Shown(place)
      expectNothing(shown, key) {
        $0.press("f1")
      } close: { _ in
      }
    }
  }

  @Test(arguments: [(200, 60), (60, 8), (20, 5), (20, 4)])
  func `the help of every app scrolls to its end and back`(_ width: Int, _ height: Int) throws {
    for place in Self.places {
      let screen = try Shown(place, width: width, height: height).screen
      screen.press("f1")
      let top = screen.text
      #expect(top.hasPrefix("Keys"))
      for _ in 0..<40 { screen.press("down") }
      let bottom = screen.text
      #expect(bottom.contains("ctrl-c"))
      screen.press("home")
      #expect(screen.text == top)
      screen.press("end")
      #expect(screen.text == bottom)
      for _ in 0..<20 { screen.press("page-up") }
      #expect(screen.text == top)
      screen.scroll(by: 40, x: 1, y: 1)
      #expect(screen.text == bottom)
    }
  }
}
