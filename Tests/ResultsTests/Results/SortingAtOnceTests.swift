import Signals
import SignalsTesting
import TestSupport
import Testing

/// The first read sorts by the first bytes of keys; later changes compare whole keys.
@Suite struct `Sorting all rows at once` {
  class Item: Object {
    @Field var text = ""
    @Field var name: String?
    @Field var number = 0
    @Field var value = 0.0
    @Field var rate: Double?
    @Field var rank: Int?
    @Field var isNew = false
  }

  final class Shouted: Item {
    override var text: String {
      get { super.text.uppercased() }
      set { super.text = newValue }
    }
  }

  static let texts = [
    "", "a", "ab", "aé", "ae\u{301}", "e\u{301}", "é", "e", "f", "z", "\u{0}", "a\u{0}", "a\u{1}",
    "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmno\u{301}", "abcdefghijklmnó",
    "abcdefghijklmn\u{1F600}", "abcdefghijklmn\u{1F601}", "Ω", "\u{2126}", "ß", "ss", "日本", "日",
    "한", "\u{1112}\u{1161}\u{11AB}", "ñ", "n\u{303}", "n", "q\u{307}\u{323}", "q\u{323}\u{307}",
    "\u{212B}", "Å", "A\u{30A}", "\u{344}", "\u{308}\u{301}", "package-10", "package-9", "я", "й",
    "и\u{306}", "\u{10FFFF}", "\u{FFFD}", "क़", "\u{958}",
  ]
  static let numbers = [Int.min, -256, -1, 0, 1, 255, 256, 1 << 40, Int.max]
  static let values = [
    -.infinity, -1e300, -1.5, -.leastNonzeroMagnitude, -0.0, 0, .leastNonzeroMagnitude, 1.5, 1e300,
    .infinity, .nan, -.nan,
  ]

  let store = Store()

  private func makeItems(_ count: Int, _ random: inout SeededRandom) throws -> [Item] {
    let items = (0..<count).map { _ in
      let item = Item()
      item.text = Self.texts.randomElement(using: &random) ?? ""
      item.name = Bool.random(using: &random) ? nil : Self.texts.randomElement(using: &random)
      item.number = Self.numbers.randomElement(using: &random) ?? 0
      item.value = Self.values.randomElement(using: &random) ?? 0
      item.rate = Bool.random(using: &random) ? nil : Self.values.randomElement(using: &random)
      item.rank = Bool.random(using: &random) ? nil : Self.numbers.randomElement(using: &random)
      item.isNew = Bool.random(using: &random)
      return item
    }
    try store.write { try store.add(items) }
    return items
  }

  private typealias Comparison = (Item, Item) -> Int

  /// Negative if the first is smaller; values that equal nothing come last.
  private static func naturally<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
    if one < other { return -1 }
    if other < one { return 1 }
    return (one == one ? 0 : 1) - (other == other ? 0 : 1)
  }

  private static func naturally<Value: Comparable>(_ one: Value?, _ other: Value?) -> Int {
    guard let one, let other else { return (one == nil ? 0 : 1) - (other == nil ? 0 : 1) }
    return naturally(one, other)
  }

  private static func key(_ kind: Int) -> (
    ascending: RowSort<Item>, descending: RowSort<Item>, compare: Comparison
  ) {
    switch kind {
    case 0: (.ascending(\.text), .descending(\.text), { naturally($0.text, $1.text) })
    case 1: (.ascending(\.name), .descending(\.name), { naturally($0.name, $1.name) })
    case 2: (.ascending(\.number), .descending(\.number), { naturally($0.number, $1.number) })
    case 3: (.ascending(\.value), .descending(\.value), { naturally($0.value, $1.value) })
    case 4: (.ascending(\.rate), .descending(\.rate), { naturally($0.rate, $1.rate) })
    case 5: (.ascending(\.rank), .descending(\.rank), { naturally($0.rank, $1.rank) })
    case 6:
      (
        .ascending(\.isNew), .descending(\.isNew),
        { naturally($0.isNew ? 1 : 0, $1.isNew ? 1 : 0) }
      )
    default:
      (
        .ascending(\.text.count), .descending(\.text.count),
        { naturally($0.text.count, $1.text.count) }
      )
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `gives the order of a stable sort by whole keys`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let items = try makeItems(Int.random(in: 0...200, using: &random), &random)
    var sorts: [RowSort<Item>] = []
    var comparisons: [Comparison] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let key = Self.key(Int.random(in: 0...7, using: &random))
      if Bool.random(using: &random) {
        sorts.append(key.ascending)
        comparisons.append(key.compare)
      } else {
        sorts.append(key.descending)
        comparisons.append { -key.compare($0, $1) }
      }
    }
    let expected = items.enumerated().sorted { one, other in
      for compare in comparisons {
        let order = compare(one.element, other.element)
        if order != 0 { return order < 0 }
      }
      return one.offset < other.offset
    }
    let results = store.results(Item.self).sorted(by: sorts)
    let isRight = Array(results) == expected.map(\.element)
    #expect(isRight, "seed \(seed)")
    // Each row is found again by whole keys.
    for (position, item) in expected.map(\.element).enumerated() {
      #expect(results.firstIndex(of: item) == position, "seed \(seed)")
    }
    // Many changes at once are merged.
    let token = results.observe { _ in }
    try store.write { for item in items { item.number = item.number == 0 ? 1 : 0 } }
    let again = store.results(Item.self).sorted(by: sorts)
    #expect(Array(results) == Array(again), "seed \(seed)")
    token.cancel()
  }

  @Test func `reads a property through its key path where a subclass overrides it`() throws {
    for text in ["a", "b"] {
      let plain = Item(), shouted = Shouted()
      plain.text = text
      shouted.text = text
      try store.add(plain)
      try store.add(shouted)
    }
    let results = store.results(Item.self).sorted(by: \.text)
    #expect(results.map(\.text) == ["A", "B", "a", "b"])
    results[0].text = "c"
    #expect(results.map(\.text) == ["B", "C", "a", "b"])
  }

  @Test func `follows each key that it reads from storage`() throws {
    var random = SeededRandom(seed: 1)
    let items = try makeItems(40, &random)
    let results = store.results(Item.self).where { !$0.isNew }
      .sorted(by: .ascending(\.rank), .descending(\.text))
    var seen = Array(results)
    let token = results.observe { $0.apply(to: &seen) }
    for _ in 0..<200 {
      guard let item = items.randomElement(using: &random) else { continue }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: item.rank = Bool.random(using: &random) ? nil : Int.random(in: 0..<5, using: &random)
      case 1: item.text = Self.texts.randomElement(using: &random) ?? ""
      default: item.isNew.toggle()
      }
      let again = store.results(Item.self).where { !$0.isNew }
        .sorted(by: .ascending(\.rank), .descending(\.text))
      #expect(seen == Array(again))
    }
    token.cancel()
  }
}
