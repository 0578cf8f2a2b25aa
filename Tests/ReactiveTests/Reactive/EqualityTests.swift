import Signals
import TestSupport
import Testing

@Suite struct EqualityTests {
  final class Model {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  struct Refusal: Error, Equatable { let reason: String }

  @Test func `objects are the same by identity, in signals, computeds and wrappers`() {
    final class Holder { @Signal var model = Model(0) }
    let (one, two) = (Model(1), Model(2))
    let model = Signal(one)
    let optional = Signal<Model?>(nil)
    let isFirst = Signal(true)
    let chosen = Computed { isFirst.value ? one : one }
    let holder = Holder()
    var runs = [0, 0, 0, 0]
    let effects = [
      Effect {
        _ = model.value
        runs[0] += 1
      },
      Effect {
        _ = optional.value
        runs[1] += 1
      },
      Effect {
        _ = chosen.value
        runs[2] += 1
      },
      Effect {
        _ = holder.model
        runs[3] += 1
      },
    ]
    model.value = one
    optional.value = nil
    isFirst.value = false
    holder.model = holder.model
    #expect(runs == [1, 1, 1, 1])
    model.value = two
    optional.value = one
    holder.model = two
    #expect(runs == [2, 2, 1, 2])
    effects.forEach { $0.cancel() }
  }

  @Test func `neverEqual lets every write and every evaluation count, in a batch too`() {
    let taps = Signal((), isEqual: neverEqual)
    let source = Signal(0)
    let same = Computed(isEqual: neverEqual) { () -> Int in
      _ = source.value
      return 7
    }
    var runs = (taps: 0, same: 0)
    let effects = [
      Effect {
        _ = taps.value
        runs.taps += 1
      },
      Effect {
        _ = same.value
        runs.same += 1
      },
    ]
    taps.value = ()
    source.value = 1
    #expect(runs == (2, 2))
    batch {
      taps.value = ()
      taps.value = ()
      source.value = 2
    }
    #expect(runs == (3, 3))
    effects.forEach { $0.cancel() }
  }

  @Test func `an equal value stops at every node of a chain`() {
    let a = Signal(1)
    var runs: [String] = []
    let parity = Computed { () -> Int in
      runs.append("parity")
      return a.value % 2
    }
    let name = Computed { () -> String in
      runs.append("name")
      return parity.value >= 0 ? "number" : "none"
    }
    let effect = Effect {
      _ = name.value
      runs.append("effect")
    }
    runs = []
    a.value = 3
    #expect(runs == ["parity"])
    runs = []
    a.value = 4
    #expect(runs == ["parity", "name"])
    effect.cancel()
  }

  @Test func `a failure is cached and compared like a value`() {
    let number = Signal(-1)
    var runs = 0
    let root = Computed { () -> Result<Int, Refusal> in
      runs += 1
      return number.value < 0 ? .failure(Refusal(reason: "negative")) : .success(number.value)
    }
    var seen: [Result<Int, Refusal>] = []
    let effect = Effect { seen.append(root.value) }
    #expect(throws: Refusal(reason: "negative")) { try root.value.get() }
    #expect(throws: Refusal(reason: "negative")) { try root.value.get() }
    #expect(runs == 1)
    number.value = -2
    #expect(runs == 2)
    number.value = 4
    #expect(seen == [.failure(Refusal(reason: "negative")), .success(4)])
    effect.cancel()
  }
}
