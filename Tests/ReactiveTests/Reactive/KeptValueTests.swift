import Signals
import SignalsTesting
import TestSupport
import Testing

private func isNear(_ old: Int, _ new: Int) -> Bool { abs(old - new) <= 4 }

@Suite("A value that equals the one before it is not taken") struct KeptValueTests {
  @Test func `a computed keeps its value, so that its readers agree with it`() {
    let a = Signal(0)
    let other = Signal(0)
    let c = Computed(isEqual: isNear) { a.value }
    let d = Computed { c.value * 10 }
    var seen: [[Int]] = []
    let effect = Effect {
      _ = other.value
      seen.append([c.value, d.value])
    }
    a.value = 4
    other.value = 1
    #expect(seen == [[0, 0], [0, 0]])
    effect.cancel()
  }

  @Test func `a computed does not drift by steps that are each within the tolerance`() {
    let a = Signal(0)
    let c = Computed(isEqual: isNear) { a.value }
    var seen: [Int] = []
    let effect = Effect { seen.append(c.value) }
    for step in 1...10 { a.value = step * 4 }
    #expect(seen == [0, 8, 16, 24, 32, 40])
    #expect(c.value == 40)
    effect.cancel()
  }

  @Test func `an unobserved computed keeps its value too`() {
    let a = Signal(0)
    let c = Computed(isEqual: isNear) { a.value }
    #expect(c.value == 0)
    a.value = 4
    #expect(c.value == 0)
    a.value = 5
    #expect(c.peek() == 5)
  }

  @Test func `a computed of objects keeps the instance that equals the new one`() {
    struct Row: Equatable {
      let id: Int
      let title: String
      static func == (old: Row, new: Row) -> Bool { old.id == new.id }
    }
    let row = Signal(Row(id: 1, title: "one"), isEqual: neverEqual)
    let c = Computed { row.value }
    #expect(c.value.title == "one")
    row.value = Row(id: 1, title: "uno")
    #expect(c.value.title == "one")
    row.value = Row(id: 2, title: "due")
    #expect(c.value.title == "due")
  }

  @Test func `a signal that a batch brings back near its value has that value`() {
    let a = Signal(0, isEqual: isNear)
    let d = Computed { a.value * 10 }
    var seen: [Int] = []
    let effect = Effect { seen.append(d.value) }
    batch {
      a.value = 10
      a.value = 4
      #expect(a.value == 0)
    }
    #expect(seen == [0])
    #expect(a.value == 0)
    #expect(d.value == 0)
    effect.cancel()
  }

  @Test func `what read a batch's last value agrees with the one that is kept`() {
    let a = Signal(0, isEqual: isNear)
    let c = Computed(isEqual: isNear) { a.value }
    let d = Computed { c.value * 10 }
    var seen: [[Int]] = []
    let effect = Effect { seen.append([a.value, c.value, d.value]) }
    var inner: [[Int]] = []
    var made: Effect?
    batch {
      a.value = 10
      #expect(d.value == 100)
      made = Effect { inner.append([a.value, c.value, d.value]) }
      a.value = 4
      #expect(d.value == 0)
    }
    #expect(seen == [[0, 0, 0]])
    #expect(inner == [[10, 10, 100], [0, 0, 0]])
    #expect([a.value, c.value, d.value] == [0, 0, 0])
    effect.cancel()
    made?.cancel()
  }

  @Test func `a computed that a batch brings back near its value has that value`() {
    let a = Signal(0)
    let c = Computed(isEqual: isNear) { a.value }
    var seen: [Int] = []
    let effect = Effect { seen.append(c.value) }
    batch {
      a.value = 10
      #expect(c.value == 10)
      a.value = 4
      #expect(c.value == 0)
      a.value = 3
    }
    #expect(seen == [0])
    #expect(c.value == 0)
    batch {
      a.value = 10
      #expect(c.value == 10)
      a.value = 12
    }
    #expect(seen == [0, 12])
    effect.cancel()
  }

  @Test func `a field keeps its value, and a transaction that comes back tells nothing`() throws {
    struct Name: Codable, Equatable, Sendable {
      let id: Int
      let text: String
      static func == (old: Name, new: Name) -> Bool { old.id == new.id }
    }
    final class Person: Object { @Field var name = Name(id: 1, text: "one") }
    let (store, person) = (Store(), Person())
    try store.add(person)
    var seen: [String] = []
    let effect = Effect { seen.append(person.name.text) }
    person.name = Name(id: 1, text: "uno")
    #expect(person.name.text == "one")
    try store.write {
      person.name = Name(id: 2, text: "two")
      person.name = Name(id: 1, text: "uno")
    }
    #expect(person.name.text == "uno")
    #expect(seen == ["one"])
    effect.cancel()
  }

  @Test func `random histories with a tolerance leave readers and values agreeing`() {
    for seed in UInt64(1)...200 {
      var generator = SeededRandom(seed: seed)
      let a = (0..<3).map { _ in Signal(0, isEqual: isNear) }
      let c = (0..<3).map { index in
        Computed(isEqual: isNear) { a[index].value + a[(index + 1) % 3].value }
      }
      let d = Computed { c.map { $0.value } }
      var seen: [Int] = []
      let effect = Effect { seen = a.map { $0.value } + d.value }
      for _ in 0..<40 {
        if Bool.random(using: &generator) {
          batch {
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
              a[Int.random(in: 0..<3, using: &generator)].value =
                Int.random(in: -9...9, using: &generator)
              if Bool.random(using: &generator) { _ = d.value }
              if Bool.random(using: &generator) { _ = c[0].value }
            }
          }
        } else {
          a[Int.random(in: 0..<3, using: &generator)].value =
            Int.random(in: -9...9, using: &generator)
        }
        #expect(seen == a.map { $0.value } + c.map { $0.value }, "seed \(seed)")
        #expect(d.value == c.map { $0.value }, "seed \(seed)")
      }
      effect.cancel()
    }
  }
}

@Suite("What compares and releases values depends on nothing") struct UnreadTests {
  private final class Probe {
    let read: () -> Void
    init(_ read: @escaping () -> Void) { self.read = read }
    deinit { read() }
  }

  @Test func `the equality of a signal reads without a dependency`() {
    let slack = Signal(0)
    let go = Signal(0)
    let a = Signal(0, isEqual: { abs($0 - $1) <= slack.value })
    var runs = 0
    let effect = Effect {
      _ = go.value
      a.value = runs * 10
      runs += 1
    }
    go.value = 1
    slack.value = 1
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `the value that a write replaces is released without a dependency`() {
    let go = Signal(0)
    let read = Signal(0)
    var releases = 0
    let a = Signal<Probe?>(nil)
    var runs = 0
    let effect = Effect {
      runs += 1
      guard go.value > 0 else { return }
      a.value = Probe {
        _ = read.value
        releases += 1
      }
    }
    go.value = 1
    go.value = 2
    #expect(releases == 1)
    #expect(runs == 3)
    read.value = 1
    #expect(runs == 3)
    effect.cancel()
    a.value = nil
  }

  @Test func `what an effect reads after a write is a dependency all the same`() {
    let a = Signal(0)
    let b = Signal(0)
    var runs = 0
    let effect = Effect {
      a.value = 5
      a.value = runs
      _ = b.value
      runs += 1
    }
    b.value = 1
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `the equality and the old value of a computed are nothing's dependency`() {
    let a = Signal(0)
    let read = Signal(0)
    var runs = 0
    let c = Computed(
      isEqual: { (_: Probe, _: Probe) in
        _ = read.value
        return false
      }
    ) { () -> Probe in
      _ = a.value
      return Probe { _ = read.value }
    }
    let effect = Effect {
      _ = c.value
      runs += 1
    }
    a.value = 1
    #expect(runs == 2)
    read.value = 1
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `nor are those of a field, in a store or not, in a transaction or not`() throws {
    struct Text: Codable, Equatable, Sendable {
      var text: String
      static nonisolated(unsafe) var compare: () -> Void = {}
      static func == (old: Text, new: Text) -> Bool {
        unsafe compare()
        return old.text == new.text
      }
    }
    final class Note: Object { @Field var text = Text(text: "") }
    let read = Signal(0)
    let go = Signal(0)
    unsafe Text.compare = { _ = read.value }
    let store = Store()
    let (stored, plain) = (Note(), Note())
    try store.add(stored)
    let readers = [Effect { _ = stored.text }, Effect { _ = plain.text }]
    var runs = 0
    let effect = Effect {
      runs += 1
      stored.text = Text(text: "\(go.value)")
      plain.text = Text(text: "\(go.value)")
      stored.edit { stored.text.text += "x" }
    }
    go.value = 1
    #expect(runs == 2)
    read.value = 1
    #expect(runs == 2)
    effect.cancel()
    readers.forEach { $0.cancel() }
    unsafe Text.compare = {}
  }
}
