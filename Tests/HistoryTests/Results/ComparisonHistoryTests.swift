import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories of results whose comparisons read objects and signals, against naive recomputation.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Comparisons that read, random histories` {
  static let steps = runLength(usually: 400)

  @Test(arguments: seeds(4))
  func `orders, limits, sections, extremes and changes are those of a naive recomputation`(
    seed: UInt64
  ) {
    KitchenWorld.run(seed: seed, steps: Self.steps)
  }
}

/// A store, results of it, and what arrays say they should be.
private final class KitchenWorld: RandomHistory {
  struct Failed: Error {}

  let seed: UInt64
  private(set) var failures: [String] = []
  private var random: SeededRandom
  private let store = Store(undoLimit: 10)
  private let isUp = Signal(true)
  private let other = Cook()
  private var dishes: [Dish] = []
  private var cooks: [Cook] = []
  private var history: [String] = []
  private var rows: [Rows] = []
  private var tokens: [any Cancellable] = []
  private var sections: Sections<Cook, Dish>?
  private var shownSections: [SectionRows<Cook, Dish>] = []
  private var greatest: Computed<Cook?>?

  /// One result, its model, and what its observer and its effect have seen.
  private final class Rows {
    let name: String
    let results: Results<Dish>
    let expected: () -> [Dish]
    var shown: [Dish]
    var seen: [Dish] = []

    init(_ name: String, _ results: Results<Dish>, _ expected: @escaping () -> [Dish]) {
      self.name = name
      self.results = results
      self.expected = expected
      shown = []
    }
  }

  init(seed: UInt64) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    try? store.write {
      try store.add(other)
      for _ in 0..<4 { try addCook() }
      for _ in 0..<below(14) { try addDish() }
    }
    makeRows()
    for one in rows where below(4) > 0 { follow(one) }
  }

  private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private func fail(_ message: String) {
    failures.append("\(message), after \(history.suffix(8).joined(separator: "; "))")
  }

  // MARK: - What should be

  private var stored: [Dish] { dishes.filter { $0.store === store } }

  private func sorted(_ dishes: [Dish], _ isBefore: (Dish, Dish) -> Bool) -> [Dish] {
    dishes.enumerated().sorted { left, right in
      if isBefore(left.element, right.element) { return true }
      if isBefore(right.element, left.element) { return false }
      return left.offset < right.offset
    }.map(\.element)
  }

  private func byCook(_ left: Dish, _ right: Dish) -> Bool {
    switch (left.cook, right.cook) {
    case (let left?, let right?): left.name < right.name
    case (nil, _?): true
    default: false
    }
  }

  private func byPrice(_ left: Dish, _ right: Dish) -> Bool {
    isUp.value ? left.price < right.price : left.price > right.price
  }

  private func makeRows() {
    let all = store.results(Dish.self)
    let byCook = all.sorted(by: \.cook)
    let turning = all.sorted(by: \.price) { [isUp] in isUp.value ? $0 < $1 : $0 > $1 }
    let both = turning.sorted(by: \.cook)
    let model: () -> [Dish] = { [unowned self] in sorted(stored, self.byCook) }
    let turningModel: () -> [Dish] = { [unowned self] in sorted(stored, byPrice) }
    rows = [
      Rows("by cook", byCook, model),
      Rows("turning", turning, turningModel),
      Rows("both", both) { [unowned self] in
        sorted(stored) { left, right in
          self.byCook(left, right) || (!self.byCook(right, left) && byPrice(left, right))
        }
      },
      Rows("some", byCook.where { $0.price > 2 }) { model().filter { $0.price > 2 } },
      Rows("first", byCook.limit(3)) { Array(model().prefix(3)) },
      Rows("first of some", turning.where { $0.cook != nil }.limit(4)) {
        Array(turningModel().filter { $0.cook != nil }.prefix(4))
      },
      Rows("each", turning.distinct(by: \.title)) {
        var titles: Set<String> = []
        return turningModel().filter { titles.insert($0.title).inserted }
      },
      Rows("first, by signature", turning.limit(5).sorted(by: \.signature)) { [unowned self] in
        sorted(Array(turningModel().prefix(5)), self.byCook)
      },
    ]
    greatest = Computed { all.value(.max(\.cook)) }
    let sections = turning.sectioned { [other] in $0.cook ?? other }
    self.sections = sections
    shownSections = sections.contents
    tokens.append(
      sections.observe { [unowned self] change in
        change.apply(to: &shownSections)
        if shownSections != expectedSections { fail("sections' change \(change) is not exact") }
      })
  }

  private var expectedSections: [SectionRows<Cook, Dish>] {
    let rows = sorted(stored, byPrice)
    let keys = Set(rows.map { $0.cook ?? other })
    // Sections whose keys compare as equal stand in any order that lasts: theirs is taken.
    let present = sections?.sectionKeys ?? []
    let order = present.enumerated().sorted {
      ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
    }
    .map(\.element)
    if Set(order) != keys { fail("the keys of the sections") }
    return order.map { key in
      SectionRows(key: key, rows: rows.filter { ($0.cook ?? other) === key })
    }
  }

  private func follow(_ one: Rows) {
    one.shown = Array(one.results)
    tokens.append(
      one.results.observe { [unowned self, unowned one] change in
        let old = one.shown
        change.apply(to: &one.shown)
        if one.shown != one.expected() { fail("\(one.name): \(change) is not exact") }
        if change.isEmpty { fail("\(one.name): an empty change") }
        var stepped = old
        for step in change.steps {
          switch step {
          case .remove(let position): stepped.remove(at: position)
          case .insert(let dish, let position): stepped.insert(dish, at: position)
          case .move(let from, let to): stepped.insert(stepped.remove(at: from), at: to)
          case .modify(let position): _ = stepped[position]
          }
        }
        if stepped != one.shown { fail("\(one.name): the steps of \(change)") }
      })
    tokens.append(Effect { [unowned one] in one.seen = Array(one.results) })
  }

  private func check(isSettled: Bool) {
    for one in rows {
      let expected = one.expected()
      if Array(one.results) != expected { fail("\(one.name): the rows") }
      if let dish = dishes.randomElement(using: &random),
        one.results.firstIndex(of: dish) != expected.firstIndex(of: dish)
      {
        fail("\(one.name): a position")
      }
      if isSettled, !one.seen.isEmpty || !one.shown.isEmpty,
        one.seen != expected || one.shown != expected
      {
        fail("\(one.name): what was told")
      }
    }
    if greatest?.value?.name != stored.compactMap(\.cook?.name).max() { fail("the greatest") }
    if sections?.contents != expectedSections { fail("the sections") }
    if isSettled, shownSections != expectedSections { fail("what was told of sections") }
  }

  // MARK: - Steps

  func step() {
    switch below(10) {
    case 0:
      history.append("undo")
      _ = try? store.undo()
    case 1: turn()
    case 2:
      history.append("batch")
      batch {
        turn()
        try? edit()
        if below(2) == 0 { check(isSettled: false) }
        if below(2) == 0 { turn() }
        try? edit()
      }
    case 3, 4: try? edit()
    default: transact()
    }
    check(isSettled: true)
  }

  private func turn() {
    history.append("turn")
    isUp.value.toggle()
  }

  private func transact() {
    let before = dishes
    do {
      history.append("write")
      try store.write {
        for _ in 0...below(4) {
          try edit()
          if below(4) == 0 { check(isSettled: false) }
        }
        if below(6) == 0 {
          history.append("fails")
          throw Failed()
        }
      }
    } catch { dishes = before }
  }

  private func edit() throws {
    let stored = stored
    guard let dish = stored.randomElement(using: &random), below(7) > 0 else {
      return try addDish()
    }
    let cook = cooks.filter { $0.store === store }.randomElement(using: &random)
    let (kind, value) = (below(9), below(6))
    history.append("edit \(kind) \(value) of \(dish.objectID)")
    switch kind {
    case 0, 1, 2: cook?.name = ["a", "b", "c", "d", "e", "f"][value]
    case 3: dish.price = value
    case 4, 5: dish.cook = value == 0 ? nil : cook
    case 6: dish.title = ["x", "y", "z"][value % 3]
    case 7: if value < 4 { try store.delete(dish) } else { try addCook() }
    default: if value == 0, let cook, cooks.count > 3 { try store.delete(cook) }
    }
  }

  private func addCook() throws {
    let cook = Cook()
    cook.name = ["a", "b", "c", "d", "e", "f"][below(6)]
    cooks.append(cook)
    try store.add(cook)
  }

  private func addDish() throws {
    let dish = Dish()
    (dish.price, dish.title) = (below(6), ["x", "y", "z"][below(3)])
    dish.cook = cooks.filter { $0.store === store }.randomElement(using: &random)
    history.append("add \(dish.objectID)")
    dishes.append(dish)
    try store.add(dish)
  }
}
