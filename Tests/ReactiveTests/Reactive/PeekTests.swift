import Signals
import TestSupport
import Testing

@Suite struct PeekTests {
  @Test func `reads without depending`() {
    let a = Signal(1)
    let b = Signal(1)
    let double = Computed { b.value * 2 }
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value + b.peek() + double.peek()) }
    b.value = 2
    #expect(seen == [4])
    a.value = 2
    #expect(seen == [4, 8])
    effect.cancel()
    #expect(ReactiveGraph.checkInvariants([a, b, double]) == [])
  }

  @Test func `evaluates a computed that is not up to date, which tracks for itself`() {
    let a = Signal(1)
    var runs = 0
    let double = Computed { () -> Int in
      runs += 1
      return a.value * 2
    }
    #expect(double.peek() == 2)
    #expect(double.peek() == 2)
    a.value = 3
    #expect(double.peek() == 6)
    batch {
      a.value = 4
      #expect(double.peek() == 8)
    }
    #expect(runs == 3)
  }

  @Test func `is allowed in a computed, and is no dependency of it`() {
    let a = Signal(1)
    let b = Signal(10)
    let sum = Computed { a.value + b.peek() }
    #expect(sum.value == 11)
    b.value = 20
    #expect(sum.value == 11)
    a.value = 2
    #expect(sum.value == 22)
  }

  @Test func `by a computed of itself traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var itself: Computed<Int>?
      itself = Computed(name: "total") { itself?.peek() ?? 0 }
      _ = itself?.value
    }
    expectError(result, "computed 'total' reads itself")
  }
}
