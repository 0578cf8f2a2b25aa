import Signals
import TestSupport
import Testing

/// What user code may do wherever the engine calls it.
@Suite struct ReentrancyTests {
  final class Item: Object {
    @Field var count = 0
  }

  struct Refusal: Error, Equatable {}

  @Test func `no effect keeps another of its wave from running`() throws {
    let store = Store()
    let item = Item()
    try store.add(item)
    store.beforeCommit { _ in throw Refusal() }
    let a = Signal(0)
    var refused: [String] = []
    store.onRefusal = { refused.append("\($0)") }
    var seen: [String] = []
    var victim: Effect?
    let effects = [
      Effect { seen.append("first \(a.value)") },
      Effect { if a.value == 1 { item.count = 1 } },
      Effect { if a.value == 1 { victim?.cancel() } },
      Effect(name: "endless") { if a.value >= 1 { a.value = a.value % 2 + 1 } },
      Effect { seen.append("last \(min(a.value, 1))") },
    ]
    victim = Effect { seen.append("victim \(a.value)") }
    seen = []
    #expect(throws: EndlessChainError(participants: ["effect 'endless'"])) {
      try ReactiveGraph.runCallback { a.value = 1 }
    }
    #expect(seen.contains("first 1") && seen.contains("last 1") && !seen.contains("victim 1"))
    #expect(refused.first == "Refusal()")
    #expect(item.count == 0)
    effects.forEach { $0.cancel() }
  }

  @Test func `an equality may read, write, evaluate, cancel and make what it likes`() {
    let nodes = ReactiveGraph.liveNodes
    do {
      let other = Signal(0)
      let double = Computed { other.value * 2 }
      var cancelled: Effect?
      var isBusy = false
      let meddle = {
        guard !isBusy else { return }
        isBusy = true
        other.value += 1
        _ = double.value
        cancelled?.cancel()
        Effect { _ = double.value }.cancel()
        isBusy = false
      }
      let a = Signal(
        0,
        isEqual: {
          meddle()
          return $0 == $1
        })
      let parity = Computed(
        isEqual: {
          meddle()
          return $0 == $1
        }, { a.value % 2 })
      cancelled = Effect { _ = other.value }
      var seen: [Int] = []
      let effect = Effect { seen.append(parity.value * 100 + double.value / 1000) }
      for next in 1...5 { a.value = next }
      batch {
        a.value = 8
        _ = parity.value
        a.value = 9
      }
      batch { a.value = 10 }
      #expect(seen.last == 0)
      #expect(seen.filter { $0 == 100 }.count >= 3)
      #expect(ReactiveGraph.checkInvariants([a, other, double, parity, effect]) == [])
      effect.cancel()
    }
    #expect(ReactiveGraph.liveNodes == nodes)
  }

  @Test func `an effect may cancel, make, batch and write in the middle of a wave`() {
    let nodes = ReactiveGraph.liveNodes
    do {
      let a = Signal(0)
      let b = Signal(0)
      var log: [String] = []
      var kept: [Effect] = []
      var later: Effect?
      let effect = Effect {
        let value = a.value
        if value == 0 { return }
        later?.cancel()
        untracked { kept.append(Effect { log.append("made \(b.value)") }) }
        batch {
          b.value += 1
          b.value += 1
        }
        log.append("ran \(value)")
      }
      later = Effect { log.append("later \(a.value)") }
      let last = Effect { log.append("last \(a.value) \(b.value)") }
      log = []
      a.value = 1
      #expect(log == ["made 0", "ran 1", "last 1 2", "made 2"])
      [effect, last].forEach { $0.cancel() }
      kept = []
      #expect(ReactiveGraph.checkInvariants([a, b]) == [])
    }
    #expect(ReactiveGraph.liveNodes == nodes)
  }

  @Test func `a computed may dispose of what is being propagated`() {
    let nodes = ReactiveGraph.liveNodes
    do {
      final class Holder { var computeds: [Computed<Int>] = [] }
      let a = Signal(0)
      let holder = Holder()
      holder.computeds = (0..<5).map { index in
        Computed { () -> Int in
          if a.value == 1, index == 2 { holder.computeds.removeLast(2) }
          return a.value + index
        }
      }
      var sums: [Int] = []
      let effect = Effect {
        var sum = 0
        var index = 0
        while index < holder.computeds.count {
          let computed = holder.computeds[index]
          sum += computed.value
          index += 1
        }
        sums.append(sum)
      }
      a.value = 1
      a.value = 2
      #expect(sums.first == 10)
      #expect(sums.last == 2 + 3 + 4)
      #expect(ReactiveGraph.checkInvariants([a, effect]) == [])
      effect.cancel()
      holder.computeds = []
    }
    #expect(ReactiveGraph.liveNodes == nodes)
  }

  @Test func `a computed without readers never runs, through writes and batches and to its end`() {
    let a = Signal(0)
    var runs = 0
    do {
      let lazy = Computed { () -> Int in
        runs += 1
        return a.value
      }
      let reader = Computed { lazy.value }
      a.value = 1
      batch { a.value = 2 }
      withExtendedLifetime((lazy, reader)) {}
    }
    #expect(runs == 0)
  }

  @Test func `a computed runs at most once in a batch that does not read it`() {
    let (a, b, c) = (Signal(1), Signal(1), Signal(1))
    var runs: [String: Int] = [:]
    let ab = Computed { () -> Int in
      runs["ab", default: 0] += 1
      return a.value + b.value
    }
    let bc = Computed { () -> Int in
      runs["bc", default: 0] += 1
      return b.value + c.value
    }
    let all = Computed { () -> Int in
      runs["all", default: 0] += 1
      return ab.value * 100 + bc.value
    }
    let effects = [
      Effect {
        _ = all.value
        runs["first", default: 0] += 1
      },
      Effect {
        _ = ab.value + all.value
        runs["second", default: 0] += 1
      },
    ]
    runs = [:]
    batch {
      for next in 2...4 {
        a.value = next
        b.value = next
        c.value = next
      }
    }
    #expect(runs == ["ab": 1, "bc": 1, "all": 1, "first": 1, "second": 1])
    effects.forEach { $0.cancel() }
  }

  @Test func `conditional and unstable reads keep exactly the edges of the last run`() {
    let edges = ReactiveGraph.liveEdges
    let order = Signal([0, 1, 2, 3])
    let sources = (0..<4).map { Signal($0) }
    var runs = 0
    let sum = Computed { () -> Int in
      runs += 1
      return order.value.reduce(0) { $0 * 10 + sources[$1].value }
    }
    let effect = Effect { _ = sum.value }
    for next in [[3, 2, 1, 0], [1], [], [2, 2, 3, 2], [0, 3], [3, 0, 1]] {
      order.value = next
      #expect(ReactiveGraph.liveEdges == edges + 2 + Set(next).count)
      for index in sources.indices {
        let before = runs
        sources[index].value += 1
        #expect(runs == before + (next.contains(index) ? 1 : 0))
      }
    }
    #expect(ReactiveGraph.checkInvariants([order, sum, effect]) == [])
    effect.cancel()
  }
}
