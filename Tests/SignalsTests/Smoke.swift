import Signals
import Testing

@Test func smoke() {
  let a = Signal(1), b = Signal(2)
  var log: [Int] = []
  let sum = Computed { a.value + b.value }
  let e = Effect { log.append(sum.value) }
  a.value = 5
  batch { a.value = 7; b.value = 0; _ = sum.value; a.value = 5; b.value = 2 }
  #expect(log == [3, 7])
  e.cancel()
  a.value = 9
  #expect(log == [3, 7])
}
