import Signals
import TestSupport
import Testing

/// User code releases, deletes or asks for what the library is using in that moment.
@Suite struct `Release of what is in use` {
  /// Where the last reference to something is.
  private final class Last<Value> {
    var value: Value?
    init(_ value: Value? = nil) { self.value = value }
  }

  /// What ends with a computed's first value but one, whose equality looks at the number.
  private struct Numbered: Equatable {
    let number: Int
    let ending: Ending?

    static func == (one: Numbered, other: Numbered) -> Bool { one.number == other.number }
  }

  /// A computed that follows a signal; `end` is called when the value of 1 goes.
  private func ending(_ step: Signal<Int>, _ end: @escaping () -> Void) -> Computed<Numbered> {
    Computed {
      let number = step.value
      return Numbered(number: number, ending: number == 1 ? Ending(end) : nil)
    }
  }

  private func beads(_ count: Int, in store: Store) throws -> [Bead] {
    let beads = (0..<count).map { _ in Bead() }
    try store.add(beads)
    return beads
  }

  // MARK: - Stores

  @Test func `a hook releases the store in the commit of one write`() throws {
    let last = Last(Store())
    let bead = Bead()
    try last.value?.add(bead)
    last.value?.beforeCommit { _ in last.value = nil }
    bead.text = "a"
    #expect(last.value == nil)
    #expect(bead.text == "a" && bead.store == nil)
  }

  @Test func `an effect releases the store before a refusal is told`() throws {
    let last = Last(Store())
    let bead = Bead()
    try last.value?.add(bead)
    let failed = Signal(0)
    let effect = Effect { if failed.value > 0 { last.value = nil } }
    var refusals = 0
    last.value?.beforeCommit { _ in
      failed.value += 1
      throw Refusal()
    }
    last.value?.onRefusal = { _ in refusals += 1 }
    bead.text = "a"
    #expect(refusals == 1 && last.value == nil)
    effect.cancel()
  }

  @Test func `a comparison releases the store at the end of a commit`() throws {
    let last = Last(Store())
    let weighed = Weighed()
    try last.value?.add(weighed)
    let token = last.value?.commits.sink { _ in }
    let judge = Judge { last.value = nil }
    last.value?.beforeCommit { _ in judge.isReady = true }
    weighed.weight = Weight(grams: 1, judge)
    #expect(last.value == nil && weighed.store == nil)
    token?.cancel()
  }

  @Test func `the clock of a history releases another`() throws {
    let store = Store()
    let bead = try beads(1, in: store)[0]
    let last = Last<UndoHistory>()
    let judge = Judge { last.value = nil }
    let clock = EndingClock(judge: judge)
    let history = UndoHistory(store, coalescing: .typing.within(.seconds(1), of: clock))
    last.value = UndoHistory(store)
    judge.isReady = true
    bead.text = "a"
    #expect(last.value == nil && history.undoCount == 1)
  }

  @Test func `the path of an inverse releases the store`() throws {
    let last = Last(Store())
    let tray = Tray()
    do {
      for _ in 0..<3 {
        let stack = TrayStack()
        stack.whenAsked = { last.value = nil }
        stack.trays.append(tray)
        try last.value?.add(stack)
      }
    }
    #expect(tray.stacks.isEmpty && last.value == nil)
  }

  // MARK: - Rows

  @Test func `what ends in a condition deletes the object that is tested`() throws {
    let store = Store()
    let bead = try beads(1, in: store)[0]
    let step = Signal(0)
    let computed = ending(step) { try? store.delete(bead) }
    let results = store.results(Bead.self).where { _ in computed.value.number >= 0 }
    var counts = [results.count]
    for number in 1...2 {
      step.value = number
      counts.append(results.count)
    }
    #expect(counts == [1, 1, 0])
  }

  @Test func `a condition cancels an effect whose cleanup deletes the object that is tested`()
    throws
  {
    let store = Store()
    let bead = try beads(1, in: store)[0]
    let step = Signal(0)
    let last = Last(Effect { onCleanup { try? store.delete(bead) } })
    let results = store.results(Bead.self).where { _ in
      if step.value == 1 { last.value = nil }
      return true
    }
    #expect(results.count == 1)
    step.value = 1
    #expect(results.isEmpty)
  }

  @Test(arguments: 0..<8) func `what ends in a condition deletes another row`(turn: Int) throws {
    let store = Store()
    let beads = try beads(2 + turn, in: store)
    let step = Signal(0)
    let computed = ending(step) { try? store.delete(beads[turn]) }
    let results = store.results(Bead.self).where { _ in computed.value.number >= 0 }
    #expect(results.count == beads.count)
    step.value = 1
    #expect(results.count == beads.count)
    step.value = 2
    #expect(results.count == beads.count - 1)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `what ends while rows settle deletes one of them`() throws {
    let store = Store()
    let bead = try beads(2, in: store)[0]
    let step = Signal(0)
    let computed = ending(step) { try? store.delete(bead) }
    let last = Last(store.results(Bead.self).where { _ in computed.value.number >= 0 })
    let token = last.value?.observe { _ in }
    try store.write {
      step.value = 1
      #expect(last.value?.count == 2)
      step.value = 2
    }
    #expect(last.value?.count == 1)
    step.value = 3
    #expect(last.value?.count == 1)
    token?.cancel()
    last.value = nil
    step.value = 4
  }

  @Test func `what is evaluated while rows settle reads them`() throws {
    let store = Store()
    let bead = try beads(1, in: store)[0]
    let (isOn, other) = (Signal(false), Signal(0))
    let last = Last<Results<Bead>>()
    let computed = Computed { isOn.value ? last.value?.count ?? 0 : 0 }
    last.value = store.results(Bead.self).where {
      $0.text.isEmpty ? computed.value >= 0 : other.value >= 0
    }
    let token = last.value?.observe { _ in }
    try store.write {
      bead.text = "a"
      isOn.value = true
    }
    #expect(computed.value == 1)
    token?.cancel()
    last.value = nil
    isOn.value = false
    #expect(computed.value == 0)
    other.value = 1
  }

  @Test func `what all rows read ends in the middle of a refresh, and reads them`() throws {
    let store = Store()
    let beads = try beads(1000, in: store)
    let step = Signal(0)
    let last = Last<Results<Bead>>()
    var counts: [Int] = []
    let computed = ending(step) {
      try? store.write { for bead in beads { bead.text = "a" } }
      counts.append(last.value?.count ?? -1)
    }
    last.value = store.results(Bead.self).where {
      !$0.text.isEmpty || computed.value.number >= 0
    }
    for number in 0...2 {
      step.value = number
      counts.append(last.value?.count ?? -1)
    }
    #expect(counts == [1000, 1000, 1000, 1000])
    last.value = nil
  }

  @Test func `rows end what they read, which reads the rows`() throws {
    let store = Store()
    let beads = try beads(200, in: store)
    let (others, shown) = (Last<Results<Ledger>>(), Last<Results<Bead>>())
    var counts: [Int] = []
    do {
      let ending = Ending { counts.append(shown.value?.count ?? -1) }
      others.value = store.results(Ledger.self).where { _ in withExtendedLifetime(ending) { true } }
    }
    shown.value = store.results(Bead.self).where {
      $0.charge.number >= 0 && (others.value?.count ?? 0) >= 0
    }
    counts.append(shown.value?.count ?? -1)
    others.value = nil
    try store.write { for bead in beads { bead.charge = Charge(1) } }
    counts.append(shown.value?.count ?? -1)
    #expect(counts == [200, 200, 200])
    shown.value = nil
  }

  // MARK: - Views

  @Test func `the description of a value releases its signal while a body is traced`() throws {
    let store = Store()
    let bead = try beads(1, in: store)[0]
    let last = Last<Signal<Described>>()
    last.value = Signal(Described { last.value = nil })
    let host = ViewHost(store, renderer: TextRenderer()) {
      Text("\(last.value?.value.number ?? 0) \(bead.text)")
    }
    host.tracesChanges = true
    bead.text = "a"
    #expect(last.value == nil && host.bodies == 2)
  }

  @Test func `an old input of a view asks the host`() throws {
    let (store, ledger, renderer) = (Store(), Ledger(), TextRenderer())
    try store.add(ledger)
    let last = Last<ViewHost>()
    var asked = 0
    let host = ViewHost(store, renderer: renderer) {
      Ticket(
        ending: Ending {
          asked += 1
          _ = try? last.value?.element("none")
        }, number: ledger.tick)
    }
    last.value = host
    for tick in 1...3 { ledger.tick = tick }
    #expect(asked == 3 && renderer.text == "3")
    last.value = nil
  }

  @Test func `an old handler of errors fails an intent`() throws {
    let (store, ledger, renderer) = (Store(), Ledger(), TextRenderer())
    try store.add(ledger)
    let last = Last<ViewHost>()
    let host = ViewHost(store, renderer: renderer) {
      let ending = Ending { try? last.value?.perform("fail") }
      Column {
        Button("fail") { throw Refusal() }
        Text("\(ledger.tick)")
      }
      .onError { _ in withExtendedLifetime(ending) {} }
    }
    last.value = host
    for tick in 1...3 { ledger.tick = tick }
    #expect(renderer.text.contains("3"))
    last.value = nil
  }

  @Test(arguments: [false, true])
  func `state that goes with an intent ends an effect, whose cleanup is a commit of its own`(
    fails: Bool
  ) throws {
    let (store, ledger, renderer) = (Store(), Ledger(), TextRenderer())
    try store.add(ledger)
    let host = ViewHost(store, renderer: renderer) { Watching(ledger: ledger, fails: fails) }
    try host.perform("start")
    if fails {
      #expect(throws: Refusal.self) { try host.perform("stop") }
    } else {
      try host.perform("stop")
    }
    #expect(renderer.text.contains(fails ? "0 0" : "1 1"))
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    ledger.tick = 50
    #expect(commits == 1)
    #expect(renderer.text.contains(fails ? "50 0" : "50 1"))
    token.cancel()
  }

  /// A view that keeps an effect in its state.
  private struct Watching: View {
    let ledger: Ledger
    let fails: Bool
    @State private var effect: Effect?

    var body: Element {
      Text("\(ledger.tick) \(ledger.closed)")
      Button("start") { effect = watch() }
      Button("stop") {
        effect = nil
        ledger.tick += 1
        if fails { throw Refusal() }
      }
    }

    private func watch() -> Effect {
      let ledger = ledger
      return detached { Effect { onCleanup { ledger.closed += 1 } } }
    }
  }

  private struct Ticket: View {
    let ending: Ending
    let number: Int
    var body: Element { Text("\(number)") }
  }

  private struct Described: Equatable, CustomStringConvertible {
    let act: () -> Void
    let number = 1

    var description: String {
      act()
      return "described"
    }

    static func == (one: Described, other: Described) -> Bool { one.number == other.number }
  }
}

/// A clock that does something when it is read.
private struct EndingClock: Clock {
  typealias Duration = Swift.Duration
  typealias Instant = ContinuousClock.Instant

  let judge: Judge

  var now: Instant {
    judge.compare()
    return ContinuousClock().now
  }
  var minimumResolution: Duration { ContinuousClock().minimumResolution }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}

private final class TrayStack: Object {
  @Links var trays: List<Tray>
  var whenAsked: () -> Void = {}

  /// Reads nothing, so that each owner is asked for it.
  var all: List<Tray> {
    whenAsked()
    return []
  }
}

private final class Tray: Object { @Inverse(\TrayStack.all) var stacks }
