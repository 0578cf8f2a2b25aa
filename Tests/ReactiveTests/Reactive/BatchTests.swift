import Signals
import TestSupport
import Testing

@Suite struct BatchTests {
  @Test func `makes many writes one change`() {
    let a = Signal(1)
    let b = Signal(2)
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value + b.value) }
    batch {
      a.value = 10
      b.value = 20
      #expect(seen == [3])
    }
    #expect(seen == [3, 30])
    effect.cancel()
  }

  @Test func `the outermost decides, and passes on results and errors`() {
    struct Refusal: Error {}
    let a = Signal(1)
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value) }
    let result = batch { () -> String in
      batch { a.value = 2 }
      #expect(seen == [1])
      return "done"
    }
    #expect(result == "done")
    #expect(throws: Refusal.self) {
      try batch { () throws(Refusal) in
        a.value = 3
        throw Refusal()
      }
    }
    #expect(seen == [1, 2, 3])
    effect.cancel()
  }

  @Test func `that ends where it began runs nothing`() {
    let a = Signal(1)
    let double = Computed { a.value * 2 }
    var runs = [0, 0]
    let effects = [
      Effect {
        _ = a.value; runs[0] += 1
      },
      Effect {
        _ = double.value; runs[1] += 1
      },
    ]
    batch {
      a.value = 2
      a.value = 1
    }
    #expect(runs == [1, 1])
    effects.forEach { $0.cancel() }
  }

  @Test func `that ends where it began runs nothing even if a computed was read in it`() {
    let a = Signal(1)
    let double = Computed { a.value * 2 }
    let quadruple = Computed { double.value * 2 }
    var runs = 0
    let effect = Effect {
      _ = quadruple.value; runs += 1
    }
    batch {
      a.value = 2
      #expect(quadruple.value == 8)
      a.value = 3
      #expect(double.value == 6)
      a.value = 1
    }
    #expect(runs == 1)
    #expect(quadruple.value == 4)
    a.value = 2
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `compares with the value before it, read in the middle or not`() {
    let a = Signal(1)
    let isPositive = Computed { a.value > 0 }
    var seen: [Bool] = []
    let effect = Effect { seen.append(isPositive.value) }
    batch {
      a.value = -1
      #expect(isPositive.value == false)
      a.value = 5
    }
    #expect(seen == [true])
    batch {
      a.value = -1
      #expect(isPositive.value == false)
    }
    #expect(seen == [true, false])
    effect.cancel()
  }

  @Test func `inside an effect ends with the effect`() {
    let a = Signal(1)
    let b = Signal(1)
    var seen: [Int] = []
    let observer = Effect { seen.append(b.value) }
    let effect = Effect {
      batch { b.value = a.value * 10 }
      batch { b.value = a.value * 100 }
    }
    a.value = 2
    #expect(seen == [1, 100, 200])
    observer.cancel()
    effect.cancel()
  }

  @Test func `may release what was written in it`() {
    var a: Signal<Int>? = Signal(1)
    var runs = 0
    let effect = Effect { [weak a] in
      _ = a?.value; runs += 1
    }
    batch {
      a?.value = 2
      a = nil
    }
    #expect(runs == 2)
    #expect(ReactiveGraph.checkInvariants([effect]) == [])
    effect.cancel()
  }

  @Test func `an equality that writes is settled too`() {
    let log = Signal(0)
    let a = Signal(
      1,
      isEqual: {
        log.value += 1
        return $0 == $1
      })
    var seen: [Int] = []
    let effects = [
      Effect { _ = a.value }, Effect { seen.append(log.value) },
    ]
    batch { a.value = 2 }
    #expect(seen == [0, 1])
    effects.forEach { $0.cancel() }
  }
}

@Suite struct UntrackedTests {
  @Test func `reads are no dependency`() {
    let a = Signal(1)
    let b = Signal(1)
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value + untracked { b.value }) }
    b.value = 10
    a.value = 2
    #expect(seen == [2, 12])
    effect.cancel()
  }

  @Test func `passes on results and errors, and tracking continues after it`() {
    struct Refusal: Error {}
    let a = Signal(1)
    let b = Signal(1)
    var seen: [Int] = []
    let effect = Effect {
      do throws(Refusal) {
        try untracked { () throws(Refusal) in
          _ = b.value
          throw Refusal()
        }
      } catch {}
      seen.append(a.value)
    }
    b.value = 2
    a.value = 2
    #expect(seen == [1, 2])
    effect.cancel()
  }

  @Test func `a computed read in it still tracks for itself`() {
    let a = Signal(1)
    let double = Computed { a.value * 2 }
    var runs = 0
    let effect = Effect {
      _ = untracked { double.value }; runs += 1
    }
    a.value = 2
    #expect(runs == 1)
    #expect(double.value == 4)
    effect.cancel()
  }
}
