import KitchenApp
import Signals
import Testing

/// The rules of the kitchen, without a screen.
@Suite struct `A kitchen` {
  let store = Store()
  let kitchen: Kitchen

  init() throws {
    try Kitchen.sample(in: store)
    kitchen = try Kitchen.opened(in: store)
  }

  @discardableResult
  private func order(_ name: String, plates: Int = 1, for table: Int) throws -> Order {
    try kitchen.order(plates, of: kitchen.dish(name), for: table)
  }

  @Test func `an order takes its plates from the stock, and undo returns them`() throws {
    let dish = try kitchen.dish("burrata")
    let order = try order("burrata", plates: 2, for: 4)
    #expect((dish.stock, dish.openPlates, order.total) == (1, 2, 1900))
    #expect(store.history.undoLabel == "order burrata")
    try store.undo()
    #expect((dish.stock, dish.openPlates, order.isDeleted) == (3, 0, true))
    try store.redo()
    #expect((dish.stock, dish.openPlates, order.isDeleted) == (1, 2, false))
  }

  @Test func `undoing an order keeps a later delivery`() throws {
    let dish = try kitchen.dish("burrata")
    try order("burrata", plates: 2, for: 4)
    try dish.restock(by: 5)
    #expect(store.history.undoCount == 1)
    try store.undo()
    #expect(dish.stock == 8)
  }

  @Test func `a dish that is sold out can't be ordered, and nothing has changed`() throws {
    let before = store.snapshot()
    #expect(throws: KitchenError.soldOut("burrata", left: 3)) {
      try order("burrata", plates: 4, for: 4)
    }
    #expect(store.snapshot() == before)
    #expect(!store.canUndo)
  }

  @Test func `a redo is refused if the plates are gone by then`() throws {
    let dish = try kitchen.dish("lemon sorbet")
    try order("lemon sorbet", plates: 2, for: 4)
    try store.undo()
    try dish.restock(by: -2)
    #expect(throws: KitchenError.soldOut("lemon sorbet", left: 0)) { try store.redo() }
    #expect(dish.stock == 0)
    #expect(store.canRedo)
  }

  @Test func `an order grows until the kitchen begins with it`() throws {
    let first = try order("steak", for: 4)
    #expect(try order("steak", plates: 2, for: 4) === first)
    #expect(first.lines.map(\.plates) == [3])
    try kitchen.serve(kitchen.dish("steak"), to: 4)
    let second = try order("steak", for: 4)
    #expect(second !== first)
    #expect(kitchen.orders(of: 4) == [first, second])
    #expect(kitchen.orders(of: 5) == [])
  }

  @Test func `a bill is the sum of what isn't paid`() throws {
    try order("steak", plates: 2, for: 4)
    try order("green salad", for: 5)
    let bill = try kitchen.pay(table: 4)
    #expect(bill.total == 4600)
    #expect(bill.orders.map(\.number) == [1])
    #expect(throws: KitchenError.nothingToPay(table: 4)) { try kitchen.pay(table: 4) }
    try store.undo()
    #expect(kitchen.orders(of: 4).first?.bill == nil)
  }

  @Test func `a canceled order returns its plates`() throws {
    try order("steak", plates: 2, for: 4).cancel()
    #expect(try kitchen.dish("steak").stock == 4)
    #expect(store.results(OrderLine.self).isEmpty)
  }

  @Test func `a paid order and a served one can't be canceled`() throws {
    let paid = try order("steak", for: 4)
    try kitchen.pay(table: 4)
    #expect(throws: KitchenError.paid(order: 1)) { try paid.cancel() }
    #expect(try kitchen.dish("steak").stock == 3)
    let served = try order("steak", for: 5)
    try kitchen.serve(kitchen.dish("steak"), to: 5)
    #expect(throws: KitchenError.alreadyServed(order: 2, dish: "steak")) { try served.cancel() }
  }

  @Test func `steps have the minute of the service as their date`() throws {
    try kitchen.wait(3)
    try order("steak", for: 4)
    try kitchen.wait(2)
    try kitchen.serve(kitchen.dish("steak"), to: 4)
    #expect(store.history.undoSteps.map(\.label) == ["serve steak", "order steak"])
    #expect(store.history.undoSteps.map(\.date) == [.seconds(300), .seconds(180)])
  }

  @Test(arguments: [
    ("order 4 2 tomato soup", Intent.order(table: 4, plates: 2, dish: "tomato soup")),
    ("order 4 steak", .order(table: 4, plates: 1, dish: "steak")),
    ("spoil 2 steak", .restock(plates: -2, dish: "steak")), ("  wait\t5 ", .wait(5)),
  ])
  func `a line is an intent`(_ line: String, _ intent: Intent) throws {
    #expect(try Intent.parse(line) == intent)
  }

  @Test(arguments: [
    ("order four steak", "\"four\" is no number from 1 to 99"),
    ("order 4", "say order TABLE [PLATES] DISH"), ("pay", "say pay TABLE"),
    ("wait 99999999999999999999", "\"99999999999999999999\" is no number from 1 to 600"),
    ("undo twice", "\"twice\" is too much: say undo"),
  ])
  func `a line with a mistake is refused, and the mistake is named`(
    _ line: String, _ message: String
  ) {
    let error = #expect(throws: IntentError.self) { try Intent.parse(line) }
    #expect(error?.description == message)
  }
}
