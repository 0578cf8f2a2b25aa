import Foundation
import Signals
import TestSupport
import Testing

/// Comparisons are the user's code: what they read decides about the order, and they may only read.
@Suite struct `Comparisons that read` {
  let store = Store()

  @Test func `rows sorted by objects follow what these are compared by`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c"])
    let rows = store.results(Dish.self).sorted(by: \.cook)
    #expect(rows.map(\.title) == ["0", "1", "2"])
    dishes[0].cook?.name = "z"
    #expect(rows.map(\.title) == ["1", "2", "0"])
    for dish in dishes {
      let cook = dish.cook
      dish.cook = nil
      #expect(rows.first === dish)
      dish.cook = cook
    }
    #expect(rows.map(\.title) == ["1", "2", "0"])
    try store.delete(dishes[1])
    #expect(rows.map(\.title) == ["2", "0"])
  }

  @Test func `a comparison that reads a signal turns the order with it`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c"])
    let up = Signal(true)
    let rows = store.results(Dish.self).sorted(by: \.price) { up.value ? $0 < $1 : $0 > $1 }
    #expect(rows.map(\.price) == [0, 1, 2])
    up.value = false
    #expect(rows.map(\.price) == [2, 1, 0])
    dishes[1].price = 5
    #expect(rows.map(\.price) == [5, 2, 0])
  }

  @Test func `so do rows sorted by values that hold objects, and projections`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c"])
    let rows = store.results(Dish.self).sorted(by: \.signature)
    let projected = store.results(Dish.self).projected(to: DishRow.self).sorted(by: \.cook)
    #expect(rows.map(\.title) == ["0", "1", "2"] && projected.map(\.price) == [0, 1, 2])
    dishes[0].cook?.name = "z"
    #expect(rows.map(\.title) == ["1", "2", "0"] && projected.map(\.price) == [1, 2, 0])
  }

  @Test func `objects can be sorted by themselves`() throws {
    _ = try store.addDishes(by: ["a", "b", "c"])
    let cooks = store.results(Cook.self).sorted(by: \.self)
    #expect(cooks.map(\.name) == ["a", "b", "c"])
    cooks[0].name = "z"
    #expect(cooks.map(\.name) == ["b", "c", "z"])
  }

  @Test func `sections keep the order of keys that are compared by what they read`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c"])
    let sections = store.results(Dish.self).sectioned { $0.cook ?? Cook() }
    var shown = sections.contents
    var changes: [SectionsChange<Cook, Dish>] = []
    let token = sections.observe { change in
      change.apply(to: &shown)
      changes.append(change)
    }
    #expect(sections.map(\.key.name) == ["a", "b", "c"])
    dishes[0].cook?.name = "z"
    #expect(sections.map(\.key.name) == ["b", "c", "z"])
    #expect(shown == sections.contents && changes.count == 1)
    #expect(changes[0].sections.moves == [.init(old: 0, new: 2)] && changes[0].moves.isEmpty)
    token.cancel()
  }

  @Test func `extremes of results and of sections follow what values are compared by`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c"])
    let rows = store.results(Dish.self)
    let greatest = Computed { rows.value(.max(\.cook))?.name }
    let sections = rows.sectioned { $0.price > 0 }
    let least = Computed { sections.section(for: true)?.value(.min(\.cook))?.name }
    #expect(greatest.value == "c" && least.value == "b")
    dishes[0].cook?.name = "z"
    #expect(greatest.value == "z")
    dishes[1].cook?.name = "y"
    #expect(least.value == "c")
  }

  @Test func `the change of an order is exact, and no modification`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c", "d"])
    let rows = store.results(Dish.self).sorted(by: \.cook)
    var (shown, changes) = (Array(rows), [CollectionChange<Dish>]())
    let token = rows.observe { change in
      change.apply(to: &shown)
      changes.append(change)
    }
    dishes[0].cook?.name = "x"
    #expect(shown == Array(rows) && changes.last?.moves == [.init(old: 0, new: 3)])
    #expect(changes.last?.modifications.isEmpty == true)
    try store.write {
      dishes[0].cook?.name = "z"
      #expect(rows.last === dishes[0])
      try store.delete(dishes[2])
      dishes[0].cook?.name = "y"
      dishes[1].cook?.name = "zz"
    }
    #expect(shown == Array(rows) && changes.count == 2 && rows.last === dishes[1])
    token.cancel()
  }

  @Test func `an order that is the same again is no change, though it was read in between`() throws
  {
    _ = try store.addDishes(by: ["a", "b", "c"])
    let up = Signal(true)
    let rows = store.results(Dish.self).sorted(by: \.price) { up.value ? $0 < $1 : $0 > $1 }
    var (changes, runs) = (0, 0)
    let token = rows.observe { _ in changes += 1 }
    let effect = Effect {
      _ = rows.map { _ in 0 }
      runs += 1
    }
    batch {
      up.value = false
      #expect(rows.first?.price == 2)
      up.value = true
    }
    #expect(changes == 0 && runs == 1 && rows.first?.price == 0)
    effect.cancel()
    token.cancel()
  }

  @Test func `limits and narrowed results follow the order`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c", "d"])
    let sorted = store.results(Dish.self).sorted(by: \.cook)
    let (first, some) = (sorted.limit(2), sorted.where { $0.price > 0 })
    var shown = Array(first)
    let token = first.observe { $0.apply(to: &shown) }
    #expect(sorted.count == 4 && some.map(\.price) == [1, 2, 3])
    dishes[1].cook?.name = "z"
    #expect(shown == [dishes[0], dishes[2]] && Array(first) == shown)
    #expect(some.map(\.price) == [2, 3, 1])
    token.cancel()
  }

  @Test func `a reader of rows does not depend on the reads of comparisons`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c"])
    let rows = store.results(Dish.self).sorted(by: \.cook)
    var runs = 0
    let effect = Effect {
      _ = rows.firstIndex(of: dishes[1])
      runs += 1
    }
    dishes[1].cook?.name = "bb"
    #expect(runs == 1)
    dishes[1].cook?.name = "z"
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `rows that come and go leave no dependencies behind`() throws {
    let edges = ReactiveGraph.liveEdges
    let dishes = try store.addDishes(by: ["a", "b", "c"])
    let rows = store.results(Dish.self).sorted(by: \.cook)
    #expect(rows.count == 3)
    let cooks = (0..<300).map { number in
      let cook = Cook()
      cook.name = "\(number)"
      return cook
    }
    for cook in cooks {
      dishes[0].cook = cook
      _ = rows.count
    }
    #expect(ReactiveGraph.liveEdges - edges < 200)
    withExtendedLifetime(cooks) {}
  }

  @Test func `a key that writes when it is released leaves the order right`() throws {
    let dishes = try store.addDishes(by: ["a", "b", "c", "d"])
    let up = Signal(true)
    var turns = 0
    for dish in dishes { dish.onRelease = { if turns > 0 { up.value.toggle() } } }
    let rows = store.results(Dish.self).sorted(by: \.key) {
      up.value ? $0.price < $1.price : $0.price > $1.price
    }
    #expect(rows.map(\.price) == [0, 1, 2, 3])
    turns = 1
    for (number, dish) in dishes.enumerated() {
      dish.price = 10 + number
      let prices = rows.map(\.price)
      #expect(prices == (up.value ? prices.sorted() : prices.sorted(by: >)))
    }
    turns = 0
  }

  @Test func `a comparison that writes traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      let dishes = try store.addDishes(by: ["a", "b", "c"])
      let rows = store.results(Dish.self).sorted(by: \.title) { _, _ in
        dishes[0].price = 99
        return false
      }
      _ = rows.count
    }
    #expect(
      text(result).contains(
        "a comparison of the results of Dish must not write Dish(title: \"0\").price"))
  }

  @Test func `so does one that reads the results that it orders`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = try store.addDishes(by: ["a", "b", "c"])
      var rows = store.results(Dish.self)
      let box = Signal<Results<Dish>?>(nil)
      rows = rows.sorted(by: \.title) { $0 < $1 && box.value?.count != 7 }
      box.value = rows
      _ = rows.count
    }
    #expect(text(result).contains("comparison of the results of Dish reads those same results"))
  }

  private func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
