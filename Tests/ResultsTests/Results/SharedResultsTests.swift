import Signals
import SignalsTesting
import TestSupport
import Testing

/// Results of a class with the same sort keys are kept up to date once for all that use them.
@Suite struct `Shared results` {
  final class Crate: Object {
    @Field var number = 0
    @Field var isOpen = false
    var onDeinit: (() -> Void)?
    var count: Count?

    /// Read through its key path, because it is computed.
    var weight: Int {
      count?.value += 1
      return number % 10
    }

    deinit { onDeinit?() }
  }

  let store = Store()
  /// The number of sort keys read.
  let count = Count()

  private func addCrates(_ count: Int) throws -> [Crate] {
    let crates = (0..<count).map { number in
      let crate = Crate()
      crate.number = number
      crate.count = self.count
      return crate
    }
    try store.write { try store.add(crates) }
    return crates
  }

  private func reads(_ body: () throws -> Void) rethrows -> Int {
    let before = count.value
    try body()
    return count.value - before
  }

  @Test func `are tested once, as long as one of them is in use`() throws {
    let crates = try addCrates(50)
    var first: Results<Crate>? = store.results(Crate.self).sorted(by: \.weight)
    #expect(reads { _ = first?.count } == 50)
    var second: Results<Crate>? = store.results(Crate.self).sorted(by: \.weight)
    #expect(reads { _ = second?.count } == 0)
    #expect(
      reads {
        crates[0].number = 5; _ = (first?.count, second?.count)
      } == 1)
    first = nil
    #expect(reads { _ = store.results(Crate.self).sorted(by: \.weight).count } == 0)
    second = nil
    #expect(reads { _ = store.results(Crate.self).sorted(by: \.weight).count } == 50)
  }

  @Test func `give each observer its own changes`() throws {
    let crates = try addCrates(5)
    var log: [String] = []
    let first = store.results(Crate.self).sorted(by: \.number)
      .observe { log.append("1: \($0.moves.count)") }
    let second = store.results(Crate.self).sorted(by: \.number)
      .observe { log.append("2: \($0.moves.count)") }
    crates[0].number = 9
    #expect(log == ["1: 1", "2: 1"])
    first.cancel()
    crates[1].number = 10
    #expect(log == ["1: 1", "2: 1", "2: 1"])
    second.cancel()
  }

  @Test func `are sorted once for all conditions`() throws {
    _ = try addCrates(50)
    let all = store.results(Crate.self).sorted(by: \.weight)
    #expect(reads { _ = all.where { $0.number > 10 }.count } == 50)
    #expect(reads { _ = all.where { $0.number > 20 }.count } == 0)
  }

  @Test func `aren't read for a condition on results that nothing else uses`() throws {
    _ = try addCrates(50)
    let some = store.results(Crate.self).sorted(by: \.weight).where { $0.number >= 45 }
    #expect(reads { _ = some.count } == 5)
    #expect(some.map(\.number) == [45, 46, 47, 48, 49])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `stay apart from rows that all passed a condition at first`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var crates = try addCrates(Int.random(in: 1...200, using: &random))
    let all = store.results(Crate.self).sorted(by: \.number)
    _ = all.count
    let closed = all.where { !$0.isOpen }
    #expect(Array(closed) == Array(all))
    for _ in 0..<60 {
      let index = Int.random(in: 0..<crates.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: crates[index].isOpen.toggle()
      case 1: crates[index].number = Int.random(in: 0..<300, using: &random)
      case 2: crates += try addCrates(1)
      case 3 where crates.count > 1: try store.delete(crates.remove(at: index))
      default: _ = Bool.random(using: &random) ? all.count : closed.count
      }
      if Bool.random(using: &random) { continue }
      let expected = crates.enumerated().sorted {
        ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
      }.map(\.element)
      #expect(Array(all) == expected, "seed \(seed)")
      #expect(Array(closed) == expected.filter { !$0.isOpen }, "seed \(seed)")
    }
  }

  @Test func `can be made by a deinit while the last rows are released`() throws {
    let store = Store(undoLimit: 0)
    var counts: [Int] = []
    do {
      let crates = (0..<3).map { _ in Crate() }
      crates[2].onDeinit = { [unowned store] in
        counts.append(store.results(Crate.self).sorted(by: \.number).count)
      }
      try store.add(crates)
    }
    var results: Results<Crate>? = store.results(Crate.self).sorted(by: \.number)
    var rows = results?[...]
    if let last = rows?.last { try store.delete(last) }
    results = nil
    #expect(counts == [])
    rows = nil
    #expect(counts == [2])
    #expect(rows == nil)
  }
}
