import Signals
import TestSupport
import Testing

@Suite struct CycleTests {
  @Test func `a cycle of computeds traps with its path`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var a: Computed<Int>?
      let c = Computed(name: "c") { a?.value ?? 0 }
      let b = Computed(name: "b") { c.value + 1 }
      a = Computed(name: "a") { b.value + 1 }
      let outer = Computed(name: "outer") { a?.value ?? 0 }
      _ = Effect(name: "shown") { _ = outer.value }
    }
    expectError(
      result,
      """
      Signals: computed 'a' reads itself, directly or through what it reads: \
      computed 'a' -> computed 'b' -> computed 'c' -> computed 'a'
      """)
  }

  @Test func `a cycle through untracked reads and known edges traps with its path`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let source = Signal(0)
      let isCyclic = Signal(false)
      var last: Computed<Int>?
      let first = Computed(name: "first") { () -> Int in
        _ = source.value
        return isCyclic.value ? untracked { last?.value ?? 0 } : 1
      }
      let middle = Computed(name: "middle") { first.value + 1 }
      last = Computed(name: "last") { middle.value + 1 }
      let effect = Effect(name: "shown") { _ = last?.value }
      batch {
        source.value = 1
        isCyclic.value = true
      }
      effect.cancel()
    }
    expectError(
      result,
      """
      Signals: computed 'first' reads itself, directly or through what it reads: \
      computed 'first' -> computed 'last' -> computed 'middle' -> computed 'first'
      """)
  }

  @Test func `a long cycle traps with its beginning and its end`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var ring: [Computed<Int>] = []
      for index in 0..<100 {
        ring.append(Computed(name: "\(index)") { ring[(index + 1) % 100].value })
      }
      _ = ring[0].value
    }
    expectError(
      result,
      """
      computed '0' -> computed '1' -> computed '2' -> computed '3' -> computed '4' -> \
      … 91 more … -> \
      computed '96' -> computed '97' -> computed '98' -> computed '99' -> computed '0'
      """)
  }

  @Test func `a write in a computed traps in untracked too`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let count = Signal(1, name: "count")
      let inner = Computed(name: "inner") { untracked { untracked { 1 } } }
      let bad = Computed(name: "bad") { () -> Int in
        untracked {
          _ = inner.value
          untracked { count.value = 2 }
        }
        return 1
      }
      let effect = Effect { untracked { _ = bad.value } }
      effect.cancel()
    }
    expectError(
      result, "Signals: computed 'bad' must not write signal 'count': it may only read")
  }

  @Test func `a write to an object in a computed traps in untracked too`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Item: Object { @Field var title = "" }
      let item = Item()
      let store = Store()
      try store.add(item)
      let bad = Computed(name: "bad") { untracked { item.title = "x" } }
      withExtendedLifetime(store) { bad.value }
    }
    expectError(result, "Signals: computed 'bad' must not write Item.title of ")
  }

  @Test func `an effect made detached in a computed may write, and so may effects it wakes`() {
    let a = Signal(0)
    let b = Signal(0)
    let follower = Effect { b.value = a.value }
    let computed = Computed { () -> Int in
      detached { _ = Effect { a.value = 1 } }
      return 3
    }
    #expect(computed.value == 3)
    #expect(b.value == 1)
    follower.cancel()
  }
}

@Suite struct LinkingTests {
  @Test func `what an evaluation inside read too is linked once all the same`() {
    let edges = ReactiveGraph.liveEdges
    let a = Signal(1)
    let b = Signal(1)
    let inner = Computed { a.value + b.value }
    let middle = Computed { inner.value + a.value }
    let outer = Computed { b.value + a.value + middle.value + a.value + b.value + inner.value }
    #expect(outer.value == 9)
    // Two of inner, two of middle, and a, b, middle and inner.
    #expect(ReactiveGraph.liveEdges == edges + 8)
    a.value = 2
    #expect(outer.value == 14)
    #expect(ReactiveGraph.liveEdges == edges + 8)
    #expect(ReactiveGraph.checkInvariants([outer]) == [])
  }

  @Test func `and what an effect inside read, or one that is gone`() {
    let edges = ReactiveGraph.liveEdges
    let a = Signal(1)
    let effect = Effect {
      _ = a.value
      _ = Effect { _ = a.value }
      do {
        let gone = Computed { a.value }
        _ = gone.value
      }
      _ = a.value
    }
    #expect(ReactiveGraph.liveEdges == edges + 2)
    a.value = 2
    #expect(ReactiveGraph.liveEdges == edges + 2)
    #expect(ReactiveGraph.checkInvariants([a, effect]) == [])
    effect.cancel()
  }

  @Test func `and what the conditions of a result read in it`() throws {
    final class Item: Object { @Field var size = 0 }
    let store = Store()
    for size in 0..<3 {
      let item = Item()
      item.size = size
      try store.add(item)
    }
    let limit = Signal(1)
    let results = store.results(Item.self).where { $0.size >= limit.value }
    let count = Computed { limit.value * 100 + results.count + limit.value * 10 }
    #expect(count.value == 112)
    let readers = ReactiveGraph.readers(of: limit)
    limit.value = 2
    #expect(count.value == 221)
    #expect(ReactiveGraph.readers(of: limit) == readers)
    // The computed, and one for each row.
    #expect(readers == 4)
  }
}
