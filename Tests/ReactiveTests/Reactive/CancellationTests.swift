import Signals
import TestSupport
import Testing

@Suite struct CancellationTests {
  @Test func `stops an effect at once, and twice is once`() {
    let a = Signal(1)
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value) }
    effect.cancel()
    effect.cancel()
    a.value = 2
    #expect(seen == [1])
  }

  @Test func `comes with the release of the last reference`() {
    let a = Signal(1)
    var seen: [Int] = []
    var effect: Effect? = Effect { seen.append(a.value) }
    a.value = 2
    _ = effect
    effect = nil
    a.value = 3
    #expect(seen == [1, 2])
  }

  @Test func `from inside itself ends after the run, and reads after it are no dependency`() {
    let edges = ReactiveGraph.liveEdges
    let a = Signal(1)
    let b = Signal(1)
    var seen: [Int] = []
    var effect: Effect?
    effect = Effect {
      seen.append(a.value)
      if a.value == 2 {
        effect?.cancel()
        seen.append(b.value * 100)
        _ = Effect { seen.append(b.value * 1000) }
      }
    }
    a.value = 2
    #expect(seen == [1, 2, 100, 1000])
    #expect(ReactiveGraph.liveEdges == edges)
    b.value = 3
    a.value = 3
    #expect(seen == [1, 2, 100, 1000])
    #expect(ReactiveGraph.checkInvariants([a, b]) == [])
  }

  @Test func `of another that waits in the same flush keeps it from running`() {
    let a = Signal(1)
    var seen: [String] = []
    var second: Effect?
    let first = Effect {
      seen.append("first \(a.value)")
      if a.value == 2 { second = nil }
    }
    second = Effect { seen.append("second \(a.value)") }
    a.value = 2
    #expect(seen == ["first 1", "second 1", "first 2"])
    #expect(second == nil)
    first.cancel()
  }

  @Test func `by a computed that the effect is waiting for keeps it from running`() {
    let a = Signal(1)
    var effect: Effect?
    var runs = 0
    let computed = Computed { () -> Int in
      if a.value == 2 { effect?.cancel() }
      return a.value
    }
    let later = Computed { a.value }
    effect = Effect {
      _ = computed.value
      _ = later.value
      runs += 1
    }
    a.value = 2
    #expect(runs == 1)
    effect = nil
    #expect(ReactiveGraph.checkInvariants([a, computed, later]) == [])
  }

  @Test func `of everything by a computed in the middle of a check is safe`() {
    final class Holder {
      var computeds: [Computed<Int>?] = []
      var effect: Effect?
    }
    for victim in 0..<4 {
      let a = Signal(1)
      let holder = Holder()
      let first = Computed { () -> Int in
        if a.value == 2, victim < 3 { holder.computeds[victim] = nil }
        if a.value == 2, victim == 3 { holder.effect = nil }
        return a.value
      }
      holder.computeds = [
        Computed { first.value % 1 },
        Computed { (holder.computeds[0]?.value ?? 0) % 1 },
        Computed { (holder.computeds[1]?.value ?? 0) + first.value },
      ]
      holder.effect = Effect { _ = holder.computeds[2]?.value }
      a.value = 2
      #expect(ReactiveGraph.checkInvariants([a, first]) == [])
      holder.effect = nil
      holder.computeds = []
    }
  }

  @Test func `of an effect by what its children release is safe`() {
    let a = Signal(1)
    var effect: Effect?
    var runs = 0
    effect = Effect {
      runs += 1
      _ = a.value
      let token = Lifetime { effect?.cancel() }
      _ = Effect { token.use() }
    }
    a.value = 2
    a.value = 3
    #expect(runs == 1)
    effect = nil
  }
}

@Suite struct EffectScopeTests {
  @Test func `stops all it keeps, the last first`() {
    let a = Signal(1)
    var seen: [String] = []
    let scope = EffectScope {
      for index in 0..<3 {
        let token = Lifetime { seen.append("end \(index)") }
        _ = Effect {
          token.use()
          seen.append("\(index) \(a.value)")
        }
      }
    }
    seen = []
    a.value = 2
    #expect(seen == ["0 2", "1 2", "2 2"])
    seen = []
    scope.cancel()
    a.value = 3
    #expect(seen == ["end 2", "end 1", "end 0"])
  }

  @Test func `stops at its release`() {
    let a = Signal(1)
    var runs = 0
    var scope: EffectScope? = EffectScope {
      _ = Effect {
        _ = a.value; runs += 1
      }
    }
    _ = scope
    scope = nil
    a.value = 2
    #expect(runs == 1)
  }

  @Test func `made inside a scope or an effect is kept by it`() {
    let a = Signal(1)
    let b = Signal(1)
    var runs = 0
    let outer = Effect {
      _ = b.value
      _ = EffectScope {
        _ = EffectScope {
          _ = Effect {
            _ = a.value; runs += 1
          }
        }
      }
    }
    a.value = 2
    #expect(runs == 2)
    b.value = 2
    #expect(runs == 3)
    a.value = 3
    #expect(runs == 4)
    outer.cancel()
    a.value = 4
    #expect(runs == 4)
  }

  @Test func `whose body throws stops what it made`() {
    struct Refusal: Error {}
    let a = Signal(1)
    var runs = 0
    var kept: Effect?
    #expect(throws: Refusal.self) {
      _ = try EffectScope {
        kept = Effect {
          _ = a.value; runs += 1
        }
        throw Refusal()
      }
    }
    a.value = 2
    #expect(runs == 1)
    withExtendedLifetime(kept) {}
  }
}
