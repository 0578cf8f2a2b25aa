import Signals
import SignalsTesting
import TestSupport
import Testing

/// Changes in place through a binding.
@Suite struct `Bindings, changes in place` {
  final class List: Object {
    @Field var items: [Int] = []
    @Field var name = ""
  }

  @Test func `they are written once`() {
    let signal = Signal([1])
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = signal.value
    }
    signal.binding.wrappedValue.append(2)
    #expect(signal.value == [1, 2] && runs == 2)
    let list = List()
    let items = Binding(get: { list.items }, set: { list.items = $0 })
    items.wrappedValue.append(1)
    items.wrappedValue[0] += 1
    #expect(list.items == [2])
    effect.cancel()
  }

  @Test func `an effect that makes one doesn't depend on the value`() {
    let signal = Signal([1])
    var runs = 0
    let effect = Effect {
      runs += 1
      signal.binding.wrappedValue.append(2)
    }
    signal.value = []
    #expect(runs == 1)
    effect.cancel()
  }

  struct Stop: Error {}

  @Test func `one that throws writes what it has changed so far`() {
    let signal = Signal([1])
    func change(_ values: inout [Int]) throws {
      values.append(2)
      throw Stop()
    }
    #expect(throws: Stop.self) { try change(&signal.binding.wrappedValue) }
    #expect(signal.value == [1, 2])
  }

  @Test func `the source may be read, and others written`() {
    let signal = Signal([1]), other = Signal(0)
    let member = Signal((a: 1, b: 2), isEqual: { $0 == $1 })
    signal.binding.wrappedValue.append(signal.value.count)
    func change(_ values: inout [Int]) {
      other.value += 1
      signal.value = [1, 1]
      values.append(3)
    }
    change(&signal.binding.wrappedValue)
    #expect(signal.value == [1, 1, 3] && other.value == 1)
    member.binding.a.wrappedValue += 1
    #expect(member.value == (2, 2))
  }

  @Test func `a write to the source in the middle stops the program, naming it`() async {
    await #expect(processExitsWith: .failure) {
      let signal = Signal([1], name: "numbers")
      func change(_ values: inout [Int]) {
        signal.value = [5]
        values.append(3)
      }
      change(&signal.binding.wrappedValue)
    }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let list = List()
      let items = Binding(get: { list.items }, set: { list.items = $0 })
      func change(_ values: inout [Int]) {
        list.items = [5]
        values.append(3)
      }
      change(&items.wrappedValue)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("written while it is being changed through a binding"))
    #expect(text.contains("items"))
  }
}
