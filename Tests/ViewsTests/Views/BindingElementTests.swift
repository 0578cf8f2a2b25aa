import Signals
import TestSupport
import Testing

/// Bindings to elements of collections, values of dictionaries, and what is in optionals.
@Suite struct `Views, bindings to elements` {
  let store = Store()
  let sample = Sample()
  let ada = makePerson(1, city: "London", phones: ["1", "2"])

  init() throws { try store.add([sample, ada] as [Object]) }

  private var bound: ObjectBindings<Sample> {
    ObservedObject(wrappedValue: sample).projectedValue
  }
  private var person: ObjectBindings<Person> { ObservedObject(wrappedValue: ada).projectedValue }

  @Test func `an element of an array is read and written in place, as one commit`() throws {
    sample.numbers = [1, 2, 3]
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    let second = bound.numbers[1]
    #expect(second.wrappedValue == 2)
    second.wrappedValue = 9
    second.wrappedValue = 9
    #expect(sample.numbers == [1, 9, 3] && commits == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `the binding to an element that is gone reads the last value and drops writes`() {
    sample.numbers = [1, 2]
    let second = bound.numbers[1]
    sample.numbers = [7]
    #expect(second.wrappedValue == 2)
    second.wrappedValue = 5
    #expect(sample.numbers == [7])
    sample.numbers = [7, 8]
    #expect(second.wrappedValue == 8)
  }

  @Test func `a value of a dictionary is optional, or has a default; nil removes it`() {
    let x = bound.settings["x"]
    #expect(x.wrappedValue == nil)
    x.wrappedValue = "1"
    #expect(sample.settings == ["x": "1"])
    x.wrappedValue = nil
    #expect(sample.settings.isEmpty)
    let y = bound.settings["y", default: "-"]
    #expect(y.wrappedValue == "-" && sample.settings.isEmpty)
    y.wrappedValue = "2"
    #expect(sample.settings == ["y": "2"])
  }

  @Test func `membership of a set is a Bool`() {
    let a = bound.words.contains("a")
    a.wrappedValue = true
    #expect(a.wrappedValue && sample.words == ["a"])
    a.wrappedValue = false
    #expect(sample.words.isEmpty)
  }

  @Test func `elements nest: a member of an element of an array in a dictionary`() {
    sample.deep = ["k": [Size(width: 1, height: 2)]]
    let width = bound.deep["k", default: []][0].width
    width.wrappedValue = 8
    #expect(sample.deep["k"] == [Size(width: 8, height: 2)])
  }

  @Test func `an optional is unwrapped with a default, or if there is a value`() throws {
    let maybe = bound.maybe.unwrapped(or: 5)
    #expect(maybe.wrappedValue == 5 && sample.maybe == nil && Binding(bound.maybe) == nil)
    maybe.wrappedValue = 6
    let some = try #require(Binding(bound.maybe))
    some.wrappedValue += 1
    #expect(sample.maybe == 7)
    sample.maybe = nil
    some.wrappedValue = 9
    #expect(some.wrappedValue == 7 && sample.maybe == nil)
  }

  @Test func `what an embedded or listed object has is written there, and the link is not`() throws
  {
    var changed: [String] = []
    let token = store.commits.sink { changed += $0.changes.map(\.className) }
    try #require(Binding(person.home)).city.wrappedValue = "Paris"
    let number = person.phones[1].number
    number.wrappedValue = "x"
    #expect(ada.home?.city == "Paris" && ada.phones[1].number == "x")
    #expect(changed == ["Address", "Phone"])
    ada.phones = []
    #expect(number.wrappedValue == "x")
    withExtendedLifetime(token) {}
  }

  @Test func `an effect that reads an element follows the collection`() {
    sample.numbers = [1, 2]
    let first = bound.numbers[0]
    var seen: [Int] = []
    let effect = Effect { seen.append(first.wrappedValue) }
    sample.numbers = [5, 2]
    #expect(seen == [1, 5])
    withExtendedLifetime(effect) {}
  }

  @Test func `a mapped binding writes back what can be mapped, and drops the rest`() {
    sample.numbers = [1]
    let text = bound.numbers[0].map {
      "\($0)"
    } back: {
      Int($0)
    }
    #expect(text.wrappedValue == "1")
    text.wrappedValue = "12"
    #expect(sample.numbers == [12])
    text.wrappedValue = "x"
    #expect(sample.numbers == [12])
  }
}
