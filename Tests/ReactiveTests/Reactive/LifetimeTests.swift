import Foundation
import Signals
import TestSupport
import Testing

@Suite struct LifetimeTests {
  @Test func `nothing outlives its owner`() {
    let nodes = ReactiveGraph.liveNodes
    let edges = ReactiveGraph.liveEdges
    var released = 0
    do {
      let a = Signal(Lifetime { released += 1 })
      let b = Computed<Lifetime> {
        _ = a.value; return Lifetime { released += 1 }
      }
      let token = Lifetime { released += 1 }
      let effect = Effect { [token] in
        token.use()
        _ = b.value
        _ = Effect { _ = a.value }
      }
      a.value = Lifetime { released += 1 }
      batch { a.value = Lifetime { released += 1 } }
      #expect(ReactiveGraph.liveNodes == nodes + 4)
      #expect(ReactiveGraph.liveEdges == edges + 3)
      effect.cancel()
      #expect(ReactiveGraph.liveNodes == nodes + 2)
      #expect(ReactiveGraph.liveEdges == edges + 1)
    }
    #expect(released == 7)
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
  }

  @Test func `an effect keeps what it captures until it is cancelled, and no longer`() {
    weak var weakToken: Lifetime?
    let a = Signal(1)
    var effect: Effect?
    do {
      let token = Lifetime()
      weakToken = token
      effect = Effect { [token] in
        token.use()
        _ = a.value
      }
    }
    #expect(weakToken != nil)
    effect?.cancel()
    #expect(weakToken == nil)
  }

  @Test func `a batch releases old values when it ends`() {
    weak var weakOld: Lifetime?
    let a = Signal(Lifetime?.none, isEqual: { $0 === $1 })
    let effect = Effect { _ = a.value }
    do {
      let old = Lifetime()
      weakOld = old
      a.value = old
    }
    batch {
      a.value = nil
      #expect(weakOld != nil)
    }
    #expect(weakOld == nil)
    effect.cancel()
  }
}

@Suite struct ThreadTests {
  @Test func `each have graphs of their own, at once, and leave nothing`() {
    let done = DispatchGroup()
    for index in 0..<8 {
      done.enter()
      let thread = Thread {
        for round in 0..<50 {
          let a = Signal(index)
          let double = Computed { a.value * 2 }
          var seen = 0
          let effect = Effect { seen = double.value }
          batch { for step in 0..<20 { a.value = round + step } }
          precondition(seen == (round + 19) * 2)
          effect.cancel()
        }
        precondition(ReactiveGraph.liveNodes == 0)
        precondition(ReactiveGraph.liveEdges == 0)
        done.leave()
      }
      thread.start()
    }
    done.wait()
  }

  @Test func `may change between two calls into one graph, as an actor's do`() async {
    actor Model {
      let a = Signal(0)
      let b = Signal(0)
      lazy var sum = Computed { [a, b] in a.value + b.value }
      let seen = Signal(0)
      var effect: Effect?

      func start() {
        let (sum, seen) = (sum, seen)
        effect = Effect { seen.value = sum.value }
      }

      func lastSeen() -> Int { seen.value }

      func total() -> Int { sum.value }

      func add(_ value: Int) async -> Int {
        a.value += value
        await Task.yield()
        batch {
          b.value += value
          b.value -= 1
        }
        return sum.value
      }
    }
    let model = Model()
    await model.start()
    await withTaskGroup(of: Int.self) { group in
      for value in 1...100 {
        group.addTask {
          if value % 7 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
          return await model.add(value)
        }
      }
    }
    #expect(await model.total() == 2 * 5050 - 100)
    #expect(await model.lastSeen() == 2 * 5050 - 100)
  }
}
