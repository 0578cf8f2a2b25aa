import Signals
import TestSupport
import Testing

@Suite struct SignalTests {
  final class Box {}

  struct Opaque { var n = 0 }

  final class Counter {
    @Signal var n = 0
    @Signal(name: "title") var title = "a"
  }

  @Test func `holds what was written last`() {
    let a = Signal(1)
    a.value = 2
    #expect(a.value == 2)
    a.value += 3
    #expect(a.value == 5)
  }

  @Test func `a write propagates before it returns`() {
    let a = Signal(1)
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value) }
    a.value = 2
    #expect(seen == [1, 2])
    effect.cancel()
  }

  @Test func `a write of an equal value does nothing`() {
    let a = Signal("x")
    var runs = 0
    let effect = Effect {
      _ = a.value; runs += 1
    }
    a.value = "x"
    a.update { $0 = "x" }
    #expect(runs == 1)
    effect.cancel()
  }

  @Test func `class instances that are not Equatable are compared by identity`() {
    let box = Box()
    let a = Signal(box)
    var runs = 0
    let effect = Effect {
      _ = a.value; runs += 1
    }
    a.value = box
    #expect(runs == 1)
    a.value = Box()
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `optional class instances are compared by identity, also in a wrapper`() {
    final class Choice { @Signal var box: Box? = nil }
    let choice = Choice()
    var runs = 0
    let effect = Effect {
      _ = choice.box; runs += 1
    }
    choice.box = nil
    #expect(runs == 1)
    let box = Box()
    choice.box = box
    choice.box = box
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `isEqual decides for values that can't be compared`() {
    let a = Signal(Opaque(), isEqual: { $0.n / 10 == $1.n / 10 })
    var seen: [Int] = []
    let effect = Effect { seen.append(a.value.n) }
    a.value = Opaque(n: 5)
    a.value = Opaque(n: 15)
    a.value.n = 25
    #expect(seen == [0, 15, 25])
    effect.cancel()
  }

  @Test func `update passes on what it returns and throws, and writes nothing if it throws`() {
    struct Refusal: Error {}
    let a = Signal([1, 2])
    #expect(a.update { $0.removeLast() } == 2)
    #expect(throws: Refusal.self) {
      try a.update { (value: inout [Int]) throws(Refusal) in
        value = []
        throw Refusal()
      }
    }
    #expect(a.value == [1])
  }

  @Test func `holds optionals, arrays and dictionaries`() {
    let optional = Signal(Int?.none)
    let array = Signal([Int]())
    let dictionary = Signal([String: Int]())
    var seen: [String] = []
    let effect = Effect {
      seen.append("\(optional.value ?? -1) \(array.value) \(dictionary.value)")
    }
    optional.value = 1
    array.value.append(2)
    dictionary.value["a", default: 0] += 3
    optional.value = nil
    #expect(
      seen == ["-1 [] [:]", "1 [] [:]", "1 [2] [:]", #"1 [2] ["a": 3]"#, #"-1 [2] ["a": 3]"#])
    effect.cancel()
  }

  @Test func `holds values of any size and alignment`() {
    let nothing = Signal((), isEqual: { _, _ in false })
    let wide = Signal(SIMD16<Double>(repeating: 1))
    let large = Signal([Int](repeating: 1, count: 9).map { ($0, "x") }, isEqual: { _, _ in false })
    var runs = 0
    let effect = Effect {
      _ = (nothing.value, wide.value, large.value); runs += 1
    }
    nothing.value = ()
    wide.value[3] = 2
    large.value[0].1 = "y"
    #expect(runs == 4)
    #expect(wide.value[3] == 2)
    #expect(large.value[0].1 == "y")
    effect.cancel()
  }

  @Test func `a property wrapper's projection is the signal`() {
    let counter = Counter()
    var seen: [String] = []
    let effect = Effect { seen.append("\(counter.n) \(counter.$title.value)") }
    counter.n += 1
    counter.title.append("b")
    counter.$n.value = 5
    #expect(seen == ["0 a", "1 a", "1 ab", "5 ab"])
    effect.cancel()
  }

  @Test func `two signals can be swapped, and one be added to itself`() {
    let a = Signal(1)
    let b = Signal(2)
    swap(&a.value, &b.value)
    #expect(a.value == 2)
    #expect(b.value == 1)
    a.value += a.value
    #expect(a.value == 4)
    let array = Signal([3, 1, 2])
    array.value.sort { $0 < $1 && array.value.count == 3 }
    #expect(array.value == [1, 2, 3])
  }

  @Test func `a modification is not a read`() {
    let a = Signal(1)
    let trigger = Signal(0)
    var runs = 0
    let effect = Effect {
      _ = trigger.value
      runs += 1
      a.value += 1
      a.update { $0 += 1 }
    }
    #expect(runs == 1)
    a.value = 0
    #expect(runs == 1)
    effect.cancel()
  }

  @Test func `the deinit of the old value may read and write it`() {
    final class Witness {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    let log = Signal([String]())
    let holder = Signal(Witness?.none, isEqual: { $0 === $1 })
    var seen: [Int] = []
    let effect = Effect { seen.append(log.value.count) }
    for isObserved in [false, true] {
      let reader = isObserved ? Effect { _ = holder.value } : nil
      holder.value = Witness { log.value.append("was replaced by \(holder.value == nil)") }
      holder.value = nil
      batch {
        holder.value = Witness { log.value.append("in a batch") }
        holder.value = Witness { log.value.append("last") }
        holder.value = nil
      }
      reader?.cancel()
    }
    #expect(
      log.value.sorted()
        == [
          "in a batch", "in a batch", "last", "last", "was replaced by true",
          "was replaced by true",
        ])
    #expect(seen.last == 6)
    effect.cancel()
  }
}
