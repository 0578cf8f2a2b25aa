import Signals
import TestSupport
import Testing

/// A transaction that ends is final, or undone, before any code of the user's may write.
@Suite struct `Transactions, code that runs while they end` {
  @Test func `what a commit replaces and no history keeps ends after it`() throws {
    let store = Store(undoLimit: 0)
    let history = UndoHistory(store, origins: ["mine"])
    let (bead, ledger) = (Bead(), Ledger())
    try store.add([bead, ledger] as [Object])
    bead.charge = Charge(1, Ending { ledger.closed += 1 })
    try store.write { bead.charge = Charge(2) }
    #expect(ledger.closed == 1)
    #expect(!history.canUndo && !store.isWriting)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `what a reaction replaces and no history keeps ends after it`() throws {
    let store = Store(undoLimit: 0)
    let history = UndoHistory(store, origins: ["mine"])
    let (bead, ledger) = (Bead(), Ledger())
    try store.add([bead, ledger] as [Object])
    bead.charge = Charge(1, Ending { ledger.closed += 1 })
    let effect = Effect { if ledger.tick > 0 { bead.charge = Charge(2) } }
    ledger.tick = 1
    #expect(ledger.closed == 1)
    #expect(!history.canUndo && !store.isWriting)
    #expect(store.brokenInvariants() == [])
    effect.cancel()
  }

  @Test func `what an observer skips may write when it ends`() throws {
    let store = Store()
    let (bead, ledger) = (Bead(), Ledger())
    try store.add([bead, ledger] as [Object])
    let token = bead.observe(
      computing: { Charge($0.tag.number, Ending { ledger.closed += 1 }) }, skipping: ["mine"]
    ) { _, _ in }
    try store.write(origin: "mine") { bead.tag = Charge(1) }
    #expect(ledger.closed == 1 && store.brokenInvariants() == [])
    token.cancel()
  }

  @Test func `a comparison at the end of a transaction must not write to its store`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, weighed) = (Store(), Weighed())
      try store.add(weighed)
      let judge = Judge { weighed.count += 1 }
      try store.write {
        weighed.weight = Weight(grams: 1, judge)
        judge.isReady = true
      }
    }
    expectError(
      result,
      """
      Signals: a store must not be written to while one of its transactions ends or its values are encoded: what \
      compares, hashes or encodes a value, a `deinit` in that, or an observer of commits has written
      """)
  }

  @Test func `an observer of commits must not write to its store`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, ledger) = (Store(), Ledger())
      try store.add(ledger)
      let token = store.observeCommits { _ in ledger.closed += 1 }
      ledger.tick = 1
      token.cancel()
    }
    expectError(
      result,
      """
      Signals: a store must not be written to while one of its transactions ends or its values are encoded: what \
      compares, hashes or encodes a value, a `deinit` in that, or an observer of commits has written
      """)
  }

  @Test(arguments: [true, false])
  func `it may write to another store of the intent, as a commit of its own`(isFirst: Bool) throws {
    let (stores, pair) = ([Store(), Store()], [Weighed(), Weighed()])
    for (store, weighed) in zip(stores, pair) { try store.add(weighed) }
    let (here, there) = isFirst ? (pair[0], pair[1]) : (pair[1], pair[0])
    let judge = Judge { Effect { there.count = 10 }.cancel() }
    let start = Signal(false)
    let effect = Effect {
      guard start.value else { return }
      for weighed in pair { weighed.count = 1 }
      here.weight = Weight(grams: 1, judge)
      judge.isReady = true
    }
    start.value = true
    #expect(pair.map(\.count) == (isFirst ? [1, 10] : [10, 1]))
    for store in stores {
      #expect(!store.isWriting && store.brokenInvariants() == [])
    }
    effect.cancel()
  }
}

/// A value whose comparison does something, once.
struct Weight: Codable, Equatable, Sendable {
  let grams: Int
  private var judge: Judge?

  init(grams: Int, _ judge: Judge? = nil) {
    self.grams = grams
    self.judge = judge
  }

  init(from decoder: any Decoder) throws {
    grams = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(grams)
  }

  static func == (one: Weight, other: Weight) -> Bool {
    one.judge?.compare()
    other.judge?.compare()
    return one.grams == other.grams
  }
}

/// What a comparison does once it is ready: not before the transaction ends, since a write may compare too.
///
/// Sendable only because field values must be: it stays on the thread of its test, which made it.
final class Judge: @unchecked Sendable {
  var isReady = false
  private let act: () -> Void

  init(_ act: @escaping () -> Void) { self.act = act }

  func compare() {
    guard isReady else { return }
    isReady = false
    act()
  }
}

final class Weighed: Object {
  @Field var weight = Weight(grams: 0)
  @Field var count = 0
}
