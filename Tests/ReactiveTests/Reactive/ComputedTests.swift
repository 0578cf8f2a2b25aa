import Signals
import TestSupport
import Testing

@Suite struct ComputedTests {
  @Test func `is lazy and cached`() {
    let a = Signal(1)
    var runs = 0
    let double = Computed { () -> Int in
      runs += 1; return a.value * 2
    }
    #expect(runs == 0)
    #expect(double.value == 2)
    #expect(double.value == 2)
    #expect(runs == 1)
    a.value = 2
    a.value = 3
    #expect(runs == 1)
    #expect(double.value == 6)
    #expect(runs == 2)
  }

  @Test func `an equal result stops a change`() {
    let a = Signal(1)
    let isOdd = Computed { a.value % 2 == 1 }
    var seen: [Bool] = []
    let effect = Effect { seen.append(isOdd.value) }
    a.value = 3
    a.value = 4
    a.value = 6
    #expect(seen == [true, false])
    effect.cancel()
  }

  @Test func `isEqual decides what is an equal result, and without one all differ`() {
    struct Opaque { let n: Int }
    let a = Signal(1)
    let coarse = Computed(isEqual: { $0.n / 10 == $1.n / 10 }) { Opaque(n: a.value) }
    let fine = Computed { Opaque(n: a.value / 100) }
    var runs = [0, 0]
    let effects = [
      Effect {
        _ = coarse.value; runs[0] += 1
      },
      Effect {
        _ = fine.value; runs[1] += 1
      },
    ]
    a.value = 2
    a.value = 12
    #expect(runs == [2, 3])
    effects.forEach { $0.cancel() }
  }

  @Test func `a diamond is evaluated once and never torn`() {
    let a = Signal(1)
    var runs = 0
    let left = Computed { a.value + 1 }
    let right = Computed { a.value * 10 }
    let join = Computed { () -> Int in
      runs += 1
      #expect((left.value - 1) * 10 == right.value)
      return left.value + right.value
    }
    var seen: [Int] = []
    let effect = Effect { seen.append(join.value) }
    a.value = 2
    #expect(seen == [12, 23])
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `a deep stack of diamonds is evaluated once each`() {
    let a = Signal(0)
    var runs = 0
    var top = Computed { a.value }
    for _ in 0..<60 {
      let below = top
      let left = Computed { () -> Int in
        runs += 1; return below.value &+ 1
      }
      let right = Computed { () -> Int in
        runs += 1; return below.value &* 3
      }
      top = Computed { () -> Int in
        runs += 1; return left.value &* 31 &+ right.value
      }
    }
    let last = top
    var seen = 0
    let effect = Effect {
      _ = last.value; seen += 1
    }
    #expect(runs == 180)
    a.value = 1
    #expect(runs == 360)
    #expect(seen == 2)
    effect.cancel()
  }

  @Test func `depends on what its last evaluation read, and on nothing else`() {
    let usesFirst = Signal(true)
    let first = Signal(1)
    let second = Signal(2)
    var runs = 0
    let chosen = Computed { () -> Int in
      runs += 1; return usesFirst.value ? first.value : second.value
    }
    #expect(chosen.value == 1)
    second.value = 20
    #expect(chosen.value == 1)
    #expect(runs == 1)
    usesFirst.value = false
    #expect(chosen.value == 20)
    first.value = 10
    #expect(chosen.value == 20)
    #expect(runs == 2)
  }

  @Test func `a dependency that is not reached any more is not evaluated`() {
    let items = Signal([1, 2, 3])
    let last = Computed { items.value[items.value.count - 1] }
    let text = Computed { items.value.isEmpty ? "none" : "last \(last.value)" }
    var seen: [String] = []
    let effect = Effect { seen.append(text.value) }
    items.value = []
    items.value = [9]
    #expect(seen == ["last 3", "none", "last 9"])
    effect.cancel()
  }

  @Test func `repeated reads are one dependency`() {
    let edges = ReactiveGraph.liveEdges
    let a = Signal(1)
    let b = Signal(2)
    let sum = Computed { a.value + b.value + a.value + b.value + a.value }
    for round in 0..<4 {
      #expect(sum.value == 3 * (1 + round) + 4)
      #expect(ReactiveGraph.liveEdges == edges + 2)
      a.value += 1
    }
    #expect(ReactiveGraph.checkInvariants([sum]) == [])
  }

  @Test func `reads inside a batch see what was written so far`() {
    let a = Signal(1)
    let double = Computed { a.value * 2 }
    batch {
      a.value = 2
      #expect(double.value == 4)
      a.value = 3
      #expect(double.value == 6)
    }
    #expect(double.value == 6)
  }

  @Test func `a released computed leaves its dependencies`() {
    let edges = ReactiveGraph.liveEdges
    let a = Signal(1)
    do {
      let double = Computed { a.value * 2 }
      _ = double.value
      #expect(ReactiveGraph.liveEdges == edges + 1)
    }
    #expect(ReactiveGraph.liveEdges == edges)
  }

  @Test func `may make and release others while it is evaluated`() {
    let a = Signal(1)
    var kept: Computed<Int>? = Computed { a.value + 1 }
    _ = kept?.value
    let outer = Computed { () -> Int in
      let inner = Computed { a.value * 2 }
      kept = nil
      return inner.value
    }
    #expect(outer.value == 2)
    a.value = 2
    #expect(outer.value == 4)
    #expect(kept == nil)
  }

  @Test func `that is released leaves what it read to its readers`() {
    let edges = ReactiveGraph.liveEdges
    let a = Signal(1)
    var seen: [Int] = []
    let effect = Effect {
      let double = Computed { a.value * 2 }
      seen.append(Computed { double.value + 1 }.value)
    }
    a.value = 2
    a.value = 3
    #expect(seen == [3, 5, 7])
    #expect(ReactiveGraph.liveEdges == edges + 1)
    #expect(ReactiveGraph.checkInvariants([a, effect]) == [])
    effect.cancel()

    var held: Computed<Int>? = Computed { a.value * 2 }
    let reader = Computed { held?.value ?? -1 }
    #expect(reader.value == 6)
    held = nil
    #expect(reader.value == 6)
    a.value = 4
    #expect(reader.value == -1)
    #expect(ReactiveGraph.checkInvariants([a, reader]) == [])
  }

  @Test func `may release itself while it is evaluated`() {
    let a = Signal(1)
    final class Holder { var computed: Computed<Int>? }
    let holder = Holder()
    let token = Lifetime()
    holder.computed = Computed { [token] in
      holder.computed = nil
      token.use()
      return a.value
    }
    #expect(holder.computed?.value == 1)
    #expect(holder.computed == nil)
    #expect(ReactiveGraph.checkInvariants([a]) == [])
  }

  @Test func `reading itself traps with its name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var itself: Computed<Int>?
      itself = Computed(name: "total") { (itself?.value ?? 0) + 1 }
      _ = itself?.value
    }
    expectError(
      result, "Signals: computed 'total' reads itself, directly or through what it reads")
  }

  @Test func `reading itself through others, and not at first, traps with its name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let isCyclic = Signal(false)
      var second: Computed<Int>?
      let first = Computed(name: "first") { isCyclic.value ? second?.value ?? 0 : 1 }
      second = Computed(name: "second") { first.value + 1 }
      let effect = Effect { _ = second?.value }
      isCyclic.value = true
      effect.cancel()
    }
    expectError(
      result, "Signals: computed 'first' reads itself, directly or through what it reads")
  }

  @Test func `writing in it traps with both names, even an equal value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let count = Signal(1, name: "count")
      let bad = Computed(name: "bad") { () -> Int in
        count.value = 1
        return 1
      }
      _ = bad.value
    }
    expectError(
      result, "Signals: computed 'bad' must not write signal 'count': it may only read")
  }

  @Test func `messages name what has no name by where it was made`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var itself: Computed<Int>?
      itself = Computed(file: "Module/File.swift", line: 42) { itself?.value ?? 0 }
      _ = itself?.value
    }
    expectError(result, "computed Module/File.swift:42 reads itself")
  }
}

@Suite struct DeinitTests {
  final class Witness {
    let onDeinit: () -> Void
    init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
    deinit { onDeinit() }
  }

  @Test func `of a computed's old value may write; it propagates when the evaluation has ended`() {
    let a = Signal(1)
    let log = Signal(0)
    let witness = Computed<Witness> {
      _ = a.value
      return Witness { log.value += 1 }
    }
    var seen: [Int] = []
    let observer = Effect { seen.append(log.value) }
    let reader = Effect { _ = witness.value }
    for next in 2...5 { a.value = next }
    #expect(log.value == 4)
    #expect(seen == [0, 1, 2, 3, 4])
    #expect(ReactiveGraph.checkInvariants([a, log, witness, observer, reader]) == [])
    observer.cancel()
    reader.cancel()
  }

  @Test func `of a node released there may write and read, and is no dependency`() {
    let a = Signal(1)
    let log = Signal(0)
    let other = Signal(0)
    var runs = 0
    let computed = Computed<Int> { () -> Int in
      runs += 1
      // The signal is destroyed untracked, and its value with it.
      _ = Signal(Witness { log.value += other.value + 1 })
      return a.value
    }
    var seen: [Int] = []
    let effects = [Effect { seen.append(log.value) }, Effect { _ = computed.value }]
    a.value = 2
    other.value = 5
    #expect(runs == 2)
    #expect(seen == [0, 1, 2])
    effects.forEach { $0.cancel() }
  }

  @Test func `that writes what the computed read has it evaluated again`() {
    let a = Signal(1)
    var isFirst = true
    let computed = Computed<Int> { () -> Int in
      let value = a.value
      if value == 2, isFirst {
        isFirst = false
        _ = Signal(Witness { a.value = 10 })
      }
      return value
    }
    var seen: [Int] = []
    let effect = Effect { seen.append(computed.value) }
    a.value = 2
    #expect(seen.last == 10)
    #expect(computed.value == 10)
    a.value = 11
    #expect(seen.last == 11)
    #expect(ReactiveGraph.checkInvariants([a, computed, effect]) == [])
    effect.cancel()
  }

  @Test func `may read a node that is being checked`() {
    let a = Signal(0)
    let b = Signal(0)
    final class Holder { var parent: Computed<Int>? }
    let holder = Holder()
    var read: Int?
    // Parent is checked by way of child; child's evaluation changes what parent reads first, and
    // then has it evaluated, which drops the edge on which the check stands.
    let child = Computed<Int> { () -> Int in
      let value = a.value
      if value > 0 {
        _ = Signal(
          Witness {
            b.value = 1
            read = value
          })
      }
      return value
    }
    let parent = Computed<Int> { b.value == 0 ? child.value : -1 }
    holder.parent = parent
    var seen: [Int] = []
    let effect = Effect { seen.append(parent.value) }
    a.value = 1
    #expect(read == 1)
    #expect(seen.last == -1)
    #expect(ReactiveGraph.checkInvariants([a, b, child, parent, effect]) == [])
    effect.cancel()
  }
}
