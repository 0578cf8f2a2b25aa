import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random dynamic graphs against naive evaluation.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct DifferentialTests {
  static let steps = runLength(usually: 4000)

  @Test(arguments: seeds(8))
  func `every read equals naive evaluation, and nothing runs twice or for nothing`(seed: UInt64) {
    compare(seed: seed, isWild: false)
  }

  @Test(arguments: seeds(8, from: 101))
  func `so it does while effects write, and effects and computeds make and release others`(
    seed: UInt64
  ) {
    compare(seed: seed, isWild: true)
  }

  private func compare(seed: UInt64, isWild: Bool) {
    let nodes = ReactiveGraph.liveNodes
    let edges = ReactiveGraph.liveEdges
    var count = 0
    while count < Self.steps / 8 {
      let world = World(seed: seed &+ UInt64(count) &* 1000, isWild: isWild)
      let length = min(400, Self.steps / 8 - count)
      for step in 0..<length where world.failures.isEmpty {
        world.step()
        for failure in world.failures {
          Issue.record("seed \(seed &+ UInt64(count) &* 1000), step \(step): \(failure)")
        }
      }
      if !world.failures.isEmpty { return }
      world.end()
      count += length
    }
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
  }
}

/// A random graph beside its naive model.
private final class World {
  private var random: SeededRandom
  private let isWild: Bool
  private var signals: [Signal<Int>] = []
  private var values: [Int] = []
  /// Naive results are cached for as long as no signal is written.
  private var version = 0
  private var derived: [Derived] = []
  private var watchers: [Watcher] = []
  private var formulas: [WeakFormula] = []
  private var isReadInBatch = false
  private var writesLeft = 0
  var failures: [String] = []

  struct WeakFormula { weak var formula: Formula? }

  enum Input {
    case signal(Int)
    case derived(Derived)
  }

  /// What a computed or effect computes: the value of its first input decides which others it reads.
  final class Formula {
    let inputs: [Input]
    let offset: Int
    let modulus: Int
    let readsTwice: Bool
    var trace: [(input: Input, value: Int)] = []
    var runs = 0
    var traceBefore: [(input: Input, value: Int)] = []
    /// Something that the last run read has changed since, perhaps back again.
    var wasOutdated = false
    var wasOutdatedBefore = false
    var cache: (version: Int, value: Int)?

    init(inputs: [Input], offset: Int, modulus: Int, readsTwice: Bool) {
      self.inputs = inputs
      self.offset = offset
      self.modulus = modulus
      self.readsTwice = readsTwice
    }

    func evaluate(_ read: (Input) -> Int) -> Int {
      let first = read(inputs[0])
      var result = offset &+ first
      let half = (inputs.count + 1) / 2
      for input in first & 1 == 0 ? inputs[..<half] : inputs[half...] {
        result = result &* 3 &+ read(input)
      }
      if readsTwice { result = result &+ read(inputs[0]) }
      return (result & 0xFFFF) % modulus
    }
  }

  final class Derived {
    let formula: Formula
    let computed: Computed<Int>

    init(_ formula: Formula, _ body: @escaping () -> Int) {
      self.formula = formula
      computed = Computed(body)
    }
  }

  final class Watcher {
    let formula: Formula
    var effect: Effect?
    var children: [Watcher] = []
    var isDead = false
    var isNew = true

    init(_ formula: Formula) { self.formula = formula }

    func kill() {
      isDead = true
      effect = nil
      for child in children { child.kill() }
      children = []
    }
  }

  init(seed: UInt64, isWild: Bool) {
    random = SeededRandom(seed: seed)
    self.isWild = isWild
    for _ in 0..<below(6) + 1 { addSignal() }
    for _ in 0..<below(12) { addDerived() }
    for _ in 0..<below(6) { addWatcher(to: nil) }
  }

  private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  // MARK: - The model

  private func naive(_ input: Input) -> Int {
    switch input {
    case .signal(let index): return values[index]
    case .derived(let derived):
      let formula = derived.formula
      if let cache = formula.cache, cache.version == version { return cache.value }
      let value = formula.evaluate { naive($0) }
      formula.cache = (version, value)
      return value
    }
  }

  private func read(_ input: Input) -> Int {
    let value =
      switch input {
      case .signal(let index): signals[index].value
      case .derived(let derived): derived.computed.value
      }
    let expected = naive(input)
    if value != expected { failures.append("read \(value), expected \(expected)") }
    return value
  }

  private func run(_ formula: Formula) -> Int {
    formula.runs += 1
    formula.wasOutdated = false
    var trace: [(input: Input, value: Int)] = []
    let result = formula.evaluate { input in
      let value = read(input)
      trace.append((input, value))
      return value
    }
    formula.trace = trace
    return result
  }

  private func isOutdated(_ trace: [(input: Input, value: Int)]) -> Bool {
    trace.contains { naive($0.input) != $0.value }
  }

  // MARK: - The graph

  private func formula() -> Formula {
    let inputs = (0...below(5)).map { _ -> Input in
      let index = below(signals.count + derived.count)
      return index < signals.count ? .signal(index) : .derived(derived[index - signals.count])
    }
    let formula = Formula(
      inputs: inputs, offset: below(10), modulus: [2, 3, 10, 1000][below(4)],
      readsTwice: below(3) == 0)
    formulas.append(WeakFormula(formula: formula))
    return formula
  }

  private func addSignal() {
    values.append(below(4))
    signals.append(Signal(values[values.count - 1]))
  }

  private func addDerived() {
    guard derived.count < 40 else { return }
    let formula = formula()
    derived.append(
      Derived(formula) { [unowned self] in
        if isWild, below(20) == 0 { untracked { release() } }
        return run(formula)
      })
  }

  private func addWatcher(to parent: Watcher?) {
    guard watchers.count < 20 else { return }
    let watcher = Watcher(formula())
    watchers.append(watcher)
    parent?.children.append(watcher)
    let effect = Effect { [unowned self, weak watcher] in
      guard let watcher else { return failures.append("a released effect ran") }
      for child in watcher.children { child.kill() }
      watcher.children = []
      if isWild, below(3) == 0 { untracked { act(watcher) } }
      let value = run(watcher.formula)
      if isWild, below(3) == 0 { write(below(signals.count), value % 4) }
      if isWild, below(3) == 0 { untracked { act(watcher) } }
      if watcher.isDead { watcher.kill() }
    }
    if watcher.isDead { effect.cancel() } else { watcher.effect = effect }
  }

  /// What an effect may do beside reading.
  private func act(_ watcher: Watcher) {
    switch below(5) {
    case 0: release()
    case 1: write(below(signals.count), below(4))
    case 2: if !derived.isEmpty { _ = read(.derived(derived[below(derived.count)])) }
    case 3: addWatcher(to: watcher)
    default: addDerived()
    }
  }

  private func write(_ index: Int, _ value: Int) {
    if isWild {
      guard writesLeft > 0 else { return }
      writesLeft -= 1
    }
    values[index] = value
    version += 1
    switch below(3) {
    case 0: signals[index].value = value
    case 1: signals[index].update { $0 = value }
    default: signals[index].wrappedValue = value
    }
  }

  private func release() {
    if below(2) == 0, !derived.isEmpty {
      derived.remove(at: below(derived.count))
    } else if !watchers.isEmpty {
      let index = below(watchers.count)
      // One in its first run has not been handed out yet: nobody could cancel it.
      guard let effect = watchers[index].effect else { return }
      let watcher = watchers.remove(at: index)
      effect.cancel()
      watcher.kill()
    }
  }

  private func runBatch(depth: Int) {
    let old = values
    let written = (0...below(4)).map { _ in below(signals.count) }
    batch {
      for index in written {
        write(index, below(4))
        switch below(8) {
        case 0 where !derived.isEmpty:
          isReadInBatch = true
          _ = read(.derived(derived[below(derived.count)]))
        case 1 where depth < 2: runBatch(depth: depth + 1)
        case 2 where below(3) == 0:
          isReadInBatch = true
          addWatcher(to: nil)
        case 3 where below(3) == 0: release()
        default: break
        }
      }
      if below(3) == 0 {
        for index in written { write(index, old[index]) }
      }
    }
  }

  // MARK: - Steps

  func step() {
    watchers.removeAll { $0.isDead }
    formulas.removeAll { $0.formula == nil }
    for formula in formulas.compactMap({ $0.formula }) {
      formula.runs = 0
      formula.traceBefore = formula.trace
      formula.wasOutdatedBefore = formula.wasOutdated || formula.trace.isEmpty
    }
    for watcher in watchers { watcher.isNew = false }
    isReadInBatch = false
    writesLeft = 30
    switch below(20) {
    case 0: addSignal()
    case 1...2: addDerived()
    case 3: addWatcher(to: nil)
    case 4: release()
    case 5...8: if !derived.isEmpty { _ = read(.derived(derived[below(derived.count)])) }
    case 9...14: write(below(signals.count), below(4))
    default: runBatch(depth: 0)
    }
    check()
  }

  private func check() {
    watchers.removeAll { $0.isDead }
    for watcher in watchers {
      let formula = watcher.formula
      if isOutdated(formula.trace) { failures.append("an effect missed a change") }
      if isWild || watcher.isNew { continue }
      let expected = isOutdated(formula.traceBefore) ? 1 : 0
      if formula.runs != expected {
        failures.append("an effect ran \(formula.runs) times, expected \(expected)")
      }
    }
    for entry in formulas where !isWild {
      guard let formula = entry.formula, !watchers.contains(where: { $0.formula === formula })
      else { continue }
      if isReadInBatch || isOutdated(formula.trace) { formula.wasOutdated = true }
      if isReadInBatch { continue }
      let mayRun = formula.wasOutdatedBefore || isOutdated(formula.traceBefore)
      if formula.runs > (mayRun ? 1 : 0) {
        failures.append("a computed ran \(formula.runs) times")
      }
    }
    var owners: [any NodeOwner] = signals
    owners += derived.map { $0.computed }
    owners += watchers.compactMap { $0.effect }
    failures += ReactiveGraph.checkInvariants(owners)
  }

  /// Releases everything in random order, checking what is left.
  func end() {
    while !derived.isEmpty || !watchers.isEmpty {
      release()
      check()
    }
    signals = []
  }
}
