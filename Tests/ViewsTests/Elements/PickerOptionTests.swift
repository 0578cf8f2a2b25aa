import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Options of pickers: chosen by identity, shown by title.
@Suite struct `Elements, options of pickers` {
  final class Dish: Object {
    @PrimaryKey var number = 0
    @Field var title = ""
    @Field var price = 0.0
  }

  final class Order: Object { @Link var dish: Dish? }

  private func ids<Value: Hashable>(
    _ values: [Value], title: @escaping (Value) -> String = { "\($0)" }
  ) throws -> [String] {
    let app = try TestHost(Store()) {
      Picker("p", selection: .constant(values[0]), options: values, title: title)
    }
    return try app.find("p").options.map(\.id)
  }

  @Test func `of two dishes with one title the one that is meant is ordered`() throws {
    let store = Store(), order = Order()
    let dishes = (1...2).map { number in
      let dish = Dish()
      (dish.number, dish.title, dish.price) = (number, "Soup", 5.5)
      return dish
    }
    try store.write {
      try store.add(order)
      for dish in dishes { try store.add(dish) }
      order.dish = dishes[0]
    }
    let app = try TestHost(store) {
      Picker(
        "Dish", selection: Binding(get: { order.dish! }, set: { order.dish = $0 }), options: dishes
      ) { "\($0.title) \($0.price)" }
    }
    #expect(try app.find("Dish").options.map(\.description) == ["1 (Soup 5.5)", "2 (Soup 5.5)"])
    try app.host.perform("Dish", with: .choice("2"))
    #expect(order.dish === dishes[1])
    #expect(app.text == "Dish: <Soup 5.5>")
    let error = #expect(throws: TestHostError.self) { try app.select("Soup 5.5", in: "Dish") }
    #expect(error?.error == .ambiguousOption("Dish", title: "Soup 5.5", ids: ["1", "2"]))
    #expect(
      error?.error.description
        == #"several options of "Dish" are called "Soup 5.5": choose one by its id, 1, 2"#)
    try app.select("1", in: "Dish")
    #expect(order.dish === dishes[0])
  }

  struct Nameless: Hashable {
    let number: Int
  }

  @Test func `values that nothing tells apart but themselves are refused by name`() throws {
    let chosen = Signal(Nameless(number: 0))
    let options = (0..<3).map(Nameless.init)
    let app = try TestHost(Store()) {
      Picker("p", selection: chosen.binding, options: options) { $0.number < 2 ? "few" : "many" }
    }
    let error = HostError.ambiguousOption("p", title: "few")
    #expect(throws: error) { try app.host.perform("p", with: .choice("few")) }
    #expect(
      error.description
        == #"several options of "p" are called "few", and their values have no id or description to tell them apart"#
    )
    #expect(chosen.value.number == 0)
    try app.host.perform("p", with: .choice("many"))
    #expect(chosen.value.number == 2)
  }

  enum Size: String, Hashable { case small = "s", large = "l" }
  enum Plain: Hashable { case one, two }
  struct Theme: Hashable, Identifiable { let id: UUID }

  @Test func `an option is named by what its value is, the same in each process`() throws {
    let uuid = UUID()
    #expect(try ids(["a", "b"]) { "title \($0)" } == ["a", "b"])
    #expect(try ids([1, 2]) { _ in "same" } == ["1", "2"])
    #expect(try ids([Size.small, .large]) == ["s", "l"])
    #expect(try ids([Plain.one, .two]) { _ in "same" } == ["one", "two"])
    #expect(try ids([nil, 1] as [Int?]) { _ in "same" } == ["", "1"])
    #expect(try ids([Theme(id: uuid)]) { _ in "dark" } == [uuid.uuidString])
    #expect(try ids([Nameless(number: 1)]) { _ in "title" } == ["title"])
  }

  @Test func `equal values that repeat are one option`() throws {
    let chosen = Signal(1)
    let app = try TestHost(Store()) { Picker("p", selection: chosen.binding, options: [1, 2, 2]) }
    try app.select("2", in: "p")
    #expect(chosen.value == 2)
  }

  @Test func `a selection that is no option is shown all the same`() throws {
    let app = try TestHost(Store()) { Picker("p", selection: .constant(9), options: [1, 2]) }
    #expect(app.text == "p: <9>")
    #expect(try app.find("p").value == .choice("9", of: ["1", "2"]))
  }

  @Test func `an option that has gone is refused by name`() throws {
    let app = try TestHost(Store()) {
      Picker("p", selection: .constant(1), options: [1, 2]) { "no. \($0)" }
    }
    #expect(throws: HostError.noOption("p", option: "3", options: ["1 (no. 1)", "2 (no. 2)"])) {
      try app.host.perform("p", with: .choice("3"))
    }
  }
}
