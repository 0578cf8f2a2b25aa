import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite struct `Aggregates of results` {
  @Test func `sums, means and extremes follow the rows`() throws {
    let store = Store()
    let tales = try store.addTales([3, 1, 2])
    let long = store.results(Tale.self).where { $0.pages > 1 }
    #expect(long.value(.sum(\.pages)) == 5)
    #expect(long.value(.average(\.pages)) == 2.5)
    #expect(long.value(.min(\.pages)) == 2 && long.value(.max(\.pages)) == 3)
    tales[1].pages = 10
    #expect(long.value(.sum(\.pages)) == 15 && long.value(.average(\.pages)) == 5)
    #expect(long.value(.min(\.pages)) == 2 && long.value(.max(\.pages)) == 10)
    try store.delete(tales[2])
    #expect(long.value(.sum(\.pages)) == 13 && long.value(.min(\.pages)) == 3)
    try store.undo()
    #expect(long.value(.sum(\.pages)) == 15 && long.value(.min(\.pages)) == 2)
  }

  @Test func `backlinks have them too, each owner once`() throws {
    let store = Store()
    let (writer, novels) = (Writer(), (1...3).map { makeNovel($0) })
    for (novel, pages) in zip(novels, [300, 100, 200]) {
      try store.add(novel)
      (novel.author, novel.pages) = (pages > 100 ? writer : nil, pages)
    }
    #expect(writer.novels.value(.sum(\.pages)) == 500)
    #expect(writer.novels.value(.min(\.pages)) == 200)
    let sum = Computed { writer.novels.value(.sum(\.pages)) }
    #expect(sum.value == 500)
    novels[1].author = writer
    #expect(sum.value == 600)
    novels[1].pages = 1
    #expect(sum.value == 501)
  }

  @Test func `of no rows the sum is zero and the others are nil`() {
    let none = Store().results(Tale.self)
    #expect(none.value(.sum(\.pages)) == 0 && none.value(.sum(\.score)) == 0)
    #expect(none.value(.average(\.pages)) == nil && none.value(.average(\.score)) == nil)
    #expect(none.value(.min(\.title)) == nil && none.value(.max(\.title)) == nil)
  }

  @Test func `nil values are passed over`() throws {
    let store = Store()
    let tales = try store.addTales([1, 2, 3])
    let all = store.results(Tale.self)
    #expect(
      all.value(.sum(\.rating)) == 0 && all.value(.average(\.rating)) == nil
        && all.value(.max(\.rating)) == nil)
    tales[0].rating = 4
    tales[2].rating = -1
    #expect(all.value(.sum(\.rating)) == 3 && all.value(.average(\.rating)) == 1.5)
    #expect(all.value(.min(\.rating)) == -1 && all.value(.max(\.rating)) == 4)
    tales[0].rating = nil
    #expect(all.value(.sum(\.rating)) == -1 && all.value(.max(\.rating)) == -1)
  }

  @Test func `computed properties do as well as fields, through links too`() throws {
    let store = Store()
    let tales = try store.addTales([1, 2, 3])
    let ada = Teller()
    ada.name = "Ada"
    tales[1].poet = ada
    let all = store.results(Tale.self)
    var sums: [Int?] = []
    let effect = Effect { sums.append(all.value(.sum(\.weight))) }
    ada.name = "Ada Lovelace"
    #expect(sums == [6, 24])
    #expect(all.value(.max(\.poet?.name)) == "Ada Lovelace")
    #expect(all.value(.average(\.half)) == 1)
    effect.cancel()
  }

  @Test func `a reader of a sum runs again only if the sum differs`() throws {
    let store = Store()
    let tales = try store.addTales([3, 1, 2])
    let all = store.results(Tale.self).sorted(by: \.title)
    var seen: [(sum: Int?, most: Int?)] = []
    let sums = Effect { seen.append((all.value(.sum(\.pages)), 0)) }
    var greatest: [Int?] = []
    let extremes = Effect { greatest.append(all.value(.max(\.pages))) }
    tales[0].title = "z"
    try store.write {
      tales[0].pages = 2
      tales[1].pages = 2
    }
    #expect(seen.map(\.sum) == [6] && greatest == [3, 2])
    tales[2].pages = 1
    #expect(seen.map(\.sum) == [6, 5] && greatest == [3, 2])
    try store.write {
      tales[2].pages = 100
      #expect(all.value(.sum(\.pages)) == 104 && all.value(.max(\.pages)) == 100)
      tales[2].pages = 1
    }
    #expect(seen.map(\.sum) == [6, 5] && greatest == [3, 2])
    sums.cancel()
    extremes.cancel()
  }

  @Test func `a computed of a sum is shared, cut off and published`() throws {
    let store = Store()
    let tales = try store.addTales([3, 1, 2])
    let all = store.results(Tale.self)
    let isLong = Computed { all.value(.sum(\.pages)) ?? 0 > 10 }
    var seen: [Bool] = []
    let token = isLong.publisher.sink { seen.append($0) }
    tales[0].pages = 4
    tales[0].pages = 40
    #expect(seen == [false, true])
    token.cancel()
  }

  @Test func `floating-point sums do not drift`() throws {
    let store = Store()
    let tales = try store.addTales(0..<3)
    let all = store.results(Tale.self)
    (tales[0].score, tales[1].score) = (0.1, 0.2)
    #expect(all.value(.sum(\.score)) == 0.1 + 0.2)
    tales[2].score = 1e300
    #expect(all.value(.sum(\.score)) == 1e300)
    tales[2].score = 0
    #expect(all.value(.sum(\.score)) == 0.1 + 0.2, "what was lost beside 1e300 is back")
    tales[2].score = .infinity
    tales[1].score = -.infinity
    #expect(all.value(.sum(\.score)).isNaN)
    tales[1].score = .nan
    tales[2].score = .leastNonzeroMagnitude
    #expect(all.value(.sum(\.score)).isNaN && all.value(.average(\.score))?.isNaN == true)
    #expect(all.value(.max(\.score)) == 0.1 && all.value(.min(\.score)) == .leastNonzeroMagnitude)
    tales[1].score = 0
    tales[0].score = 0
    #expect(all.value(.sum(\.score)) == .leastNonzeroMagnitude)
    (tales[0].score, tales[1].score) = (.greatestFiniteMagnitude, .greatestFiniteMagnitude)
    #expect(all.value(.sum(\.score)) == .infinity)
    tales[2].score = .greatestFiniteMagnitude
    #expect(
      all.value(.average(\.score)) == .greatestFiniteMagnitude, "the mean exists all the same")
  }

  @Test func `exact sums are the nearest numbers to the true ones`() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<2000 {
      let values = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        let digits = Int64.random(in: -(1 << 53)...(1 << 53), using: &random)
        return Double(digits) * [1, 0x1p-1074, 0x1p-30, 0x1p20][Int(digits & 3)]
      }
      let list = values.shuffled(using: &random)
      #expect(ExactSumReference.sum(values) == summed(values))
      #expect(summed(values) == summed(list))
    }
  }

  private func summed(_ values: [Double]) -> Double {
    let tales = values.map { value in
      let tale = Tale()
      tale.score = value
      return tale
    }
    return List(tales).value(.sum(\.score))
  }

  @Test func `a sum that its type can't represent is nil until it fits`() throws {
    let store = Store()
    let tales = try store.addTales([.max, 0])
    for tale in tales { tale.title = "a" }
    let all = store.results(Tale.self)
    let section = all.sectioned(by: \.title)[0]
    var seen: [[Int?]] = []
    let effect = Effect { seen.append([all.value(.sum(\.pages)), section.value(.sum(\.pages))]) }
    tales[1].pages = 1
    #expect(List(tales).value(.sum(\.pages)) == nil)
    tales[1].pages = .max
    tales[0].pages = -1
    #expect(List(tales).value(.sum(\.pages)) == .max - 1)
    tales[0].pages = .min
    tales[1].pages = -1
    tales[1].pages = 3
    #expect(
      seen == [
        [.max, .max], [nil, nil], [.max - 1, .max - 1], [-1, -1], [nil, nil], [.min + 3, .min + 3],
      ])
    #expect(all.value(.average(\.pages)) == Double(Int.min + 3) / 2)
    withExtendedLifetime(effect) {}
  }

  @Test func `a sum that is too large is nil in computeds, backlinks and views, too`() throws {
    let store = Store()
    let author = try store.add(Writer())
    let novels = [makeNovel(1, "a"), makeNovel(2, "b")]
    try store.add(novels)
    for novel in novels { novel.author = author }
    novels[0].pages = .max
    let all = store.results(Novel.self)
    let sum = Computed { all.value(.sum(\.pages)).map { "\($0)" } ?? "too much" }
    let host = ViewHost(store, renderer: FrameLog()) {
      Text(sum.value)
      Text("\(author.novels.value(.sum(\.pages)) ?? 0)")
    }
    func texts() -> [String] { host.frame.texts(in: host.frame.root) }
    #expect(texts() == ["\(Int.max)", "\(Int.max)"])
    novels[1].pages = 1
    #expect(sum.value == "too much" && texts() == ["too much", "0"])
    novels[0].pages = 0
    #expect(texts() == ["1", "1"])
  }

  @Test func `sums of optional and of narrow integers are nil in the same way`() throws {
    let store = Store()
    let parts = (0..<3).map { _ in Part() }
    for part in parts { try store.add(part) }
    let all = store.results(Part.self)
    #expect(all.value(.sum(\.small)) == 0 && all.value(.sum(\.weight)) == 0)
    for part in parts { (part.small, part.weight) = (100, UInt64.max / 3) }
    #expect(all.value(.sum(\.small)) == nil && all.value(.sum(\.weight)) == UInt64.max / 3 * 3)
    parts[0].small = nil
    parts[1].weight += 1
    #expect(all.value(.sum(\.small)) == 200 && all.value(.sum(\.weight)) == nil)
  }

  @Test func `sums and means of wide integers don't trap, and are there when they fit`() throws {
    let store = Store()
    let parts = (0..<3).map { _ in Part() }
    for part in parts { try store.add(part) }
    let all = store.results(Part.self)
    for part in parts { (part.wide, part.mass) = (.max, .max) }
    #expect(all.value(.sum(\.wide)) == nil && all.value(.sum(\.mass)) == nil)
    #expect(all.value(.average(\.wide)) == Double(Int128.max))
    #expect(List(parts).value(.sum(\.wide)) == nil && List(parts).value(.sum(\.mass)) == nil)
    for part in parts.dropFirst() { (part.wide, part.mass) = (0, 0) }
    #expect(all.value(.sum(\.wide)) == .max && all.value(.sum(\.mass)) == .max)
    for part in parts { (part.wide, part.mass) = (.min, 1) }
    #expect(all.value(.sum(\.wide)) == nil && all.value(.sum(\.mass)) == 3)
    #expect(all.value(.average(\.wide)) == Double(Int128.min))
    parts[0].wide = -1
    parts[1].wide = 1
    #expect(all.value(.sum(\.wide)) == .min)
  }

  private final class Part: Object {
    @Field var small: UInt8?
    @Field var weight: UInt64 = 0
    @Field var wide: Int128 = 0
    @Field var mass: UInt128 = 0
  }

  @Test func `lists have them too`() throws {
    let tales = (1...4).map { number in
      let tale = Tale()
      tale.pages = number
      tale.rating = number == 2 ? nil : Double(number)
      return tale
    }
    let list = List(tales)
    #expect(list.value(.sum(\.pages)) == 10 && list.value(.average(\.pages)) == 2.5)
    #expect(
      list.value(.min(\.pages)) == 1 && list.value(.max(\.rating)) == 4
        && list.value(.sum(\.rating)) == 8)
  }

  @Test func `nothing is left of aggregates without readers`() throws {
    try expectNothingLeft { store, tales in
      var sums: [Int?] = []
      let effect = Effect { sums.append(store.results(Tale.self).value(.sum(\.pages))) }
      let other = Effect { sums.append(store.results(Tale.self).value(.max(\.pages))) }
      tales[0].pages = 100
      #expect(sums == [1225, 49, 1325, 100])
      withExtendedLifetime((effect, other)) {}
    }
  }
}

/// Sums of doubles that share one lowest exponent, through a wide integer.
enum ExactSumReference {
  static func sum(_ values: [Double]) -> Double {
    // All are multiples of some power of two: pairs of an integer and its exponent, summed by bits.
    var bits: [Int: Int] = [:]
    for value in values where value != 0 {
      var significand = value.significandBitPattern
      var lowest = Int(value.exponent) - 52
      if value.isNormal { significand |= 1 << 52 } else { lowest = -1074 }
      for bit in 0..<53 where significand >> UInt64(bit) & 1 == 1 {
        bits[lowest + bit, default: 0] += value.sign == .plus ? 1 : -1
      }
    }
    return rounded(bits)
  }

  /// Rounds the number with these weighted bits to the nearest, ties to even.
  private static func rounded(_ bits: [Int: Int]) -> Double {
    guard let low = bits.keys.min(), let high = bits.keys.max() else { return 0 }
    var digits: [Int] = []
    var carry = 0
    for exponent in low...(high + 8) {
      let value = bits[exponent, default: 0] + carry
      digits.append(value & 1)
      carry = value >> 1
    }
    if carry < 0 { return -rounded(bits.mapValues { -$0 }) }
    guard let top = digits.lastIndex(of: 1) else { return 0 }
    let cut = max(top - 52, -1074 - low)
    var kept: UInt64 = 0
    for index in stride(from: top, through: max(cut, 0), by: -1) {
      kept = kept << 1 | UInt64(digits[index])
    }
    if cut < 0 { return Double(sign: .plus, exponent: low, significand: Double(kept)) }
    if cut > 0, digits[cut - 1] == 1,
      digits[..<(cut - 1)].contains(1) || kept & 1 == 1
    {
      kept += 1
    }
    return Double(sign: .plus, exponent: low + cut, significand: Double(kept))
  }
}

extension Tale {
  fileprivate var weight: Int { pages * (poet?.name.count ?? 0) }
  fileprivate var half: Double { Double(pages) / 2 }
}
