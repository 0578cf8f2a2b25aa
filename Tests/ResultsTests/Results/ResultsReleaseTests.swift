import Signals
import TestSupport
import Testing

/// When results release objects that are deleted, or were never committed.
@Suite struct `Results, release of removed objects` {
  /// Writes to a signal when it is released.
  final class Guest: Object {
    @Field var name = ""
    @Field var room = 0
    var onRelease: () -> Void = {}

    convenience init(_ name: String, room: Int = 0, onRelease: @escaping () -> Void = {}) {
      self.init()
      (self.name, self.room, self.onRelease) = (name, room, onRelease)
    }

    deinit { onRelease() }
  }

  /// Results of each kind, as the names that they show.
  enum Kind: CaseIterable {
    case all, filtered, sorted, limited, distinct, sectioned, narrowed, value, limitOfLimit

    func read(_ store: Store) -> () -> [String] {
      let results = store.results(Guest.self)
      switch self {
      case .all: return { results.map(\.name) }
      case .filtered:
        let results = results.where { $0.room < 10 }
        return { results.map(\.name) }
      case .sorted:
        let results = results.sorted(by: \.name)
        return { results.map(\.name) }
      case .limited:
        let results = results.sorted(by: \.name).limit(2)
        return { results.map(\.name) }
      case .distinct:
        let results = results.distinct(by: \.room)
        return { results.map(\.name) }
      case .sectioned:
        let sections = results.sectioned(by: \.room)
        return { sections.flatMap { $0.map(\.name) } }
      case .narrowed:
        let results = results.where { $0.room < 10 }.where { $0.room < 5 }.sorted(by: \.room)
        return { results.map(\.name) }
      case .value: return { results.value(.max(\.name)).map { [$0] } ?? [] }
      case .limitOfLimit:
        let results = results.sorted(by: \.name).limit(3).sorted(by: \.room).limit(2)
        return { results.map(\.name) }
      }
    }
  }

  let store = Store(undoLimit: 0)
  let released = Signal(0)

  private func guest(_ name: String, room: Int = 0) -> Guest {
    Guest(name, room: room) { [released] in released.value += 1 }
  }

  private func add(_ names: [String]) throws {
    try store.add(names.map { guest($0) })
  }

  @Test(arguments: Kind.allCases)
  func `a deleted object goes at the commit, if nothing observes the results`(kind: Kind) throws {
    let read = kind.read(store)
    try add(["a", "b"])
    #expect(!read().isEmpty)
    try store.delete(try #require(store.results(Guest.self).first { $0.name == "b" }))
    #expect(released.value == 1)
    #expect(Computed { read() }.value == ["a"])
  }

  @Test(arguments: Kind.allCases)
  func `an object that was rolled back goes with the transaction`(kind: Kind) throws {
    let read = kind.read(store)
    try add(["b"])
    #expect(read() == ["b"])
    try? store.write {
      try add(["a"])
      #expect(!read().isEmpty)
      throw Refusal()
    }
    #expect(released.value == 1)
    #expect(Computed { read() }.value == ["b"])
  }

  @Test(arguments: Kind.allCases)
  func `most objects at once go at the commit too`(kind: Kind) throws {
    let read = kind.read(store)
    try add((100..<400).map { "\($0)" })
    #expect(!read().isEmpty)
    try store.write {
      for guest in Array(store.results(Guest.self).dropFirst()) { try store.delete(guest) }
    }
    #expect(released.value == 299)
    #expect(Computed { read() }.value == ["100"])
    try add(["101"])
    #expect(Computed { read() }.value.first == (kind == .value ? "101" : "100"))
  }

  @Test func `objects go that were added and not read since`() throws {
    let read = Kind.filtered.read(store)
    _ = read()
    try add(["a"])
    try store.delete(try #require(store.results(Guest.self).first))
    #expect(released.value == 1)
  }

  @Test func `objects of results that are out of date go too`() throws {
    let read = Kind.filtered.read(store)
    try add((0..<200).map { "\($0)" })
    _ = read()
    try store.write { for guest in store.results(Guest.self) { guest.room += 1 } }
    try store.delete(try #require(store.results(Guest.self).first))
    #expect(released.value == 1)
  }

  @Test(arguments: Kind.allCases)
  func `a computed that reads in a batch releases nothing before its end`(kind: Kind) throws {
    let read = kind.read(store)
    try add(["a", "b"])
    let names = Computed { read() }
    let effect = Effect { _ = names.value }
    try batch {
      try store.delete(try #require(store.results(Guest.self).first { $0.name == "b" }))
      #expect(names.value == ["a"])
    }
    #expect(released.value == 1)
    withExtendedLifetime(effect) {}
  }

  @Test func `a released object may delete another that the results hold`() throws {
    let read = Kind.sorted.read(store)
    try add(["c"])
    let last = try #require(store.results(Guest.self).first)
    try store.add(Guest("a") { [store, unowned last] in try? store.delete(last) })
    _ = read()
    try store.delete(try #require(store.results(Guest.self).first { $0.name == "a" }))
    #expect(last.isDeleted && Computed { read() }.value == [])
  }

  @Test func `a store goes after results of it have dropped objects`() throws {
    weak var gone: Store?
    do {
      let store = Store(undoLimit: 0)
      gone = store
      let guests = store.results(Guest.self).where { $0.room == 0 }
      try store.add(Guest("a"))
      #expect(guests.count == 1)
      try store.delete(guests[0])
    }
    #expect(gone == nil)
  }
}
