import Foundation
import Signals
import TestSupport
import Testing

/// Long chains and wide fans, on a stack of 512 KB.
///
/// `SIGNALS_STEPS` sets how long: 1,000,000 in continuous integration.
@Suite struct DepthTests {
  static let count = runLength(usually: 100_000)

  @Test func `a long chain of computeds propagates and is released from its end`() {
    onSmallStack {
      let source = Signal(1)
      var chain = self.chain(source) { previous in { previous() + 1 } }
      let last = chain[chain.count - 1]
      var seen: [Int] = []
      let effect = Effect { seen.append(last.value) }
      source.value = 2
      batch {
        source.value = 3
        #expect(last.value == Self.count + 3)
      }
      #expect(seen == [1, 2, 3].map { $0 + Self.count })
      effect.cancel()
      while !chain.isEmpty { chain.removeLast() }
    }
  }

  @Test func `a long chain of computeds is released from its beginning`() {
    onSmallStack {
      let source = Signal(1)
      var chain = self.chain(source) { previous in { previous() + 1 } }
      source.value = 2
      let last = chain[chain.count - 1]
      #expect(last.value == Self.count + 2)
      chain.reverse()
      while !chain.isEmpty { chain.removeLast() }
      source.value = 3
      #expect(last.value == Self.count + 3)
    }
  }

  @Test func `a chain of which each member also reads the source first propagates`() {
    onSmallStack {
      let source = Signal(1)
      var runs = 0
      let chain = self.chain(source) { previous in
        {
          runs += 1
          return source.value + previous()
        }
      }
      let last = chain[chain.count - 1]
      runs = 0
      var seen: [Int] = []
      let effect = Effect { seen.append(last.value) }
      source.value = 2
      #expect(seen == [Self.count + 1, 2 * (Self.count + 1)])
      #expect(runs == Self.count)
      batch {
        source.value = 3
        #expect(last.value == 3 * (Self.count + 1))
      }
      #expect(runs == 2 * Self.count)
      effect.cancel()
    }
  }

  @Test func `a wide fan of effects runs each once, in order`() {
    onSmallStack {
      let source = Signal(1)
      var order: [Int] = []
      var effects = (0..<Self.count).map { index in
        Effect {
          _ = source.value; order.append(index)
        }
      }
      order = []
      source.value = 2
      #expect(order == Array(0..<Self.count))
      effects.shuffle()
      while !effects.isEmpty { effects.removeLast() }
      #expect(ReactiveGraph.checkInvariants([source]) == [])
    }
  }

  @Test func `many nodes that own each other are released`() {
    onSmallStack {
      var computed = Computed { 0 }
      var effect = Effect {}
      var signal = Signal(Int?.some(1) as Any, isEqual: { _, _ in false })
      for index in 0..<Self.count {
        let below = (computed, effect, signal)
        computed = Computed { [token = below.0] in
          _ = token; return index
        }
        effect = Effect { [token = below.1] in _ = token }
        signal = Signal(below.2 as Any, isEqual: { _, _ in false })
      }
    }
  }

  @Test func `a first evaluation that is too deep traps with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      onSmallStack {
        let source = Signal(1)
        var chain = [Computed { source.value }]
        for _ in 0..<Self.count {
          let previous = chain[chain.count - 1]
          chain.append(Computed(name: "link") { previous.value + 1 })
        }
        _ = chain[chain.count - 1].value
      }
    }
    expectError(
      result,
      """
      Signals: the stack is full while computed 'link' is evaluated for the first time: \
      read long chains in the order of their creation first (computed 'link' -> computed 'link'
      """)
    expectError(result, "-> computed 'link' -> … ")
    expectError(result, " more … -> computed 'link' -> ")
  }

  @Test func `a wide fan of computeds is read by one effect, and released from either side`() {
    onSmallStack {
      let source = Signal(1)
      var fan = (0..<Self.count).map { index in Computed { source.value + index } }
      let (first, last) = (fan[0], fan[fan.count - 1])
      var sums: [Int] = []
      let effect = Effect { [fan] in sums.append(fan.reduce(0) { $0 &+ $1.value }) }
      batch { source.value = 2 }
      #expect(sums.count == 2)
      #expect(sums[1] == sums[0] + Self.count)
      #expect(last.value == first.value + Self.count - 1)
      fan = []
      effect.cancel()
      #expect(ReactiveGraph.liveEdges == 2)
    }
  }

  /// A chain of computeds, read in the order of creation.
  private func chain(
    _ source: Signal<Int>, _ link: (@escaping () -> Int) -> () -> Int
  ) -> [Computed<Int>] {
    var chain: [Computed<Int>] = []
    for index in 0..<Self.count {
      if index == 0 {
        chain.append(Computed(link { source.value }))
      } else {
        let previous = chain[index - 1]
        chain.append(Computed(link { previous.value }))
      }
      _ = chain[index].value
    }
    return chain
  }
}
