import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random screens under random commits, against screens made anew.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Views, random screens` {
  static let steps = runLength(usually: 1200)

  @Test(arguments: seeds(4))
  func `a host kept up to date shows what a new one would, and runs no body for nothing`(
    seed: UInt64
  ) throws {
    let nodes = ReactiveGraph.liveNodes, edges = ReactiveGraph.liveEdges
    var step = 0
    while step < Self.steps / 4 {
      let seed = seed &+ UInt64(step) &* 1000
      if try !run(seed: seed) { return }
      step += 150
    }
    #expect((ReactiveGraph.liveNodes, ReactiveGraph.liveEdges) == (nodes, edges))
  }

  private func run(seed: UInt64) throws -> Bool {
    let world = try RandomWorld(seed: seed)
    for step in 0..<150 {
      try world.step()
      for failure in world.failures { Issue.record("seed \(seed), step \(step): \(failure)") }
      if !world.failures.isEmpty { return false }
    }
    return true
  }
}

/// What a random view shows; built once, so that every host shows the same.
private indirect enum Plan {
  case note(Int)
  case signal(Int)
  case environment
  case branch(Int, Plan, Plan)
  case child(Plan, input: Int?)
  case rows(limit: Int, Plan)
  case group([Plan])
  case themed(Int, Plan)
  case keyed(Int, Plan)
}

private enum ToneKey: EnvironmentKey {
  static var defaultValue: Int { 0 }
}

extension EnvironmentValues {
  fileprivate var tone: Int {
    get { self[ToneKey.self] }
    set { self[ToneKey.self] = newValue }
  }
}

/// A store, signals, a screen over both, and two hosts: one kept, one with a manual clock.
private final class RandomWorld {
  let store: Store
  private(set) var notes: [Note]
  let signals = (0..<5).map { Signal($0, name: "signal \($0)") }
  private var random: SeededRandom
  private var plan: Plan = .environment
  private var kept: TestHost?
  private var slow: TestHost?
  private let clock = FrameClock.manual
  /// Who has been evaluated in the present step, by what it is: nobody twice.
  let evaluations = Evaluations()
  var failures: [String] = []

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    (store, notes) = try TestSupport.notes(12)
    plan = .group((0..<4).map { _ in makePlan(depth: 4) })
    kept = try host(evaluations)
    slow = try host(Evaluations(), clock: clock)
  }

  private func host(_ evaluations: Evaluations, clock: FrameClock = .immediate) throws -> TestHost {
    let screen = Screen(notes: notes, signals: signals, store: store, evaluations: evaluations)
    let plan = plan
    return try TestHost(store, clock: clock) { PlanView(plan: plan, screen: screen, input: 0) }
  }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private func makePlan(depth: Int) -> Plan {
    if depth == 0 { return [.note(pick(12)), .signal(pick(5)), .environment][pick(3)] }
    switch pick(9) {
    case 0: return .note(pick(12))
    case 1: return .signal(pick(5))
    case 2:
      return .branch(pick(5), makePlan(depth: depth - 1), makePlan(depth: depth - 1))
    case 3, 4:
      return .child(makePlan(depth: depth - 1), input: pick(2) == 0 ? nil : pick(5))
    case 5: return .rows(limit: pick(12), makePlan(depth: depth - 2 < 0 ? 0 : depth - 2))
    case 6: return .themed(pick(5), makePlan(depth: depth - 1))
    case 7: return .keyed(pick(5), makePlan(depth: depth - 1))
    default: return .group((0..<pick(3) + 1).map { _ in makePlan(depth: depth - 1) })
    }
  }

  func step() throws {
    evaluations.begin()
    let bodies = kept?.bodies ?? 0
    let isNoChange = pick(8) == 0
    if isNoChange {
      try changeAndBack()
    } else {
      try change()
    }
    if pick(3) == 0 { clock.tick() }
    let run = (kept?.bodies ?? 0) - bodies
    if isNoChange, run > 0 { failures.append("\(run) bodies ran for a commit without a change") }
    failures += evaluations.problems
    let fresh = try host(Evaluations())
    if kept?.text != fresh.text {
      failures.append("kept:\n\(kept?.text ?? "")\nnew:\n\(fresh.text)")
    }
    if !clock.isWaiting, slow?.text != fresh.text {
      failures.append("ticked:\n\(slow?.text ?? "")\nnew:\n\(fresh.text)")
    }
  }

  private func change() throws {
    switch pick(6) {
    case 0: signals[pick(5)].value = pick(4)
    case 1: try edit()
    case 2:
      try store.write {
        for _ in 0..<pick(4) + 1 { try edit() }
        signals[pick(5)].value = pick(4)
      }
    case 3:
      try? kept?.host.perform {
        try edit()
        if pick(2) == 0 { throw Count.Stop() }
      }
    case 4: _ = try? store.undo()
    default: batch { for signal in signals { signal.value = pick(3) } }
    }
  }

  private func edit() throws {
    let note = notes[pick(notes.count)]
    switch pick(5) {
    case 0: note.title = "title \(pick(5))"
    case 1: note.rank = pick(12)
    case 2: note.isDone.toggle()
    case 3 where note.store != nil: try store.delete(note)
    default: if note.store == nil { try store.add(note) }
    }
  }

  private func changeAndBack() throws {
    let note = notes[pick(notes.count)]
    let signal = signals[pick(5)]
    let (title, value) = (note.title, signal.value)
    try store.write {
      note.title = "other"
      signal.value += 1
      _ = kept?.host.bodies
      note.title = title
      signal.value = value
    }
  }
}

/// What the views of a random screen read.
private final class Screen {
  let notes: [Note]
  let signals: [Signal<Int>]
  let store: Store
  let open: Results<Note>
  let evaluations: Evaluations

  init(notes: [Note], signals: [Signal<Int>], store: Store, evaluations: Evaluations) {
    self.notes = notes
    self.signals = signals
    self.store = store
    self.evaluations = evaluations
    open = store.results(Note.self).where { !$0.isDone }.sorted(by: \.rank)
  }
}

/// The naive model of what may run: who read something that changed, or was given something else.
private final class Evaluations {
  private var run: [ObjectIdentifier: Int] = [:]
  private(set) var problems: [String] = []

  func begin() {
    run = [:]
    problems = []
  }

  /// A body of `identity` runs; `read` is what it read the last time, and what that was.
  func note(_ identity: ReadSet, inputs: [Int]) {
    let count = run[ObjectIdentifier(identity), default: 0] + 1
    run[ObjectIdentifier(identity)] = count
    if let before = identity.inputs, before == inputs, !identity.hasChanged {
      problems.append("a body ran although nothing that it had read has changed")
    }
    if count > 1 { problems.append("a body ran \(count) times in one step") }
    identity.inputs = inputs
    identity.reads = []
  }
}

/// What the last body of a view read, each with a test for whether it is the same.
private final class ReadSet {
  var inputs: [Int]?
  var reads: [() -> Bool] = []
  var hasChanged: Bool { untracked { reads.contains { !$0() } } }

  func read<Value: Equatable>(_ value: @autoclosure @escaping () -> Value) -> Value {
    let present = value()
    reads.append { value() == present }
    return present
  }
}

private struct PlanView: View {
  let plan: PlanReference
  let screen: Screen
  let input: Int
  @Environment(\.tone) private var tone
  @StateObject private var reads = ReadSet()

  init(plan: Plan, screen: Screen, input: Int) {
    self.plan = PlanReference(plan: plan)
    self.screen = screen
    self.input = input
  }

  var body: Element {
    let _ = screen.evaluations.note(reads, inputs: [input])
    Text("in \(input)")
    element(plan.plan)
  }

  private func element(_ plan: Plan) -> Element {
    let signals = screen.signals
    switch plan {
    case .note(let index):
      let note = screen.notes[index]
      return Text(reads.read("\(note.title) \(note.rank) \(note.isDeleted)")).element
    case .signal(let index): return Text("s\(index) \(reads.read(signals[index].value))").element
    case .environment:
      let tone = self.tone
      reads.reads.append { false }
      return Text("tone \(tone)").element
    case .branch(let index, let first, let second):
      return reads.read(signals[index].value) % 2 == 0
        ? ElementBuilder.buildEither(first: element(first))
        : ElementBuilder.buildEither(second: element(second))
    case .child(let plan, let input):
      let value = input.map { reads.read(signals[$0].value) } ?? 0
      return PlanView(plan: plan, screen: screen, input: value).element
    case .rows(let limit, let plan):
      let open = screen.open
      // Reading some of a result is a dependency on all of its order.
      let rows = reads.read(Array(open)).prefix(limit)
      return ForEach(rows) { note in
        Text("row \(note.title)")
        PlanView(plan: plan, screen: screen, input: note.number)
      }.element
    case .group(let plans): return Column { for plan in plans { element(plan) } }.element
    case .themed(let index, let plan):
      return element(plan).environment(\.tone, reads.read(signals[index].value))
    case .keyed(let index, let plan):
      return element(plan).id(reads.read(signals[index].value))
    }
  }
}

/// A plan counts as the same wherever a screen is made of it.
private struct PlanReference: Equatable {
  let plan: Plan
  static func == (lhs: PlanReference, rhs: PlanReference) -> Bool { true }
}
