import Observation
import Signals
import SignalsObservation
import Testing

/// Counts the changes that Observation tells of.
final class Changes: @unchecked Sendable {
  // Only ever touched on the thread of the test that made it.
  var count = 0
  var onChange: () -> Void = {}
}

/// Reads under Observation's tracking, again after each change that it tells.
func observing<Value>(_ changes: Changes, _ read: () -> Value) -> Value {
  withObservationTracking(read) {
    changes.count += 1
    changes.onChange()
  }
}

@Suite struct ObservableValueTests {
  @Test func `reports each change once, and no equal value`() {
    let price = Signal(10)
    let value = ObservableValue(price)
    let changes = Changes()
    #expect(observing(changes) { value.value } == 10)
    price.value = 10
    #expect(changes.count == 0)
    price.value = 11
    #expect(changes.count == 1)
    price.value = 12
    #expect(changes.count == 1)
    #expect(observing(changes) { value.value } == 12)
    batch {
      price.value = 13
      price.value = 12
    }
    #expect(changes.count == 1)
    batch {
      price.value = 13
      price.value = 14
      #expect(changes.count == 1)
    }
    #expect(changes.count == 2)
  }

  @Test func `observes computeds, properties of objects and results`() throws {
    final class Book: Object { @Field var pages = 0 }
    let store = Store()
    let book = Book()
    try store.add(book)
    let limit = Signal(100)
    let isLong = Computed { book.pages >= limit.value }
    let long = store.results(Book.self).where { $0.pages >= limit.value }
    let values = (
      ObservableValue(isLong), ObservableValue { book.pages },
      ObservableValue(isEqual: neverEqual) { long.map(\.objectID) }
    )
    var changes: [Changes] = []
    func observe() {
      changes = [Changes(), Changes(), Changes()]
      _ = observing(changes[0]) { values.0.value }
      _ = observing(changes[1]) { values.1.value }
      _ = observing(changes[2]) { values.2.value }
    }
    observe()
    try store.write { book.pages = 50 }
    #expect(changes.map(\.count) == [0, 1, 0])
    observe()
    try store.write { book.pages = 200 }
    #expect(changes.map(\.count) == [1, 1, 1])
    #expect((values.0.value, values.1.value, values.2.value.count) == (true, 200, 1))
    observe()
    limit.value = 300
    #expect(changes.map(\.count) == [1, 0, 1])
  }

  @Test func `has changed already when a change is told`() {
    let a = Signal(1)
    let double = Computed { a.value * 2 }
    let values = (ObservableValue(a), ObservableValue(double))
    let changes = Changes()
    var seen: [Int] = []
    changes.onChange = { seen += [values.0.value, values.1.value] }
    _ = observing(changes) { values.0.value }
    a.value = 2
    #expect(seen == [2, 4])
  }

  @Test func `an observer may observe again, write, and release everything`() {
    let nodes = ReactiveGraph.liveNodes
    do {
      let a = Signal(0)
      var value: ObservableValue<Int>? = ObservableValue(a)
      let changes = Changes()
      var seen: [Int] = []
      changes.onChange = {
        seen.append(value?.value ?? -1)
        if seen.count < 5 {
          _ = observing(changes) { value?.value }
          a.value += 1
        } else {
          value = nil
        }
      }
      _ = observing(changes) { value?.value }
      a.value = 1
      a.value = 100
      #expect(seen == [1, 2, 3, 4, 5])
      #expect(ReactiveGraph.checkInvariants([a]) == [])
      changes.onChange = {}
    }
    #expect(ReactiveGraph.liveNodes == nodes)
  }

  @Test func `is a dependency for both sides, nested in either order`() {
    let a = Signal(1, name: "a")
    let value = ObservableValue(a)
    let changes = Changes()
    var seen: [Int] = []
    let double = Computed { value.value * 2 }
    let effect = Effect {
      // Observation tracks inside our effect, and our computed inside that.
      seen.append(observing(changes) { value.value + double.value })
    }
    a.value = 2
    #expect(seen == [3, 6])
    #expect(changes.count == 1)
    a.value = 3
    #expect(seen == [3, 6, 9])
    #expect(changes.count == 2)
    // What a computed reads is observed only while it is evaluated: observe the computed itself.
    let outer = Changes()
    #expect(observing(outer) { double.value } == 6)
    a.value = 4
    #expect(outer.count == 0)
    let observed = ObservableValue(double)
    #expect(observing(outer) { observed.value } == 8)
    a.value = 5
    #expect(outer.count == 1)
    effect.cancel()
  }

  @Test func `lives as long as its last reference, wherever it was made`() {
    let nodes = ReactiveGraph.liveNodes
    let a = Signal(1)
    let trigger = Signal(1)
    var value: ObservableValue<Int>?
    let effect = Effect {
      _ = trigger.value
      if value == nil { value = ObservableValue { a.value * 2 } }
    }
    trigger.value = 2
    let changes = Changes()
    _ = observing(changes) { value?.value }
    a.value = 2
    #expect(changes.count == 1)
    effect.cancel()
    _ = observing(changes) { value?.value }
    a.value = 3
    #expect(changes.count == 2)
    weak let observed = value
    value = nil
    #expect(observed == nil)
    #expect(ReactiveGraph.liveNodes == nodes + 2)
    #expect(ReactiveGraph.checkInvariants([a, trigger]) == [])
  }

  @MainActor @Test func `Observations sees the values, one after another`() async {
    let a = Signal(0)
    let double = Computed { a.value * 2 }
    let value = ObservableValue(double)
    let values = Observations { value.value }
    var seen: [Int] = []
    for await next in values {
      seen.append(next)
      if seen.count == 5 { break }
      // Two writes of one turn are one value there.
      a.value += 10
      a.value += 1
    }
    #expect(seen == [0, 22, 44, 66, 88])
  }
}
