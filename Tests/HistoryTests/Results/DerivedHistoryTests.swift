import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories of aggregates, limits, distinct rows and sections against arrays.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Derived results, random histories` {
  static let steps = runLength(usually: 400)

  @Test(arguments: seeds(4))
  func `values, rows and changes are those of arrays`(seed: UInt64) {
    DerivedWorld.run(seed: seed, steps: max(60, Self.steps / 4))
  }

  @Test func `a hundred thousand rows once`() throws {
    let store = Store(undoLimit: 0)
    let count = Self.steps > 400 ? 100_000 : 2000
    var random = SeededRandom(seed: 5)
    let tales = (0..<count).map { _ in
      let tale = Tale()
      tale.pages = Int.random(in: 0..<1_000_000, using: &random)
      tale.title = "\(tale.pages % 997)"
      tale.score = Double(tale.pages) / 7
      return tale
    }
    try store.write { try store.add(tales) }
    let all = store.results(Tale.self).sorted(by: \.pages)
    let (some, each, by) = (all.limit(50), all.distinct(by: \.title), all.sectioned(by: \.title))
    var shown = by.contents
    let token = by.observe { $0.apply(to: &shown) }
    var firsts = Array(some)
    let other = some.observe { $0.apply(to: &firsts) }
    for round in 0..<3 {
      try store.write {
        for _ in 0..<(round == 2 ? count / 4 : 20) {
          let tale = tales[Int.random(in: 0..<count, using: &random)]
          tale.pages = Int.random(in: 0..<1_000_000, using: &random)
          tale.title = "\(tale.pages % 997)"
        }
      }
      let sorted = tales.enumerated().sorted {
        ($0.element.pages, $0.offset) < ($1.element.pages, $1.offset)
      }.map(\.element)
      #expect(firsts == Array(sorted.prefix(50)) && Array(some) == firsts)
      #expect(all.value(.sum(\.pages)) == sorted.reduce(0) { $0 + $1.pages })
      var seen: Set<String> = []
      #expect(Array(each) == sorted.filter { seen.insert($0.title).inserted })
      let groups = Dictionary(grouping: sorted, by: \.title).sorted { $0.key < $1.key }
      #expect(shown == groups.map { SectionRows(key: $0.key, rows: $0.value) })
      #expect(shown == by.contents)
    }
    withExtendedLifetime((token, other)) {}
  }
}

/// A store, results derived from others, and what arrays say they should be.
final class DerivedWorld: RandomHistory {
  let seed: UInt64
  private(set) var failures: [String] = []
  private var random: SeededRandom
  private let store = Store(undoLimit: 10)
  private var tales: [Tale] = []
  private var numbers: [Tale: Int] = [:]
  private var lastNumber = 0
  private let limit = Signal(3)
  private var chains: [DerivedChain] = []
  private var history: [String] = []

  struct Failed: Error {}

  init(seed: UInt64) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    try? store.write { for _ in 0..<below(12) { try add() } }
  }

  func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  func fail(_ message: String) {
    failures.append("\(message), after \(history.suffix(8).joined(separator: "; "))")
  }

  /// The rows in the order in which they were added.
  var stored: [Tale] {
    tales.filter { $0.store === store }.sorted { numbers[$0, default: 0] < numbers[$1, default: 0] }
  }

  func step() {
    switch below(12) {
    case 0: if chains.count < 6 { chains.append(makeChain()) }
    case 1: if chains.count > 3 { chains.remove(at: below(chains.count)) }
    case 2: chains.randomElement(using: &random)?.changeObservers(below(4))
    case 3:
      history.append("undo")
      _ = try? store.undo()
    case 4:
      limit.value = below(6)
      history.append("limit \(limit.value)")
    case 5: try? edit()
    default: transact()
    }
    for chain in chains { chain.check(isSettled: true) }
  }

  private func transact() {
    let before = numbers
    do {
      history.append("write")
      try store.write {
        for _ in 0...below(4) {
          try edit()
          if below(4) == 0 {
            for chain in chains where below(2) == 0 { chain.check(isSettled: false) }
          }
        }
        if below(5) == 0 {
          history.append("fails")
          throw Failed()
        }
      }
    } catch { numbers = before }
  }

  private func add() throws {
    let tale = Tale()
    tale.pages = below(6)
    tale.title = ["a", "b", "c"][below(3)]
    tale.score = Double(below(5)) / 10
    tales.append(tale)
    lastNumber += 1
    numbers[tale] = lastNumber
    history.append("add \(tale.objectID)")
    try store.add(tale)
  }

  private func edit() throws {
    let stored = stored
    guard let tale = stored.randomElement(using: &random), below(6) > 0 else { return try add() }
    let kind = below(6)
    let value = below(6)
    history.append("edit \(kind) \(value) of \(tale.objectID) \(stored.firstIndex(of: tale) ?? 0)")
    switch kind {
    case 0: tale.pages = value
    case 1: tale.title = ["a", "b", "c", "d", "e", "e\u{301}"][value]
    case 2: tale.rating = [nil, 1, 2, .nan, .infinity, -1][value]
    case 3: tale.score = [0.1, 1e300, -1e300, .nan, .infinity, 0][value]
    case 4: if value < 4 { try store.delete(tale) }
    default: tale.pages = value * 2
    }
  }

  /// A chain of random steps, written once for the results and once for arrays.
  private func makeChain() -> DerivedChain {
    var results = store.results(Tale.self)
    var model: () -> [Tale] = { [unowned self] in stored }
    var names: [String] = []
    for _ in 0..<below(5) {
      let before = model
      switch below(5) {
      case 0:
        names.append("where")
        results = results.where { [limit] in $0.pages != limit.value }
        model = { [limit] in before().filter { $0.pages != limit.value } }
      case 1:
        names.append("sorted by pages")
        results = results.sorted(by: \.pages, order: .descending)
        model = Self.sorted(before) { $0.pages > $1.pages }
      case 2:
        names.append("sorted by title")
        results = results.sorted(by: \.title)
        model = Self.sorted(before) { $0.title < $1.title }
      case 3:
        let count = below(6)
        names.append("prefix \(count)")
        results = results.limit(count)
        model = { Array(before().prefix(count)) }
      default:
        let byTitle = below(2) == 0
        names.append("distinct \(byTitle)")
        results = byTitle ? results.distinct(by: \.title) : results.distinct(by: \.rating)
        model = {
          var seen: Set<String> = []
          return before().filter {
            seen.insert(byTitle ? $0.title : "\($0.rating as Any)").inserted
          }
        }
      }
    }
    history.append("new \(names)")
    return DerivedChain(self, names.joined(separator: ", "), results, model)
  }

  /// The rows in another order; ties are in the order before.
  private static func sorted(
    _ rows: @escaping () -> [Tale], _ isBefore: @escaping (Tale, Tale) -> Bool
  ) -> () -> [Tale] {
    {
      rows().enumerated().sorted { left, right in
        if isBefore(left.element, right.element) { return true }
        return !isBefore(right.element, left.element) && left.offset < right.offset
      }.map(\.element)
    }
  }
}

/// Some results, what is derived from them, and observers that follow it by changes alone.
final class DerivedChain {
  private unowned let world: DerivedWorld
  private let name: String
  private let results: Results<Tale>
  private let model: () -> [Tale]
  private let byTitle: Sections<String, Tale>
  private let byRating: Sections<Double?, Tale>
  private let byFirst: Sections<Int, Tale>
  private var rows: Followed<[Tale]>?
  private var sections: Followed<[SectionRows<String, Tale>]>?
  private var firsts: Followed<[SectionRows<Int, Tale>]>?
  private var sums: (effect: Effect, last: Box)?

  final class Box { var text = "", runs = 0 }

  final class Followed<Value> {
    var value: Value
    var token: (any Cancellable)?
    init(_ value: Value) { self.value = value }
  }

  init(
    _ world: DerivedWorld, _ name: String, _ results: Results<Tale>, _ model: @escaping () -> [Tale]
  ) {
    self.world = world
    self.name = name
    self.results = results
    self.model = model
    byTitle = results.sectioned(by: \.title)
    byRating = results.sectioned(by: \.rating, order: .descending)
    byFirst = results.sectioned(by: \.pages, order: .firstRow)
  }

  func changeObservers(_ kind: Int) {
    switch kind {
    case 0:
      if rows != nil { return rows = nil }
      let followed = Followed(Array(results))
      followed.token = results.observe { [unowned followed] change in
        if change.isEmpty { followed.value = [] }
        change.apply(to: &followed.value)
      }
      rows = followed
    case 1:
      if sections != nil { return sections = nil }
      let followed = Followed(byTitle.contents)
      followed.token = byTitle.observe { [unowned followed] in $0.apply(to: &followed.value) }
      sections = followed
    case 2:
      if firsts != nil { return firsts = nil }
      let followed = Followed(byFirst.contents)
      followed.token = byFirst.observe { [unowned followed] in $0.apply(to: &followed.value) }
      firsts = followed
    default:
      if sums != nil { return sums = nil }
      let box = Box()
      sums = (
        Effect { [results, byTitle, byFirst] in
          box.runs += 1
          box.text = DerivedChain.text(results, byTitle, byFirst)
        }, box
      )
    }
  }

  private static func text(
    _ results: Results<Tale>, _ sections: Sections<String, Tale>, _ firsts: Sections<Int, Tale>
  ) -> String {
    "\(results.value(.sum(\.pages)) as Any) \(results.value(.max(\.pages)) as Any) \(results.value(.sum(\.score))) "
      + "\(sections.map { "\($0.value(.sum(\.pages)) as Any) \($0.value(.max(\.pages)) as Any)" }) "
      + "\(results.value(.min(\.rating)) as Any) \(sections.sectionKeys) \(firsts.first?.count ?? 0)"
  }

  func check(isSettled: Bool) {
    let rows = model()
    expect(Array(results) == rows, "rows")
    expect(results.value(.sum(\.pages)) == rows.reduce(0) { $0 + $1.pages }, "sum")
    let sum = List(rows.shuffled()).value(.sum(\.score))
    let found = results.value(.sum(\.score))
    expect(found == sum || found.isNaN && sum.isNaN, "exact sum \(found), not \(sum)")
    let ratings = rows.compactMap(\.rating).filter { !$0.isNaN }
    expect(results.value(.min(\.rating)) == ratings.min(), "min")
    expect(results.value(.max(\.rating)) == ratings.max(), "max")
    expect(results.value(.max(\.title)) == rows.map(\.title).max(), "greatest title")
    let mean = rows.isEmpty ? nil : Double(rows.reduce(0) { $0 + $1.pages }) / Double(rows.count)
    expect(results.value(.average(\.pages)) == mean, "average")
    let titles = Dictionary(grouping: rows, by: \.title).sorted { $0.key < $1.key }
      .map { SectionRows(key: $0.key, rows: $0.value) }
    expect(byTitle.contents == titles, "sections")
    let ranks = Dictionary(grouping: rows) { tale in
      tale.rating.map { $0.isNaN ? "z" : "m\(Int(max(-9, min($0, 9))) + 20)" } ?? "a"
    }
    expect(
      byRating.map { Array($0) } == ranks.sorted { $0.key > $1.key }.map(\.value),
      "sections by an optional")
    var order: [Int] = []
    for tale in rows where !order.contains(tale.pages) { order.append(tale.pages) }
    let firsts = order.map { key in SectionRows(key: key, rows: rows.filter { $0.pages == key }) }
    expect(byFirst.contents == firsts, "sections by first row")
    checkValuesOfSections(titles)
    checkVersions(rows, titles)
    guard isSettled else { return }
    if let followed = self.rows { expect(followed.value == rows, "changes of rows") }
    if let followed = sections { expect(followed.value == titles, "changes of sections") }
    if let followed = self.firsts { expect(followed.value == firsts, "changes by first row") }
    if let sums {
      expect(sums.last.text == Self.text(results, byTitle, byFirst), "effects")
    }
  }

  private func checkValuesOfSections(_ titles: [SectionRows<String, Tale>]) {
    for (section, version) in zip(byTitle, titles) {
      let rows = version.rows
      let ratings = rows.compactMap(\.rating).filter { !$0.isNaN }
      expect(section.value(.sum(\.pages)) == rows.reduce(0) { $0 + $1.pages }, "sum of a section")
      expect(section.value(.min(\.rating)) == ratings.min(), "least of a section")
      expect(section.value(.max(\.title)) == rows.map(\.title).max(), "greatest of a section")
      let (sum, found) = (List(rows).value(.sum(\.score)), section.value(.sum(\.score)))
      expect(found == sum || found.isNaN && sum.isNaN, "exact sum of a section")
    }
  }

  /// Slices and loops are of one version.
  private func checkVersions(_ rows: [Tale], _ titles: [SectionRows<String, Tale>]) {
    let low = rows.isEmpty ? 0 : world.below(rows.count)
    expect(Array(results[low...]) == Array(rows[low...]), "a slice")
    expect(Array(results.reversed()) == rows.reversed(), "the rows from the end")
    expect(byTitle.map(\.key) == titles.map(\.key), "the keys of sections")
    expect(
      byTitle.dropFirst().map { $0.map(\.pages) }
        == titles.dropFirst().map { $0.rows.map(\.pages) }, "slices of sections")
  }

  private func expect(_ isTrue: Bool, _ what: String) {
    if !isTrue { world.fail("\(what) of [\(name)]") }
  }
}
