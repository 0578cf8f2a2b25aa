import Signals
import TestSupport
import Testing

@Suite("What owns effects and scopes") struct OwnerTests {
  @Test func `an effect made in a computed traps with both names`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let bad = Computed(name: "bad") { () -> Int in
        _ = Effect(name: "inner") {}
        return 0
      }
      _ = bad.value
    }
    expectError(result, "Signals: effect 'inner' in computed 'bad': it may only read")
  }

  @Test func `an effect made untracked in a computed traps, whatever evaluates it`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let bad = Computed(name: "bad") { untracked { Effect(name: "inner") {} } }
      let outer = Effect { _ = bad.value }
      outer.cancel()
    }
    expectError(result, "Signals: effect 'inner' in computed 'bad': it may only read")
  }

  @Test func `a scope made in a computed traps with its place`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let bad = Computed(name: "bad") { EffectScope(file: "File.swift", line: 7) {} }
      _ = bad.value
    }
    expectError(result, "Signals: EffectScope at File.swift:7 in computed 'bad': it may only read")
  }

  @Test func `a computed that code in detached reads owns nothing either`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let inner = Computed(name: "inner") { Effect(name: "lost") {} }
      let outer = Computed(name: "outer") { detached { inner.value } }
      _ = outer.value
    }
    expectError(result, "Signals: effect 'lost' in computed 'inner': it may only read")
  }

  @Test func `a cleanup in detached has no owner and traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let outer = Effect { detached { onCleanup(file: "File.swift", line: 7) {} } }
      outer.cancel()
    }
    expectError(result, "Signals: onCleanup at File.swift:7 has no owner")
  }

  @Test func `a write in detached in a computed traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let count = Signal(0, name: "count")
      let bad = Computed(name: "bad") { detached { count.value = 1 } }
      _ = bad.value
    }
    expectError(
      result, "Signals: computed 'bad' must not write signal 'count': it may only read")
  }

  @Test func `an effect made detached outlives the run that made it, and ends with its reference`()
  {
    let outerRuns = Signal(0)
    let a = Signal(0)
    var seen: [Int] = []
    var kept: Effect?
    let outer = Effect {
      guard outerRuns.value >= 0, kept == nil else { return }
      kept = detached { Effect { seen.append(a.value) } }
    }
    outerRuns.value = 1
    outer.cancel()
    a.value = 1
    #expect(seen == [0, 1])
    kept = nil
    a.value = 2
    #expect(seen == [0, 1])
  }

  @Test func `a scope made detached in a computed lives as long as the value that holds it`() {
    let a = Signal(0)
    let key = Signal("x")
    var seen: [String] = []
    let model = Computed(isEqual: neverEqual) { () -> EffectScope in
      let key = key.value
      return detached {
        EffectScope { _ = Effect { seen.append("\(key)\(a.value)") } }
      }
    }
    let shown = Effect { _ = model.value }
    a.value = 1
    key.value = "y"
    a.value = 2
    #expect(seen == ["x0", "x1", "y1", "y2"])
    shown.cancel()
  }

  @Test func `what is read in detached is no dependency`() {
    let a = Signal(0)
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = detached { a.value }
    }
    a.value = 1
    #expect(runs == 1)
    effect.cancel()
  }

  @Test func `detached passes on results and errors, and what surrounds owns again after it`() {
    struct Refusal: Error {}
    let a = Signal(0)
    var seen: [Int] = []
    let scope = EffectScope {
      do throws(Refusal) {
        try detached { () throws(Refusal) in throw Refusal() }
      } catch {}
      _ = Effect { seen.append(a.value) }
    }
    a.value = 1
    scope.cancel()
    a.value = 2
    #expect(seen == [0, 1])
  }

  @Test func `what a scope's closure reads is a dependency of the effect around`() {
    let a = Signal(0)
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = EffectScope { _ = a.value }
    }
    a.value = 1
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `an effect made in a cleanup has no owner`() {
    let a = Signal(0)
    var seen: [Int] = []
    var kept: Effect?
    let outer = Effect { onCleanup { kept = Effect { seen.append(a.value) } } }
    outer.cancel()
    a.value = 1
    #expect(seen == [0, 1])
    kept?.cancel()
  }

  @Test func `a change in place in an effect is no dependency`() {
    let count = Signal(0)
    let go = Signal(0)
    let effect = Effect {
      _ = go.value
      count.value += 1
      count.update { $0 += 1 }
    }
    #expect(count.value == 2)
    count.value = 10
    #expect(count.value == 10)
    go.value = 1
    #expect(count.value == 12)
    effect.cancel()
  }
}

@Suite("Not-a-number over not-a-number is no change") struct NaNEqualityTests {
  struct Point: Codable, Equatable {
    var x: Double
    var y: Double
  }

  struct Opaque: Equatable { var x: Double }

  private func changes<Value: Equatable>(from old: Value, to new: Value) -> Bool {
    let signal = Signal(old)
    let source = Signal(0)
    let computed = Computed { source.value == 0 ? old : new }
    var runs = (0, 0)
    let effects = [
      Effect {
        _ = signal.value
        runs.0 += 1
      },
      Effect {
        _ = computed.value
        runs.1 += 1
      },
    ]
    signal.value = new
    source.value = 1
    #expect(runs.0 == runs.1)
    effects.forEach { $0.cancel() }
    return runs.0 == 2
  }

  @Test func `as a number, an optional, or a part of a value`() {
    #expect(!changes(from: Double.nan, to: .nan))
    #expect(!changes(from: Float.nan, to: -.nan))
    #expect(!changes(from: Double?.some(.nan), to: .nan))
    #expect(!changes(from: Point(x: .nan, y: 1), to: Point(x: .nan, y: 1)))
    #expect(!changes(from: Opaque(x: .nan), to: Opaque(x: .nan)))
  }

  @Test func `what differs beside it is a change`() {
    #expect(changes(from: Double.nan, to: 1))
    #expect(changes(from: 1, to: Double.nan))
    #expect(changes(from: Double?.some(.nan), to: nil))
    #expect(changes(from: [1, .nan], to: [2, Double.nan]))
    #expect(changes(from: Point(x: .nan, y: 1), to: Point(x: .nan, y: 2)))
  }

  @Test func `an array that contains it is always a change`() {
    #expect(changes(from: [1, .nan], to: [1, Double.nan]))
  }

  @Test func `an effect that computes it from itself comes to an end`() {
    let a = Signal(1.0)
    var runs = 0
    let effect = Effect {
      runs += 1
      a.value = a.value * .nan
    }
    #expect(runs == 2)
    effect.cancel()
  }
}
