import Foundation
import Signals
import TestSupport
import Testing

/// Values that are not equal to themselves, or equal to what they are not.
@Suite struct `Graph, odd values` {
  final class Reading: Object {
    @PrimaryKey var name = ""
    @Field var value = Double.nan
    @Field var point = Point()
    @Field var shape: Shape? = .circle(radius: .nan)
    @Field var note = ""
    @Indexed var level = 0.0
  }

  struct Point: Codable, Equatable, Sendable {
    var (x, y) = (Double.nan, 0.0)
  }

  final class Celsius: Object {
    @PrimaryKey var degrees = 0.0
  }

  /// Leads back to the generic class of a class that is generic too.
  class Base<Value: Codable & Equatable & Sendable>: Object {
    @Field var values: [Value] = []
    @Link var next: Base<Value>?
  }
  final class Derived<Extra: Codable & Equatable & Sendable>: Base<Int> {
    @Field var extra: Extra?
    @Links var all: List<Base<Int>>
  }

  let store = Store()
  let reading = Reading()

  init() throws { try store.add(reading) }

  @Test func `not-a-number over itself is no change`() throws {
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    var runs = 0
    let effect = Effect {
      _ = reading.value
      runs += 1
    }
    var seen: [String] = []
    let observer = reading.observe { seen.append($0.properties.map(\.name).joined(separator: " ")) }
    reading.value = -.nan
    reading.point = Point()
    #expect(commits.isEmpty && runs == 1)
    reading.note = "x"
    #expect(commits.map { $0.changes[0].properties.count } == [1] && seen == ["note"])
    reading.value = 1
    reading.value = .nan
    #expect(runs == 3 && commits.count == 3)
    withExtendedLifetime((token, effect, observer)) {}
  }

  @Test func `not-a-number makes no draft dirty, and no upsert a change`() throws {
    let draft = store.draft(of: reading)
    #expect(!draft.isDirty && draft.changes.isEmpty && !draft.isDirty(\.value))
    draft.note = "x"
    #expect(draft.changes.map(\.name) == ["note"])
    try store.write { reading.point.y = 2 }
    try draft.commit()
    #expect(reading.note == "x" && reading.point.y == 2)
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    let same = Reading()
    same.note = "x"
    same.point.y = 2
    try store.add(same, onConflict: .theirs)
    #expect(commits == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `a value beside not-a-number is not lost`() throws {
    let before = store.snapshot()
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    reading.point.y = 3
    #expect(commits.count == 1 && reading.point.y == 3)
    let after = store.snapshot()
    #expect(before != after && before.changes(to: after).changes.count == 1)
    reading.point = Point(x: .nan, y: 4)
    #expect(reading.point.y == 4 && commits.count == 2)
    reading.shape = .circle(radius: .nan)
    #expect(commits.count == 2)
    withExtendedLifetime(token) {}
  }

  @Test func `minus zero is zero, and its sign is what was written first`() throws {
    reading.value = 0
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    reading.value = -0.0
    #expect(commits == 0 && reading.value.sign == .plus)
    withExtendedLifetime(token) {}
    reading.level = -0.0
    #expect(store.results(Reading.self).where(\.level, equals: 0.0).count == 1)
    try store.add(Celsius())
    let same = Celsius()
    same.degrees = -0.0
    #expect(throws: StoreError.self) { try store.add(same) }
  }

  @Test func `an index releases values that are not equal to themselves`() throws {
    weak var gone: Reading?
    do {
      let other = Reading()
      other.name = "other"
      gone = other
      try store.write(undoable: false) { try store.add(other) }
      try store.write(undoable: false) { other.level = .nan }
      #expect(store.brokenInvariants() == [])
      #expect(store.results(Reading.self).where(\.level, equals: .nan).isEmpty)
      try? store.write {
        other.level = 1
        throw Refusal()
      }
      #expect(store.brokenInvariants() == [])
      try store.write(undoable: false) { try store.delete(other) }
    }
    #expect(store.brokenInvariants() == [] && gone == nil)
  }

  @Test func `a primary key that is not equal to itself is refused`() throws {
    let celsius = Celsius()
    celsius.degrees = .nan
    #expect(throws: StoreError.self) {
      try store.add(celsius)
    }
    #expect(throws: StoreError.self) { try store.add(celsius, onConflict: .theirs) }
    #expect(throws: StoreError.self) { try store.draft(Celsius.self, nan: \.degrees).commit() }
    #expect(celsius.store == nil && store.brokenInvariants() == [])
    let good = Celsius()
    try store.add(good)
    let text = String(decoding: try store.snapshot().encoded(), as: UTF8.self)
    #expect(text.contains("Celsius"))
  }

  @Test func `strings are keys as Swift compares them`() throws {
    for name in ["", "e\u{301}", "日本", "👩‍👩‍👧", "a\u{0}b", "ﬁ", "İ", "\u{FEFF}"] {
      let other = Reading()
      other.name = name
      if name == "" {
        #expect(throws: StoreError.self) { try store.add(other) }
      } else {
        try store.add(other)
      }
      #expect(store.object(Reading.self, primaryKey: name)?.name == name)
    }
    let composed = Reading()
    composed.name = "\u{e9}"
    #expect(throws: StoreError.self) { try store.add(composed) }
    let copy = Store(try store.snapshot().coded())
    #expect(copy.snapshot() == store.snapshot() && copy.results(Reading.self).count == 8)
    #expect(copy.object(Reading.self, primaryKey: "a\u{0}b") != nil)
    #expect(copy.brokenInvariants() == [])
  }

  @Test func `optional enums with payloads, hierarchies and generic classes go everywhere`() throws
  {
    let (one, two) = (Derived<[String: Shape?]>(), Derived<Double>())
    let sample = Sample()
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    let replica = Store(store.snapshot())
    try store.write {
      let shapes: [String: Shape?] = ["a": .named("n", Size(width: 1, height: 2)), "b": nil]
      one.extra = shapes
      one.values = [1, 2]
      one.next = two
      one.all = [two, one]
      sample.doubly = .some(nil)
      sample.shape = .circle(radius: 2)
      try store.add([one, sample] as [Object])
    }
    try store.write {
      two.extra = 2.5
      sample.doubly = .some(.some(3))
    }
    let coded = try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(all.inverted()))
    #expect(coded.inverted() == all)
    #expect(try replica.apply(all).isClean && replica.snapshot() == store.snapshot())
    let restored = Store(try store.snapshot().coded())
    #expect(restored.results(Base<Int>.self).count == 2)
    #expect(restored.results(Derived<Double>.self).first?.extra == 2.5)
    #expect(restored.snapshot().changes(to: store.snapshot()).isEmpty)
    #expect(restored.brokenInvariants() == [])
    withExtendedLifetime(token) {}
  }
}

extension Store {
  fileprivate func draft<Element: Object>(
    _ type: Element.Type, nan path: ReferenceWritableKeyPath<Element, Double>
  ) -> Draft<Element> {
    let draft = draft(type)
    draft.object[keyPath: path] = .nan
    return draft
  }
}
