import Signals
import SignalsTesting
import TestSupport
import Testing

/// What a form says of links to deleted objects, of lists, and of what stands beside fields already.
@Suite struct `Drafts, what is said where` {
  final class Dish: Object { @Field var name = "" }

  final class OrderLine: EmbeddedObject, Validating {
    @Field var amount = 1
    @Link var dish: Dish?

    func validate(_ check: inout Validation) {
      check.require(amount > 0, at: \OrderLine.amount, "At least one")
    }
  }

  final class Order: Object, Validating {
    @PrimaryKey var number = 0
    @Field var table = ""
    @Link var special: Dish?
    @Links var lines: List<OrderLine>

    func validate(_ check: inout Validation) {
      check.require(!table.isEmpty, at: \Order.table, "Which table?")
      check.require(lines.count < 3, at: \Order.lines, "At most two lines")
    }
  }

  private struct Form: View {
    @DraftObject var order: Order
    let dishes: Results<Dish>
    var showsTable = true
    let errors: Signal<[String]>

    private var options: [Dish?] { [nil] + dishes.map { $0 } }

    var body: Element {
      let errors = errors
      Column {
        if showsTable { TextField("Table", text: $order.table) }
        Picker("Special", selection: $order.special, options: options) { $0?.name ?? "none" }
        ForEachBinding($order.lines) { $line in TextField("Amount", value: $line.amount) }
        ErrorText(of: $order.lines)
        Button("Save") { try $order.commit() }
      }.onError { errors.value.append("\($0)") }
    }
  }

  private let store = Store()
  private let errors = Signal<[String]>([])

  private func dish(_ name: String) throws -> Dish {
    let dish = Dish()
    dish.name = name
    return try store.add(dish)
  }

  private func order(lines: Int = 0) throws -> Order {
    let order = Order()
    order.table = "7"
    for _ in 0..<lines { order.lines.append(OrderLine()) }
    return try store.add(order)
  }

  @Test func `the error of a link to a deleted object is shown beside its field`() throws {
    let (order, fish) = (try order(), try dish("Fish"))
    let app = try TestHost(store) {
      Form(order: order, dishes: store.results(Dish.self), errors: errors)
    }
    try app.select("Fish", in: "Special")
    #expect(!app.text.contains("!"))
    try store.delete(fish)
    #expect(app.text.contains("! This was deleted"))
    let error = #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(
      error?.errors.map(\.description) == [#"special is Dish(name: "Fish"): This was deleted"#])
    #expect(errors.value == [])
    #expect(order.special == nil)
  }

  @Test func `a link that the draft has not changed is no error when its target goes`() throws {
    let (order, fish) = (try order(), try dish("Fish"))
    order.special = fish
    let draft = store.draft(of: order)
    draft.table = "8"
    try store.delete(fish)
    #expect(draft.errors == [])
    try draft.commit()
    #expect((order.table, order.special) == ("8", nil))
  }

  @Test func `a link of a new embedded object counts, and another choice mends it`() throws {
    let (order, fish, soup) = (try order(), try dish("Fish"), try dish("Soup"))
    let draft = store.draft(of: order)
    let line = OrderLine()
    line.dish = fish
    draft.lines.append(line)
    var seen: [[String]] = []
    let effect = Effect { seen.append(draft.errors.map(\.property)) }
    try store.delete(fish)
    line.dish = soup
    #expect(seen == [[], ["lines[0].dish"], []])
    try draft.commit()
    #expect(order.lines.first?.dish === soup)
    effect.cancel()
  }

  @Test func `the errors of a list are its own, those of its members are beside their fields`()
    throws
  {
    let order = try order(lines: 2)
    let app = try TestHost(store) {
      Form(order: order, dishes: store.results(Dish.self), errors: errors)
    }
    try app.type("0", into: app.elements { $0.text == "Amount" }[1])
    #expect(app.text.contains("Amount: [1]\nAmount: [0]\n! At least one\n[Save]"))
    try app.type("2", into: app.elements { $0.text == "Amount" }[1])
    let draft = store.draft(of: order)
    draft.lines.append(OrderLine())
    #expect(draft.errors.map(\.description).count == 1)
  }

  @Test func `errors shown beside fields on screen reach no onError`() throws {
    let order = try order()
    let app = try TestHost(store) {
      Form(order: order, dishes: store.results(Dish.self), errors: errors)
    }
    try app.type("", into: "Table")
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(errors.value == [])
    #expect(app.errors.isEmpty)
  }

  @Test func `what no field on screen shows reaches onError`() throws {
    let order = try order()
    order.table = ""
    let app = try TestHost(store) {
      Form(order: order, dishes: store.results(Dish.self), showsTable: false, errors: errors)
    }
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(errors.value == [#"Order(number: 0) is not valid: table is "": Which table?"#])
  }

  @Test func `a field that has left the screen shows nothing any more`() throws {
    let (order, showsTable) = (try order(), Signal(true))
    let (store, errors) = (store, errors)
    let app = try TestHost(store) {
      Form(
        order: order, dishes: store.results(Dish.self), showsTable: showsTable.value,
        errors: errors)
    }
    try app.type("", into: "Table")
    showsTable.value = false
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(errors.value.count == 1)
  }

  @Test func `a refused write that has no caller names both objects`() async {
    // A debug build stops there, and an optimized one goes on.
    #if DEBUG
      let condition = ExitTest.Condition.failure
    #else
      let condition = ExitTest.Condition.success
    #endif
    let result = await #expect(processExitsWith: condition, observing: [\.standardErrorContent]) {
      let (store, first, second, line) = (Store(), Order(), Order(), OrderLine())
      second.number = 2
      first.lines.append(line)
      try store.add(first)
      try store.add(second)
      first.lines.removeAll()
      second.lines.append(line)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Order(number: 2).lines can't link to OrderLine of #"))
  }

  @Test func `messages name classes, keys and labels`() throws {
    let (order, fish) = (try order(lines: 1), try dish("Fish"))
    try store.delete(fish)
    let line = order.lines[0]
    let error = #expect(throws: StoreError.self) { try store.write { line.dish = fish } }
    #expect(
      error?.description
        == #"OrderLine.dish of \#(line.objectID) can't link to Dish(name: "Fish"), which was deleted"#
    )
    let refused = #expect(throws: StoreError.self) { try store.write { order.special = fish } }
    #expect(
      refused?.description
        == #"Order(number: 0).special can't link to Dish(name: "Fish"), which was deleted"#)
  }
}
