import SignalsTesting
import TestSupport
import Testing

@testable import Signals

/// Conditions that a property is in a range, or begins with a text.
@Suite struct `Ranges and prefixes` {
  class Item: Object {
    @PrimaryKey var name = ""
    @Indexed var price = 0
    @Indexed var rate = 0.0
    @Indexed var due: Int?
    @Field var note = ""
  }

  final class Offer: Item {}

  let store = Store()

  @discardableResult
  func add(_ names: [String], price: (Int) -> Int = { $0 }) throws -> [Item] {
    let items = names.enumerated().map { index, name in
      let item = index % 3 == 2 ? Offer() : Item()
      (item.name, item.price) = (name, price(index))
      return item
    }
    try store.write { try store.add(items) }
    return items
  }

  /// The number of rows, and of objects that its first read tested.
  func tested(_ results: Results<Item>) -> [Int] {
    var tested = 0
    let counting = results.where { _ in
      tested += 1
      return true
    }
    return [counting.count, tested]
  }

  var all: Results<Item> { store.results(Item.self) }

  @Test func `test only the objects in the range`() throws {
    try add((0..<1000).map { "\($0)" })
    #expect(tested(all.where(\.price, in: 10..<20)) == [10, 10])
    #expect(tested(all.where(\.price, in: 10...20)) == [11, 11])
    #expect(tested(all.where(\.price, in: 990...)) == [10, 10])
    #expect(tested(all.where(\.price, in: ..<7)) == [7, 7])
    #expect(tested(all.where(\.price, in: ...7)) == [8, 8])
    #expect(tested(all.where(\.price, in: 5..<5)) == [0, 0])
    #expect(tested(all.where(\.price, in: 2000...)) == [0, 0])
    #expect(tested(all.where(\.name, hasPrefix: "99")) == [11, 11])
    #expect(tested(all.where(\.name, in: "10"..."12")) == [23, 23])
  }

  @Test func `are in the order of the results, whatever the range is of`() throws {
    let items = try add(["d", "a", "c", "b"]) { 10 - $0 }
    let range = all.where(\.price, in: 7...9)
    #expect(Array(range) == [items[1], items[2], items[3]])
    #expect(range.sorted(by: \.name).map(\.name) == ["a", "b", "c"])
    #expect(range.sorted(by: \.price).map(\.name) == ["b", "c", "a"])
  }

  @Test func `are live`() throws {
    let items = try add(["a", "b", "c"]) { $0 * 10 }
    let results = all.where(\.price, in: 5..<15)
    var rows: [Item] = []
    let token = results.observe { $0.apply(to: &rows) }
    rows = Array(results)
    #expect(rows == [items[1]])
    items[2].price = 14
    #expect(rows == [items[1], items[2]])
    items[1].price = 15
    #expect(rows == [items[2]])
    try store.delete(items[2])
    #expect(rows == [])
    try store.undo()
    #expect(rows == [items[2]])
    token.cancel()
  }

  @Test func `leave out nil, and numbers that aren't in any order`() throws {
    let items = try add(["a", "b", "c", "d"])
    (items[0].due, items[1].due) = (3, -3)
    for (item, rate) in zip(items, [1, .nan, .infinity, -.infinity] as [Double]) {
      item.rate = rate
    }
    #expect(all.where(\.due, in: ..<5).map(\.name) == ["a", "b"])
    #expect(all.where(\.due, in: 0...).map(\.name) == ["a"])
    #expect(all.where(\.rate, in: 0...).map(\.name) == ["a", "c"])
    #expect(all.where(\.rate, in: ...0).map(\.name) == ["d"])
    #expect(
      all.where(\.rate, in: -Double.infinity...Double.infinity).map(\.name) == ["a", "c", "d"])
    items[0].rate = -0.0
    #expect(all.where(\.rate, in: 0.0...0.0).map(\.name) == ["a"])
  }

  @Test func `begin with characters, not with bytes`() throws {
    try add(["e", "e\u{301}a", "ea", "\u{E9}b", "f", "E", ""])
    #expect(all.where(\.name, hasPrefix: "e").map(\.name) == ["e", "ea"])
    #expect(all.where(\.name, hasPrefix: "\u{E9}").map(\.name) == ["e\u{301}a", "\u{E9}b"])
    #expect(all.where(\.name, hasPrefix: "").count == 7)
    #expect(all.where(\.name, hasPrefix: "\u{10FFFF}").isEmpty)
    try add(["f\u{10FFFF}\u{10FFFF}x", "f\u{10FFFF}", "g"])
    #expect(all.where(\.name, hasPrefix: "f").count == 3)
  }

  @Test func `test all objects for a property without an index`() throws {
    let items = try add(["a", "b", "c"])
    (items[0].note, items[1].note) = ("x", "xy")
    #expect(tested(all.where(\.note, in: "x"..<"xx")) == [1, 1])
    #expect(Array(all.where(\.note, hasPrefix: "x")) == [items[0], items[1]])
    #expect(all.where(\.note, hasPrefix: "x").explain().contains("all of 3 objects"))
  }

  @Test func `of texts are in the order of the results`() throws {
    // The operators of `String` say that neither of the two is less.
    let items = try add(["e\u{301}", "\u{E9}t", "\u{EA}"])
    items.forEach { $0.note = $0.name }
    for path in [\Item.name, \Item.note] {
      #expect(all.where(path, in: "e\u{301}"..<"\u{E9}t").map(\.name) == ["e\u{301}"])
      #expect(all.where(path, in: "\u{E9}t"...).map(\.name) == ["\u{E9}t", "\u{EA}"])
      #expect(all.where(path, in: ..."\u{E9}").map(\.name) == ["e\u{301}"])
    }
  }

  /// A range that only knows what it contains.
  struct Even: RangeExpression {
    func contains(_ element: Int) -> Bool { element % 2 == 0 }
    func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int { 0..<0 }
  }

  @Test func `take ranges of any type`() throws {
    try add(["a", "b", "c"])
    #expect(all.where(\.price, in: Even()).map(\.price) == [0, 2])
  }

  @Test func `share one order, and release it with the last of them`() throws {
    try add((0..<20).map { "\($0)" })
    weak var order: AnyObject?
    do {
      let sorted = all.sorted(by: \.price)
      let cheap = all.where(\.price, in: ..<5)
      #expect(cheap.count == 5)
      // The order has been read for the range.
      #expect(sorted.explain().contains("20 rows"))
      #expect(sorted.explain().contains("shared by all results of Item in this order"))
      order = sorted.query
      #expect(order != nil)
    }
    #expect(order == nil)
  }

  @Test func `with a bound that equals nothing have no rows`() throws {
    try add(["a", "b"])
    #expect(all.where(\.rate, in: PartialRangeUpTo(.nan)).isEmpty)
    #expect(all.where(\.rate, in: PartialRangeFrom(.nan)).isEmpty)
  }

  /// A value whose order depends on a signal.
  struct Rank: Codable, Hashable, Sendable, Comparable {
    @safe static nonisolated(unsafe) let isReversed = Signal(false)
    var number = 0

    static func < (lhs: Rank, rhs: Rank) -> Bool {
      Rank.isReversed.value ? rhs.number < lhs.number : lhs.number < rhs.number
    }
  }

  final class Ranked: Object {
    @Indexed var rank = Rank()
  }

  @Test func `of values whose order changes follow it`() throws {
    Rank.isReversed.value = false
    let ranked = Ranked()
    try store.add(ranked)
    let above = store.results(Ranked.self).where(\.rank, in: Rank(number: 1)...)
    #expect(above.isEmpty)
    Rank.isReversed.value = true
    #expect(Array(above) == [ranked])
    Rank.isReversed.value = false
    #expect(above.isEmpty)
  }

  /// A value that runs code when its last copy is released.
  struct Stamp: Codable, Hashable, Sendable, Comparable {
    final class Token: @unchecked Sendable {
      var release: () -> Void = {}
      deinit { release() }
    }

    enum CodingKeys: CodingKey { case number }

    var number = 0
    var token: Token?

    static func == (lhs: Stamp, rhs: Stamp) -> Bool { lhs.number == rhs.number }
    static func < (lhs: Stamp, rhs: Stamp) -> Bool { lhs.number < rhs.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  final class Stamped: Object {
    @Indexed var stamp = Stamp()
    @Field var note = ""
  }

  @Test func `have each row once if a released value writes while they are found`() throws {
    let store = Store(undoLimit: 0)
    let objects = (0..<4).map { number in
      let object = Stamped()
      object.stamp.number = number
      return object
    }
    try store.write { try store.add(objects) }
    var results: Results<Stamped> {
      store.results(Stamped.self).where(\.stamp, in: Stamp(number: 0)...).where { $0.note != "x" }
    }
    let first = results
    var rows: [Results<Stamped>] = []
    for round in 0..<6 {
      let token = Stamp.Token()
      token.release = {
        objects[0].note += "."
        objects[round % 3].note = round % 2 == 0 ? "x" : ""
      }
      objects[3].stamp = Stamp(number: 10 + round, token: token)
      #expect(first.count == objects.count { $0.note != "x" })
      // The order has the old value until it is read.
      objects[3].stamp = Stamp(number: 3)
      rows.append(results)
      for results in rows + [first] {
        #expect(Array(results) == objects.filter { $0.note != "x" }, "round \(round)")
      }
    }
  }

  @Test func `sort nothing if another condition finds few objects, or without an index`() throws {
    let items = try add((0..<300).map { "\($0)" })
    let one = all.where(\.name, equals: "7").where(\.price, in: 0...)
    #expect(Array(one) == [items[7]])
    #expect(one.explain().contains("name = 7: 1 of 300 objects, tested for 1 more"))
    #expect(all.query.state == .unread)
    let ordered = all.sorted(by: \.price)
    #expect(ordered.query.state == .unread)
    let noted = all.sorted(by: \.note).where(\.note, in: "x"...)
    #expect(noted.isEmpty)
    #expect(noted.explain().contains("tested: all of 300 objects"))
  }

  @Test func `use the condition that finds the fewest objects`() throws {
    try add((0..<100).map { "\($0)" })
    let results = all.where(\.price, in: 10..<90).where(\.name, in: ["11", "12", "99"])
      .where(\.name, hasPrefix: "1")
    #expect(tested(results) == [2, 2])
    #expect(results.explain().contains("in 3 values: 3 of 100 objects, tested for 2 more"))
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `agree with looking at everything through any history`(seed: UInt64) throws {
    struct Stop: Error {}
    var random = SeededRandom(seed: seed)
    let texts = ["", "a", "ab", "b", "B", "e", "e\u{301}", "\u{E9}", "\u{E9}t", "z\u{10FFFF}"]
    var items = try add((0..<30).map { "\($0)" })
    func conditions() -> [(name: String, rows: Results<Item>, test: (Item) -> Bool)] {
      let store = store
      let all = store.results(Item.self)
      return [
        ("half open", all.where(\.price, in: 3..<8), { (3..<8).contains($0.price) }),
        ("optional", all.where(\.due, in: 2...), { $0.due.map { $0 >= 2 } ?? false }),
        (
          "numbers", all.where(\.rate, in: -1.0...2).sorted(by: \.rate),
          { (-1.0...2).contains($0.rate) }
        ),
        ("prefix", all.where(\.name, hasPrefix: "\u{E9}"), { $0.name.hasPrefix("\u{E9}") }),
        (
          "two", all.where(\.name, hasPrefix: "1").where(\.price, in: ...6),
          { $0.name.hasPrefix("1") && $0.price <= 6 }
        ),
        (
          "limit", all.where(\.price, in: [1, 4, 4, 9]).sorted(by: \.note).limit(1000),
          { [1, 4, 9].contains($0.price) }
        ),
      ]
    }
    let live = conditions()
    var mirrors = live.map { Array($0.rows) }
    let tokens = live.indices.map { index in
      live[index].rows.observe { $0.apply(to: &mirrors[index]) }
    }
    for step in 0..<runLength(usually: 150) {
      let fails = Int.random(in: 0..<6, using: &random) == 0
      try? store.write {
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
          let item = items[Int.random(in: 0..<items.count, using: &random)]
          switch Int.random(in: 0..<8, using: &random) {
          case 0: if item.store != nil { try store.delete(item) }
          case 1: if item.store == nil { try store.add(item) }
          case 2: item.due = [nil, 1, 2, 3].randomElement(using: &random) ?? nil
          case 3: item.rate = [0, -0.0, .nan, 1, -1, 5].randomElement(using: &random) ?? 0
          case 4: item.note = texts.randomElement(using: &random) ?? ""
          case 5:
            let suffix = texts.randomElement(using: &random) ?? ""
            if item.store != nil, store.object(Item.self, primaryKey: suffix + item.name) == nil {
              item.name = suffix + item.name
            }
          default: item.price = Int.random(in: 0..<10, using: &random)
          }
        }
        if fails { throw Stop() }
      }
      if Int.random(in: 0..<5, using: &random) == 0 { _ = try? store.undo() }
      if Int.random(in: 0..<20, using: &random) == 0 { items += try add(["new \(step)"]) }
      if Bool.random(using: &random) { continue }
      for (index, fresh) in conditions().enumerated() {
        let expected = Set(items.filter { $0.store != nil && fresh.test($0) })
        #expect(Set(fresh.rows) == expected, "seed \(seed), step \(step), \(fresh.name)")
        let same = Array(live[index].rows) == Array(fresh.rows)
        #expect(same, "seed \(seed), step \(step), \(fresh.name), live")
        #expect(mirrors[index] == Array(fresh.rows), "seed \(seed), step \(step), \(fresh.name)")
      }
    }
    tokens.forEach { $0.cancel() }
    #expect(store.brokenInvariants() == [])
  }
}
