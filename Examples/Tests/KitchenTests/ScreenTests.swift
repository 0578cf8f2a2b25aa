import KitchenApp
import Signals
import SignalsTerminal
import SignalsTesting
import Testing

/// A kitchen on screen, on a clock that the test advances.
@MainActor
struct Mounted {
  let store: Store
  let clock = ManualClock()
  let service: Service
  let app: TestHost

  init(_ lines: String..., in store: Store = Store()) throws {
    self.store = store
    if store.results(Kitchen.self).isEmpty { try Kitchen.sample(in: store) }
    let service = try Service(store, clock: clock)
    self.service = service
    app = try TestHost(store) { KitchenScreen(service) }
    try perform(lines)
  }

  /// Performs requests like a session of lines.
  func perform(_ lines: [String]) throws {
    for line in lines {
      let intent = try #require(try Intent.parse(line))
      try app.host.perform(named: line) { try intent.perform(in: service) }
    }
  }
}

@MainActor
@Suite(.leavesNothing) struct `The kitchen's screen` {
  private static let service = [
    "order 4 2 tomato soup", "order 4 steak", "wait 5", "order 7 mushroom risotto",
    "order 4 steak", "wait 3", "serve 4 steak", "order 4 burrata", "wait 9", "pay 4",
  ]

  @Test func `it shows figures, next orders, waiting tables, and the work of stations`() throws {
    let kitchen = try Mounted()
    try kitchen.perform(Self.service)
    #expect(
      kitchen.app.text == """
        [Pass]  [Menu]  [History]  [Undo: bill of table 4]  [Redo]
        Minute 17: 4 plates to serve, the oldest from minute 0
        Takings 66.50, served after 480 s on average
        Next
        [Order 1, table 4: 2 plates]
        [Order 2, table 7: 1 plate]
        [Order 3, table 4: 1 plate]
        Waiting tables: 2
        table 4, 17 min
        table 7, 12 min
        cold: 1 plate, the oldest from minute 8  [Serve all]
        [1 burrata, table 4]
        stove: 3 plates, the oldest from minute 0  [Serve all]
        [2 tomato soup, table 4]
        [1 mushroom risotto, table 7]
        """)
  }

  @Test func `serving a station is one step, which the undo button names`() throws {
    let kitchen = try Mounted("order 4 2 tomato soup", "order 7 tomato soup", "wait 2")
    let app = kitchen.app
    try app.tap("serve-stove")
    #expect(try app.find("undo").text == "Undo: serve stove")
    #expect(app.text.contains("Minute 2: 0 plates to serve\n"))
    #expect(app.text.contains("served after 120 s on average"))
    try app.tap("undo")
    #expect(app.text.contains("stove: 3 plates, the oldest from minute 0  [Serve all]\n"))
    #expect(try app.find("redo").text == "Redo: serve stove")
    try app.tap("redo")
    #expect(!app.exists("serve-stove"))
  }

  @Test func `serving a line changes that line and the figures, and nothing else`() throws {
    let kitchen = try Mounted("order 4 2 tomato soup", "order 4 steak")
    try kitchen.app.expectChanges(
      """
      ~ OrderLine 2
          served: nil -> 0
      screen
            button #history "History"
      -     button #undo "Undo: order steak"
      +     button #undo "Undo: serve steak"
            button #redo "Redo" (disabled)
      -   text "Minute 0: 3 plates to serve, the oldest from minute 0"
      -   text "Takings 0.00"
      +   text "Minute 0: 2 plates to serve, the oldest from minute 0"
      +   text "Takings 0.00, served after 0 s on average"
          section "Next"
      -     button #order-1 "Order 1, table 4: 3 plates"
      +     button #order-1 "Order 1, table 4: 2 plates"
            text "table 4, 0 min"
      -   section
      -     sectionHeader
      -       row
      -         text "grill: 1 plate, the oldest from minute 0"
      -         button #serve-grill "Serve all"
      -     button #serve-1-steak "1 steak, table 4"
      """
    ) {
      try kitchen.app.tap("serve-1-steak")
    }
  }

  @Test func `a refusal is on screen until it is read`() throws {
    let kitchen = try Mounted("order 4 3 burrata")
    let app = kitchen.app
    try app.tap("menu")
    app.expectChanges(
      """
      screen
          row [2 of 11]
      +     text "! burrata is sold out"
      +     button #ok "OK"
      +   row
      """
    ) {
      #expect(throws: KitchenError.soldOut("burrata", left: 0)) { try app.tap("order-burrata") }
    }
    try app.tap("ok")
    #expect(!app.text.contains("sold out"))
    #expect(throws: KitchenError.self) { try app.tap("order-burrata") }
    try app.tap("pass")
    #expect(!app.text.contains("sold out"))
  }

  @Test func `the menu is searched once the user pauses, or with return`() throws {
    let kitchen = try Mounted()
    let app = kitchen.app
    try app.tap("menu")
    try app.type("s", into: "search")
    kitchen.clock.advance(by: .milliseconds(200))
    try app.type("so", into: "search")
    kitchen.clock.advance(by: .milliseconds(200))
    #expect(app.exists("order-steak"))
    kitchen.clock.advance(by: .milliseconds(100))
    #expect(
      app.text.hasSuffix(
        """
        Table: [1]  Search: [so]
        [lemon sorbet]  5.00, 2 left, 0 open
        [mushroom risotto]  14.00, 6 left, 0 open
        [tomato soup]  5.50, 12 left, 0 open
        """))
    try app.type("steak", into: "search")
    try app.submit("search")
    #expect(app.exists("order-steak"))
    #expect(!app.exists("order-tomato soup"))
  }

  @Test func `a table has its orders and its bill`() throws {
    let kitchen = try Mounted()
    try kitchen.perform(Self.service)
    try kitchen.app.tap("order-3")
    #expect(
      kitchen.app.text == """
        [Pass]  [Menu]  [History]  [Undo: bill of table 4]  [Redo]
        Table 4: 0.00 to pay  [Bill]
        Order 1, minute 0, 57.00: paid  [Cancel]
        2 tomato soup
        2 steak, served in minute 8
        Order 3, minute 8, 9.50: paid  [Cancel]
        1 burrata
        """)
    #expect(throws: KitchenError.paid(order: 3)) { try kitchen.app.tap("cancel-3") }
  }

  @Test func `the bell rings for an order that waits too long, and is quiet later`() throws {
    let kitchen = try Mounted("order 4 steak")
    let service = kitchen.service
    service.follow(kitchen.clock)
    kitchen.clock.advance(by: .seconds(60 * 15 - 1))
    #expect(service.bell.messages == [])
    kitchen.clock.advance(by: .seconds(1))
    #expect(service.bell.messages == ["waiting too long: table 4"])
    #expect(kitchen.app.text.contains("Minute 15: 1 plate to serve, the oldest from minute 0\n"))
    kitchen.clock.advance(by: .seconds(9))
    #expect(service.bell.messages.count == 1)
    kitchen.clock.advance(by: .seconds(1))
    #expect(service.bell.messages == [])
    #expect(!kitchen.store.history.undoSteps.contains { $0.label == nil })
  }

  @Test func `each ring is shown for ten seconds`() throws {
    let kitchen = try Mounted("order 4 steak")
    let service = kitchen.service
    try service.kitchen.wait(10)
    try kitchen.perform(["order 7 steak"])
    try service.kitchen.wait(5)
    kitchen.clock.advance(by: .seconds(4))
    try service.kitchen.wait(10)
    let (first, second) = ("waiting too long: table 4", "waiting too long: table 7")
    #expect(service.bell.messages == [first, second])
    kitchen.clock.advance(by: .seconds(6))
    #expect(service.bell.messages == [second])
    kitchen.clock.advance(by: .seconds(4))
    #expect(service.bell.messages == [])
  }

  @Test func `on a full screen, keys lead to places, and the bell is in the last line`() throws {
    let store = Store()
    try Kitchen.sample(in: store, withOrders: true)
    let service = try Service(store, clock: ManualClock())
    let screen = TerminalScreen(store, width: 72, height: 12) { KitchenTerminal(service) }
    #expect(!store.canUndo)
    try service.kitchen.wait(15)
    #expect(
      screen.text == """
        [Pass]  [Menu]  [History]  [Undo]  [Redo]                              █
        Minute 15: 9 plates to serve, the oldest from minute 0                 █
        Takings 0.00                                                           █
        Next                                                                   █
        [Order 1, table 4: 3 plates]                                           █
        [Order 2, table 7: 2 plates]                                           █
        [Order 3, table 2: 2 plates]                                           █
        Waiting tables: 4                                                      █
        table 4, 15 min                                                        █
        table 7, 15 min                                                        │
        Bell: waiting too long: table 4, table 7, table 2, table 9
        p pass  m menu  / search  h history  u undo  r redo  ? help  q quit
        """)
    screen.press("/")
    screen.type("sorbet")
    screen.press("return", "down", "return")
    #expect(
      screen.text == """
        [Pass]  [Menu]  [History]  [Undo: order lemon sorbet]  [Redo]
        Table: 1                            Search: sorbet
        [lemon sorbet]        5.00, 1 left, 1 open







        Bell: waiting too long: table 4, table 7, table 2, table 9
        p pass  m menu  / search  h history  u undo  r redo  ? help  q quit
        """)
    screen.press("u", "h")
    #expect(
      screen.text == """
        [Pass]  [Menu]  [History]  [Undo]  [Redo: order lemon sorbet]
        Done: 0
        Undone: 1
        minute 15: order lemon sorbet






        Bell: waiting too long: table 4, table 7, table 2, table 9
        p pass  m menu  / search  h history  u undo  r redo  ? help  q quit
        """)
  }
}
