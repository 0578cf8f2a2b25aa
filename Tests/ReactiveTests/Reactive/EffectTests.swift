import Signals
import TestSupport
import Testing

@Suite struct EffectTests {
  @Test func `runs at once and after each change of what it read`() {
    let a = Signal(1)
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value) }
    a.value = 2
    a.value = 3
    #expect(seen == [1, 2, 3])
    effect.cancel()
  }

  @Test func `runs in the order of creation`() {
    let a = Signal(0)
    let b = Signal(0)
    var seen: [Int] = []
    let effects = (0..<5).map { index in
      Effect {
        // Later ones read first, so that marking finds them in another order.
        _ = index % 2 == 0 ? b.value : a.value
        _ = index % 2 == 0 ? a.value : b.value
        seen.append(index)
      }
    }
    seen = []
    batch {
      b.value = 1
      a.value = 1
    }
    #expect(seen == [0, 1, 2, 3, 4])
    effects.forEach { $0.cancel() }
  }

  @Test func `drops what its last run did not read`() {
    let usesFirst = Signal(true)
    let first = Signal(1)
    let second = Signal(2)
    var seen: [Int] = []
    let effect = Effect { seen.append(usesFirst.value ? first.value : second.value) }
    usesFirst.value = false
    first.value = 10
    second.value = 20
    #expect(seen == [1, 2, 20])
    effect.cancel()
  }

  @Test func `what it writes runs others in a later wave`() {
    let a = Signal(1)
    let b = Signal(0)
    var seen: [String] = []
    let effects = [
      Effect { seen.append("b \(b.value)") },
      Effect {
        b.value = a.value * 10
        seen.append("wrote")
      },
      Effect { seen.append("a \(a.value) b \(untracked { b.value })") },
    ]
    #expect(seen == ["b 0", "wrote", "b 10", "a 1 b 10"])
    seen = []
    a.value = 2
    #expect(seen == ["wrote", "a 2 b 20", "b 20"])
    effects.forEach { $0.cancel() }
  }

  @Test func `what it writes propagates when it ends, in its first run too`() {
    let a = Signal(0)
    var seen: [Int] = []
    let observer = Effect { seen.append(a.value) }
    let writer = Effect {
      a.value = 1
      a.value = 2
      #expect(seen == [0])
    }
    #expect(seen == [0, 2])
    observer.cancel()
    writer.cancel()
  }

  @Test func `that writes what it read runs again, in its first run too, until it settles`() {
    let a = Signal(0)
    var seen: [Int] = []
    let effect = Effect {
      seen.append(a.value)
      if a.value % 10 != 3 { a.value += 1 }
    }
    #expect(seen == [0, 1, 2, 3])
    seen = []
    a.value = 10
    #expect(seen == [10, 11, 12, 13])
    effect.cancel()
  }

  @Test func `that reads only after it wrote does not run again`() {
    let a = Signal(0)
    let b = Signal(0)
    var runs = 0
    let effect = Effect {
      runs += 1
      b.value = a.value + 1
      #expect(b.value == a.value + 1)
    }
    a.value = 1
    #expect(runs == 2)
    b.value = 7
    #expect(runs == 3)
    effect.cancel()
  }

  @Test func `that read what it wrote over since runs again`() {
    let a = Signal(0)
    let trigger = Signal(0)
    let double = Computed { a.value * 2 }
    var seen: [Int] = []
    let effect = Effect {
      if trigger.value == 1, seen.count == 1 {
        a.value = 5
        seen.append(double.value)
        a.value = 0
      } else {
        seen.append(double.value)
      }
    }
    trigger.value = 1
    #expect(seen == [0, 10, 0])
    effect.cancel()
  }

  @Test func `that writes and takes it back settles`() {
    let a = Signal(0)
    var runs = 0
    let effect = Effect {
      runs += 1
      let value = a.value
      a.value = value + 1
      a.value = value
    }
    #expect(runs == 1)
    effect.cancel()
  }

  @Test func `made inside another is owned by it`() {
    let a = Signal(0)
    let b = Signal(0)
    var seen: [String] = []
    let outer = Effect {
      let round = a.value
      seen.append("outer \(round)")
      _ = Effect {
        seen.append("inner \(round) \(b.value)")
        _ = Effect { seen.append("innermost \(round) \(b.value)") }
      }
    }
    seen = []
    b.value = 1
    #expect(seen == ["inner 0 1", "innermost 0 1"])
    seen = []
    batch {
      a.value = 1
      b.value = 2
    }
    #expect(seen == ["outer 1", "inner 1 2", "innermost 1 2"])
    seen = []
    outer.cancel()
    b.value = 3
    #expect(seen == [])
  }

  @Test func `made inside another is no dependency of it`() {
    let a = Signal(0)
    var runs = 0
    let outer = Effect {
      runs += 1
      _ = Effect { _ = a.value }
    }
    a.value = 1
    #expect(runs == 1)
    outer.cancel()
  }

  @Test func `made by one that runs because another wrote is not owned by the other`() {
    let a = Signal(0)
    var seen: [Int] = []
    var made: Effect?
    let maker = Effect {
      if a.value == 1, made == nil { untracked { made = Effect { seen.append(a.value) } } }
    }
    let scope = EffectScope { a.value = 1 }
    scope.cancel()
    a.value = 2
    // `maker` owns it and ran again, so it is gone; the scope had nothing to do with it.
    #expect(seen == [1])
    maker.cancel()
  }

  @Test func `made in the middle of a batch runs at once, and again if that changed since`() {
    let a = Signal(0)
    let b = Signal(0)
    let double = Computed { a.value * 2 }
    var seen: [Int] = []
    var other = 0
    var effects: [Effect] = []
    batch {
      a.value = 1
      effects.append(Effect { seen.append(double.value) })
      effects.append(
        Effect {
          _ = b.value; other += 1
        })
      #expect(seen == [2])
      a.value = 0
      b.value = 1
      b.value = 0
    }
    #expect(seen == [2, 0])
    #expect(other == 1)
    effects.forEach { $0.cancel() }
  }
}

@Suite struct EndlessChainTests {
  @Test func `of one effect is stopped, printed with its name, and the program continues`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let a = Signal(0)
      var independent = 0
      let isOn = Signal(false)
      let effects = [
        Effect(name: "grower") { if isOn.value { a.value = a.value + 1 } },
        Effect(name: "independent") {
          _ = isOn.value; independent += 1
        },
      ]
      isOn.value = true
      precondition(independent == 2)
      precondition(effects.count == 2)
    }
    expectError(
      result, "Signals: stopped an endless chain: effect 'grower' kept triggering itself\n")
  }

  @Test func `that begins in the first run of an effect is stopped too`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let a = Signal(0)
      let effect = Effect(name: "grower") { a.value = a.value + 1 }
      precondition(a.value > 100)
      effect.cancel()
    }
    expectError(
      result, "Signals: stopped an endless chain: effect 'grower' kept triggering itself\n")
  }

  @Test func `of two effects is stopped, printed with both names`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let a = Signal(0)
      let b = Signal(0)
      let effects = [
        Effect(name: "ping") { b.value = a.value }, Effect(name: "pong") { a.value = b.value + 1 },
      ]
      precondition(effects.count == 2)
    }
    expectError(
      result,
      "Signals: stopped an endless chain: effect 'ping', effect 'pong' kept triggering each other\n"
    )
  }

  @Test func `is thrown by the callback that began it, and not by the next`() throws {
    let a = Signal(0)
    let isOn = Signal(false)
    let effect = Effect(name: "grower") { if isOn.value { a.value += a.value + 1 } }
    let expected = EndlessChainError(participants: ["effect 'grower'"])
    let looping = Effect(name: "grower") { if isOn.value { a.value = a.value &+ 1 } }
    effect.cancel()
    #expect(throws: expected) { try ReactiveGraph.runCallback { isOn.value = true } }
    try ReactiveGraph.runCallback { isOn.value = false }
    looping.cancel()
  }

  @Test func `leaves its effects alive for the next change`() throws {
    let a = Signal(0)
    let limit = Signal(0)
    let sum = Computed { a.value + 0 }
    var seen = 0
    let grower = Effect(name: "grower") { if sum.value < limit.value { a.value = sum.value + 1 } }
    let watcher = Effect(name: "watcher") { seen = sum.value }
    #expect(throws: EndlessChainError(participants: ["effect 'grower'"])) {
      try ReactiveGraph.runCallback { limit.value = 1_000_000 }
    }
    // Who only watched has seen the end.
    #expect(seen == a.value)
    #expect(ReactiveGraph.checkInvariants([a, limit, sum, grower, watcher]) == [])
    try ReactiveGraph.runCallback { limit.value = a.value + 10 }
    #expect(seen == limit.value)
    grower.cancel()
    watcher.cancel()
  }

  @Test func `is printed if the callback throws another error`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      struct Refusal: Error {}
      let a = Signal(0)
      let isOn = Signal(false)
      let effect = Effect(name: "grower") { if isOn.value { a.value = a.value + 1 } }
      #expect(throws: Refusal.self) {
        try ReactiveGraph.runCallback {
          isOn.value = true
          throw Refusal()
        }
      }
      isOn.value = false
      try ReactiveGraph.runCallback {}
      effect.cancel()
    }
    expectError(
      result, "Signals: stopped an endless chain: effect 'grower' kept triggering itself\n")
  }

  @Test func `lets an effect that keeps waking itself run 1100 times`() throws {
    let a = Signal(0)
    let isOn = Signal(false)
    var runs = 0
    let effect = Effect(name: "grower") {
      guard isOn.value else { return }
      runs += 1
      a.value = a.value + 1
    }
    #expect(throws: EndlessChainError(participants: ["effect 'grower'"])) {
      try ReactiveGraph.runCallback { isOn.value = true }
    }
    #expect(runs == 1100)
    #expect(a.value == 1100)
    effect.cancel()
  }

  @Test func `is not what a long but finite chain is`() throws {
    let a = Signal(0)
    let effect = Effect { if a.value > 0 { a.value = a.value - 1 } }
    try ReactiveGraph.runCallback { a.value = 1000 }
    #expect(a.value == 0)
    effect.cancel()
  }

  @Test func `is not what many effects that write are`() throws {
    let a = Signal(0)
    let targets = (0..<5000).map { _ in Signal(0) }
    let effects = targets.map { target in Effect { target.value = a.value } }
    let observers = targets.map { target in Effect { _ = target.value } }
    try ReactiveGraph.runCallback { a.value = 1 }
    #expect(targets.allSatisfy { $0.value == 1 })
    (effects + observers).forEach { $0.cancel() }
  }
}
