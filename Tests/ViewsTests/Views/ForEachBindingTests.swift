import Signals
import SignalsTesting
import Synchronization
import TestSupport
import Testing

private final class Order: Object, Validating {
  @Links var lines: List<OrderLine>
  @Field var tags: [Tag] = []
  @Field var words: [String] = []

  func validate(_ check: inout Validation) {
    check.require(!lines.isEmpty, at: \Order.lines, "Nothing is ordered")
  }
}

private final class OrderLine: EmbeddedObject, Validating {
  @Field var name = ""
  @Field var amount = 0

  convenience init(_ name: String, _ amount: Int) {
    self.init()
    (self.name, self.amount) = (name, amount)
  }

  func validate(_ check: inout Validation) {
    check.require(amount > 0, at: \OrderLine.amount, "At least one")
  }
}

/// A line that counts how often it is asked what is wrong.
private final class CountingLine: EmbeddedObject, Validating {
  static let validations = Atomic(0)
  @Field var amount = 1

  func validate(_ check: inout Validation) {
    CountingLine.validations.add(1, ordering: .relaxed)
    check.require(amount > 0, at: \CountingLine.amount, "At least one")
  }
}

private final class LongOrder: Object {
  @Links var lines: List<CountingLine>
}

private struct Tag: Identifiable, Equatable, Codable {
  var id: Int
  var name: String
  var count = 1
}

/// Rows that are given bindings: `ForEachBinding($order.lines) { $line in … }`.
@Suite struct `Views, rows of bindings` {
  let store = Store()
  private let order = Order()

  init() throws {
    order.lines = [OrderLine("tea", 1), OrderLine("milk", 2), OrderLine("bread", 3)]
    order.tags = [Tag(id: 1, name: "a"), Tag(id: 2, name: "b")]
    try store.add(order)
  }

  private struct Form: View {
    @DraftObject var order: Order

    var body: Element {
      ForEachBinding($order.lines) { $line in
        TextField(line.name, value: $line.amount)
      }
      Button("Reverse") { order.lines.reverse() }
      Button("Drop") { order.lines.removeFirst() }
      Button("Save") { try $order.commit() }
    }
  }

  @Test func `of a draft's list a row edits its object, and shows what is wrong with it`() throws {
    let app = try TestHost(store) { Form(order: order) }
    #expect(app.text.hasPrefix("tea: [1]\nmilk: [2]\nbread: [3]\n"))
    try app.type("0", into: "milk")
    #expect(app.text.hasPrefix("tea: [1]\nmilk: [0]\n! At least one\nbread: [3]\n"))
    try app.type("x", into: "bread")
    #expect(app.text.contains("bread: [x]\n! \"x\" can't be used here\n"))
    // Both go with the object.
    try app.tap("Reverse")
    #expect(
      app.text.hasPrefix(
        "bread: [x]\n! \"x\" can't be used here\nmilk: [0]\n! At least one\ntea: [1]\n"))
    #expect(order.lines.map(\.amount) == [1, 2, 3])
    let error = #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(error?.errors.map(\.property) == ["lines[0].amount", "lines[1].amount"])
    try app.tap("Drop")
    try app.type("7", into: "milk")
    try app.tap("Save")
    #expect(order.lines.map(\.name) == ["milk", "tea"] && order.lines.map(\.amount) == [7, 1])
  }

  private struct Lines: View {
    @ObservedObject var order: Order

    var body: Element {
      ForEachBinding($order.lines) { $line in
        TextField(line.name, value: $line.amount)
        Button("another \(line.name)") { line = OrderLine("other", 9) }
      }
    }
  }

  @Test func `a row of an object runs for what it reads of that alone`() throws {
    let app = try TestHost(store) { Lines(order: order) }
    let bodies = app.bodies
    try app.type("5", into: "milk")
    #expect(app.bodies == bodies + 1 && order.lines[1].amount == 5)
    order.lines.append(OrderLine("salt", 1))
    #expect(app.text.contains("salt: [1]"))
    // The new row, and the field in it.
    #expect(app.bodies == bodies + 3)
  }

  @Test func `what is written to the row's binding takes the object's place in the list`() throws {
    let app = try TestHost(store) { Lines(order: order) }
    order.lines.move(fromOffsets: [2], toOffset: 0)
    try app.tap("another milk")
    #expect(order.lines.map(\.name) == ["bread", "tea", "other"])
    #expect(!app.text.contains("milk") && app.text.contains("other: [9]"))
  }

  private final class Held {
    var tag: Binding<Tag>?
    var line: Binding<OrderLine>?
  }

  private struct Tags: View {
    @ObservedObject var order: Order
    let held: Held

    var body: Element {
      ForEachBinding($order.tags) { $tag in
        let _ = held.tag = $tag
        TextField("tag \(tag.id)", text: $tag.name)
        TagName(tag: $tag)
      }
      ForEachBinding($order.lines) { $line in
        let _ = held.line = $line
        Text(line.name)
      }
    }
  }

  private struct TagName: View {
    @Binding var tag: Tag
    var body: Element { Text("is \(tag.name)") }
  }

  @Test func `of plain values a row edits its own, wherever that stands`() throws {
    let app = try TestHost(store) { Tags(order: order, held: Held()) }
    #expect(app.text.hasPrefix("tag 1: [a]\nis a\ntag 2: [b]\nis b\n"))
    try app.type("c", into: "tag 2")
    #expect(order.tags == [Tag(id: 1, name: "a"), Tag(id: 2, name: "c")])
    #expect(app.text.hasPrefix("tag 1: [a]\nis a\ntag 2: [c]\nis c\n"))
    order.tags = [Tag(id: 3, name: "x"), Tag(id: 2, name: "y")].reversed()
    #expect(app.text.hasPrefix("tag 2: [y]\nis y\ntag 3: [x]\nis x\n"))
    try app.type("z", into: "tag 2")
    #expect(order.tags.map(\.name) == ["z", "x"])
  }

  @Test func `what is written to the binding of a row that has gone is dropped`() throws {
    let held = Held()
    _ = try TestHost(store) { Tags(order: order, held: held) }
    let (tag, line) = (try #require(held.tag), try #require(held.line))
    #expect((tag.wrappedValue.id, line.wrappedValue.name) == (2, "bread"))
    order.tags.removeLast()
    order.lines.removeLast()
    tag.wrappedValue.name = "late"
    line.wrappedValue = OrderLine("late", 1)
    #expect(order.tags == [Tag(id: 1, name: "a")] && tag.wrappedValue.name == "b")
    #expect(order.lines.map(\.name) == ["tea", "milk"])
  }

  private struct OddForm: View {
    @DraftObject var order: Order

    var body: Element {
      ForEachBinding($order.lines, id: \.name) { $line in
        TextField(line.name, value: $line.amount)
      }
      ForEachBinding($order.tags) { $tag in
        TextField("tag \(tag.id)", value: $tag.count)
      }
      Button("Save") { try $order.commit() }
    }
  }

  @Test func `objects told apart by a property have what is wrong beside them, too`() throws {
    let app = try TestHost(store) { OddForm(order: order) }
    try app.type("0", into: "milk")
    #expect(app.text.hasPrefix("tea: [1]\nmilk: [0]\n! At least one\nbread: [3]\n"))
  }

  @Test func `a text typed for a part of a value is in no other's field`() throws {
    let app = try TestHost(store) { OddForm(order: order) }
    try app.type("x", into: "tag 2")
    #expect(app.text.contains("tag 1: [1]\ntag 2: [x]\n! \"x\" can't be used here\n[Save]"))
    let error = #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(error?.errors.map(\.property) == ["tags"])
    try app.type("5", into: "tag 2")
    try app.tap("Save")
    #expect(order.tags.map(\.count) == [1, 5])
  }

  private struct LongForm: View {
    @DraftObject var order: LongOrder

    var body: Element {
      ForEachBinding($order.lines) { $line in TextField("amount", value: $line.amount) }
      Button("first") { order.lines[0].amount = 0 }
    }
  }

  @Test func `what is wrong with a draft is asked once, however many fields show it`() throws {
    let long = LongOrder()
    long.lines = List((0..<100).map { _ in CountingLine() })
    try store.add(long)
    let app = try TestHost(store) { LongForm(order: long) }
    let before = CountingLine.validations.load(ordering: .relaxed)
    try app.tap("first")
    #expect(app.text.hasPrefix("amount: [0]\n! At least one\namount: [1]\n"))
    #expect(CountingLine.validations.load(ordering: .relaxed) - before <= 200)
  }

  private struct Twice: View {
    @ObservedObject var order: Order

    var body: Element {
      ForEachBinding($order.words, id: \.self) { $word in
        Button("set \(word)") {
          word += "!"
          word += "?"
        }
      }
      ForEachBinding($order.lines) { $line in
        Button("another \(line.name)") {
          line = OrderLine("other", 9)
          line.amount = 7
          if order.words.isEmpty { throw CancellationError() }
        }
        Text("\(line.name) \(line.amount)")
      }
    }
  }

  @Test func `a row's binding follows what was written to it, unless that was undone`() throws {
    order.words = ["x", "a", "a"]
    let app = try TestHost(store) { Twice(order: order) }
    try app.tap("set x")
    try app.tap("another milk")
    #expect(order.words == ["x!?", "a", "a"] && order.lines.map(\.amount) == [1, 7, 3])
    order.words = []
    #expect(throws: CancellationError.self) { try app.tap("another tea") }
    #expect(order.lines.map(\.amount) == [1, 7, 3])
    #expect(app.text.contains("tea 1") && !app.text.contains("other 9"))
  }

  @Test func `values of one id are edited each by its own row`() throws {
    order.words = ["", "x", ""]
    let app = try TestHost(store) {
      ForEachBinding(Binding(get: { order.words }, set: { order.words = $0 }), id: \.self) {
        $word in
        Button("set \(word)") { word += "!" }
      }
    }
    #expect(app.text == "[set ]\n[set x]\n[set ]")
    try app.tap("set x")
    #expect(order.words == ["", "x!", ""])
  }
}
