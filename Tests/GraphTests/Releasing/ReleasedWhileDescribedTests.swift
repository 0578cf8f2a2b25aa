import Signals
import TestSupport
import Testing

/// The description of a value is user code too: it releases what is being explained.
@Suite struct `Release of what is described` {
  /// A value that does something when it is described, once.
  private final class Talker: CustomStringConvertible, Equatable {
    let number: Int
    var whenDescribed: (() -> Void)?

    init(_ number: Int) { self.number = number }

    var description: String {
      let act = whenDescribed
      whenDescribed = nil
      act?()
      return "\(number)"
    }

    static func == (one: Talker, other: Talker) -> Bool { one === other }
  }

  /// Where the last reference to something is.
  private final class Last<Value> {
    var value: Value?
    init(_ value: Value? = nil) { self.value = value }
  }

  // MARK: - Traces

  @Test(arguments: [false, true])
  func `a description stops the trace of a computed, and may start it again`(restarts: Bool) {
    let inputs = (1...3).map { Signal(Talker($0)) }
    let computed = Computed { inputs.reduce(0) { $0 + $1.value.number } }
    _ = computed.value
    computed.tracesChanges = true
    let talker = Talker(10)
    talker.whenDescribed = {
      computed.tracesChanges = false
      if restarts { computed.tracesChanges = true }
    }
    batch {
      inputs[0].value = talker
      inputs[1].value = Talker(20)
      inputs[2].value = Talker(30)
    }
    #expect(computed.value == 60)
    inputs[0].value = Talker(1)
    #expect(computed.value == 51)
    #expect((computed.explanation != nil) == restarts)
  }

  @Test(arguments: [false, true])
  func `a description stops the trace of an effect, or releases it`(releases: Bool) {
    let inputs = (1...3).map { Signal(Talker($0)) }
    var sums: [Int] = []
    let last = Last(Effect { sums.append(inputs.reduce(0) { $0 + $1.value.number }) })
    last.value?.tracesChanges = true
    let talker = Talker(10)
    talker.whenDescribed = {
      last.value?.tracesChanges = false
      if releases { last.value = nil }
    }
    batch {
      inputs[0].value = talker
      inputs[1].value = Talker(20)
      inputs[2].value = Talker(30)
    }
    #expect(sums == [6, 60])
    #expect((last.value == nil) == releases)
  }

  // MARK: - Graphs

  @Test func `a description releases a signal that the graph has still to show`() {
    let talker = Talker(1)
    let (first, second) = (Signal(talker), Last(Signal(Talker(2))))
    let computed = Computed { first.value.number + (second.value?.value.number ?? 0) }
    _ = computed.value
    talker.whenDescribed = { second.value = nil }
    #expect(DependencyGraph(around: computed).vertices.contains { $0.value == "1" })
    #expect(second.value == nil)
  }

  @Test func `a description releases the signal that it is of`() {
    let talker = Talker(1)
    let last = Last(Signal(talker))
    let computed = Computed { last.value?.value.number ?? 0 }
    _ = computed.value
    talker.whenDescribed = { last.value = nil }
    #expect(!DependencyGraph(around: computed).vertices.isEmpty)
    #expect(last.value == nil)
  }

  @Test func `a description releases the readers that the graph has still to show`() {
    let (signal, talker) = (Signal(0), Talker(1))
    let last = Last<[Computed<Talker>]>()
    last.value = (0..<3).map { number in
      Computed {
        _ = signal.value
        return number == 0 ? talker : Talker(number)
      }
    }
    for computed in last.value ?? [] { _ = computed.value }
    talker.whenDescribed = { last.value = nil }
    #expect(!DependencyGraph(around: signal).vertices.isEmpty)
    #expect(last.value == nil)
  }
}
