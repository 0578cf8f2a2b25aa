import Signals
import Testing

/// Computeds of throwing computations.
@Suite struct `Computed, outcomes` {
  enum Plain: Error, Equatable { case empty, tooLong(Int) }
  struct Opaque: Error { let text: String }
  final class Instance: Error {}

  private func runs<Success, Failure>(
    of computed: Computed<Result<Success, Failure>>, changing source: Signal<Int>
  ) -> Int {
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = computed.value
    }
    source.value += 1
    effect.cancel()
    return runs
  }

  private func check(_ number: Int, throwing error: (any Error)?) throws -> Int {
    if let error { throw error }
    return number
  }

  @Test func `equal successes don't count as a change, different ones do`() {
    let source = Signal(1)
    #expect(
      runs(
        of: Computed { Result { try check(source.value / 1000, throwing: nil) } }, changing: source)
        == 1)
    #expect(
      runs(of: Computed { Result { try check(source.value, throwing: nil) } }, changing: source)
        == 2)
    let optional = Computed { Result { try check(source.value / 1000, throwing: nil) as Int? } }
    #expect(runs(of: optional, changing: source) == 1)
    let nan = Computed {
      Result {
        _ = try check(source.value, throwing: nil); return Double.nan
      }
    }
    #expect(runs(of: nan, changing: source) == 1)
    let typed = Computed { () -> Result<Int, Opaque> in .success(source.value / 1000) }
    #expect(runs(of: typed, changing: source) == 1)
    let comparable = Computed { () -> Result<Int, Plain> in .success(source.value / 1000) }
    #expect(runs(of: comparable, changing: source) == 1)
  }

  @Test func `optional outcomes are compared, too`() {
    let source = Signal(1)
    var runs = 0
    let computed = Computed { () -> Result<Int, any Error>? in
      source.value < 3 ? Result { try check(1, throwing: nil) } : nil
    }
    let effect = Effect {
      runs += 1
      _ = computed.value
    }
    source.value = 2
    #expect(runs == 1)
    source.value = 3
    source.value = 4
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `errors of one type that can be compared are compared with ==`() {
    let source = Signal(1)
    let equal = Computed { Result { try check(source.value, throwing: Plain.tooLong(3)) } }
    #expect(runs(of: equal, changing: source) == 1)
    let different = Computed {
      Result { try check(source.value, throwing: Plain.tooLong(source.value)) }
    }
    #expect(runs(of: different, changing: source) == 2)
    let types = Computed {
      Result {
        try check(
          source.value,
          throwing: source.value % 2 == 0 ? Plain.empty as any Error : CancellationError())
      }
    }
    #expect(runs(of: types, changing: source) == 2)
  }

  @Test func `errors that can't be compared are different, and class instances identical`() {
    let source = Signal(1)
    let opaque = Computed { Result { try check(source.value, throwing: Opaque(text: "a")) } }
    #expect(runs(of: opaque, changing: source) == 2)
    let instance = Instance()
    let same = Computed { Result { try check(source.value, throwing: instance) } }
    #expect(runs(of: same, changing: source) == 1)
    let other = Computed { Result { try check(source.value, throwing: Instance()) } }
    #expect(runs(of: other, changing: source) == 2)
  }

  @Test func `a success after a failure is a change, and the other way around`() throws {
    let source = Signal(1)
    let computed = Computed {
      Result { try check(7, throwing: source.value % 2 == 0 ? Plain.empty : nil) }
    }
    #expect(runs(of: computed, changing: source) == 2)
    #expect(throws: Plain.empty) { try computed.value.get() }
    #expect(runs(of: computed, changing: source) == 2)
    #expect(try computed.value.get() == 7)
  }

  @Test func `another comparison can be given`() {
    let source = Signal(1)
    let computed = Computed(isEqual: { (one: Result<Int, any Error>, other) in
      switch (one, other) {
      case (.failure, .failure): true
      default: false
      }
    }) { Result { try check(source.value, throwing: Opaque(text: "\(source.value)")) } }
    #expect(runs(of: computed, changing: source) == 1)
  }

  @Test func `a signal compares outcomes in the same way`() {
    let signal = Signal(Result<Int, any Error>.success(1))
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = signal.value
    }
    signal.value = .success(1)
    #expect(runs == 1)
    signal.value = .failure(Plain.empty)
    signal.value = .failure(Plain.empty)
    #expect(runs == 2)
    signal.value = .failure(Opaque(text: "a"))
    signal.value = .failure(Opaque(text: "a"))
    #expect(runs == 4)
    effect.cancel()
  }
}
