import Signals
import SignalsTesting
import TestSupport
import Testing

/// A closure that runs in the middle of a property's mutation and accesses that property.
@Suite struct `Misuse, a property in its own mutation` {
  /// What is done to a property in its own mutation, and to which object.
  struct Access: Codable, Sendable, CustomTestStringConvertible {
    enum Write: String, Codable, CaseIterable { case assign, append, list }

    enum Setting: String, Codable, CaseIterable {
      case unstored, stored, inWrite, withUndo, observed, observedInWrite
    }

    let write: Write
    let setting: Setting
    var testDescription: String { "\(write), \(setting)" }

    static let all = Write.allCases.flatMap { write in
      Setting.allCases.map { Access(write: write, setting: $0) }
    }

    var property: String { write == .list ? "Shelf(place: \"a\").novels" : "Novel(key: 1).tags" }

    func run() throws {
      let store = Store(undoLimit: setting == .withUndo ? 100 : 0)
      let novel = makeNovel(1)
      let shelf = makeShelf("a", [novel, novel])
      if setting != .unstored { try store.add(shelf) }
      novel.tags = (0..<100).map { "a long string that is on the heap \($0)" }
      let isObserved = setting == .observed || setting == .observedInWrite
      let effect = isObserved ? Effect { _ = (novel.tags.count, shelf.novels.count) } : nil
      if setting == .inWrite || setting == .observedInWrite {
        try store.write { perform(novel, shelf) }
      } else {
        perform(novel, shelf)
      }
      withExtendedLifetime(effect) {}
    }

    private func perform(_ novel: Novel, _ shelf: Shelf) {
      switch write {
      case .assign:
        novel.tags.removeAll { tag in
          novel.tags = ["other"]
          return tag.hasSuffix("1")
        }
      case .append:
        novel.tags.removeAll { tag in
          novel.tags.append("other")
          return tag.hasSuffix("1")
        }
      case .list:
        shelf.novels.removeAll { _ in
          shelf.novels = []
          return true
        }
      }
    }
  }

  @Test(arguments: Access.all) func `a write of it traps by name`(access: Access) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [access = access as Access] in
      try access.run()
    }
    expectError(result, "Signals: \(access.property) is written while it is being changed")
  }

  /// Other ways to the property that is being changed.
  enum Way: String, Codable, CaseIterable {
    case untracked, effect, effectReads, untrackedRead, keyPath, part, element, swap, undo
    case savepoint
    case indexed, link, key, add, delete, snapshot

    var message: String {
      switch self {
      case .effectReads, .untrackedRead, .delete:
        "Novel(key: 1).tags is read while it is being changed"
      case .part: "Novel(key: 1).size is written while it is being changed"
      case .swap: "Novel(key: 1).pages is written while it is being changed"
      case .indexed: "Novel(key: 1).shelf is written while it is being changed"
      case .link: "Novel(key: 1).author is written while it is being changed"
      case .key: "Novel.key of #1 is written while it is being changed"
      case .add: "Novel(key: 1).shelf is read while it is being changed"
      case .snapshot: "a snapshot was asked for while a property is being changed"
      case .undo: "Novel(key: 1).tags is written while it is being changed"
      default: "Novel(key: 1).tags is written while it is being changed"
      }
    }

    func run() throws {
      // What nothing follows is changed in place.
      let (store, novel) = (Store(undoLimit: 0), makeNovel(1))
      let isUnstored = [.link, .key, .add].contains(self)
      if !isUnstored { try store.add(novel) }
      novel.tags = ["a", "b"]
      func change<Value>(_ value: inout Value, _ body: () -> Void) { body() }
      switch self {
      case .untracked: change(&novel.tags) { Signals.untracked { novel.tags = [] } }
      case .untrackedRead: change(&novel.tags) { Signals.untracked { _ = novel.tags } }
      case .effect: change(&novel.tags) { Effect { novel.tags.append("x") }.cancel() }
      case .effectReads: change(&novel.tags) { Effect { _ = novel.tags }.cancel() }
      case .keyPath: change(&novel.tags) { novel[keyPath: \.tags] = [] }
      case .part: change(&novel.size.width) { novel.size.height = 7 }
      case .element: change(&novel.tags[0]) { novel.tags.removeAll() }
      case .swap: change(&novel.pages) { exchange(&novel.pages) }
      case .undo:
        let (store, novel) = (Store(), makeNovel(1))
        try store.add(novel)
        novel.tags = ["c"]
        change(&novel.tags) { _ = try? store.undo() }
      case .savepoint:
        try store.write { change(&novel.tags) { try? store.write { novel.tags = [] } } }
      case .indexed: change(&novel.shelf) { novel.shelf = "x" }
      case .link: change(&novel.author) { novel.author = nil }
      case .key: change(&novel.key) { novel.key = 9 }
      case .add: change(&novel.shelf) { _ = try? store.add(novel) }
      case .delete: change(&novel.tags) { try? store.delete(novel) }
      case .snapshot: change(&novel.tags) { _ = store.snapshot() }
      }
    }

    private func exchange(_ value: inout Int) {
      var other = 5
      Swift.swap(&value, &other)
    }
  }

  @Test(arguments: Way.allCases) func `no other way leads to it either`(way: Way) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [way = way as Way] in
      try way.run()
    }
    expectError(result, "Signals: \(way.message)")
  }

  @Test(arguments: [false, true])
  func `another property and another object can be written in it`(isStored: Bool) throws {
    let (store, novel, other) = (Store(), makeNovel(1), makeNovel(2))
    if isStored { try store.add([novel, other]) }
    novel.tags = ["a", "b", "c"]
    var seen: [Int] = []
    let effect = Effect { seen.append(other.pages) }
    novel.tags.removeAll { tag in
      novel.pages += 1
      novel.name = tag
      other.tags.append(tag)
      other.pages += 1
      return tag == "b"
    }
    #expect(novel.tags == ["a", "c"])
    #expect(novel.pages == 3 && novel.name == "c")
    #expect(other.tags == ["a", "b", "c"])
    #expect(seen == [0, 1, 2, 3])
    withExtendedLifetime(effect) {}
  }

  @Test func `what ends with an old value may write the property`() {
    let holder = Holder()
    holder.next = Item { holder.next = nil }
    holder.next = Item()
    #expect(holder.next == nil)
  }

  @Test func `an effect that runs in it reads the value from before`() throws {
    let (store, novel, other) = (Store(), makeNovel(1), makeNovel(2))
    try store.add([novel, other])
    novel.tags = ["a"]
    var seen: [[String]] = []
    let effect = Effect {
      _ = other.pages
      seen.append(novel.tags)
    }
    novel.tags.removeAll { _ in
      other.pages += 1
      return true
    }
    #expect(seen == [["a"], ["a"], []])
    withExtendedLifetime(effect) {}
  }

  @Test func `elements that end with an unstored object's old list may assign the list`() {
    let shelf = Rack()
    var ends = 0
    for _ in 0..<2 {
      shelf.items = List(
        (0..<3).map { _ in
          Item {
            ends += 1
            shelf.items = [Item()]
          }
        })
      shelf.items = []
    }
    #expect(ends == 6 && shelf.items.count == 1)
  }

  final class Holder: Object { @Link var next: Item? }

  final class Rack: Object { @Links var items: List<Item> }

  final class Item: Object {
    var last: () -> Void = {}
    convenience init(_ last: @escaping () -> Void) {
      self.init()
      self.last = last
    }
    deinit { last() }
  }

  @Test func `an access that ends out of order traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await endOutOfOrder()
    }
    expectError(
      result, "Signals: Novel(key: 1).tags is passed to an async function as an inout argument")
  }
}

/// Two mutations that last over a suspension, of which the first ends first.
@MainActor private func endOutOfOrder() async {
  let (first, second) = (makeNovel(1), makeNovel(2))
  let (gate, open) = AsyncStream<Void>.makeStream()
  let one = Task { await change(&first.tags, when: gate) }
  for _ in 0..<10 { await Task.yield() }
  let two = Task { await change(&second.tags, when: AsyncStream { _ in }) }
  for _ in 0..<10 { await Task.yield() }
  open.finish()
  await one.value
  two.cancel()
}

@MainActor private func change(_ tags: inout [String], when gate: AsyncStream<Void>) async {
  for await _ in gate {}
  tags.append("x")
}

/// The same of signals, which are changed in a copy.
@Suite struct `Misuse, a signal in its own mutation` {
  enum Way: String, Codable, CaseIterable {
    case update, modify, nested, state

    var message: String {
      switch self {
      case .state: "signal 'Tally.counts' is written while it is being changed"
      default: "signal 'n' is written while it is being changed"
      }
    }

    func run() throws {
      let n = Signal([1, 2], name: "n")
      switch self {
      case .update: n.update { _ in n.value = [] }
      case .modify:
        n.value.removeAll { _ in
          n.value.append(3)
          return true
        }
      case .nested: n.update { _ in n.update { $0.append(3) } }
      case .state: try TestHost(Store()) { Tally() }.tap("go")
      }
    }
  }

  struct Tally: View {
    @State private var counts = [1, 2]

    var body: Element {
      Button("\(counts.count)", id: "go") {
        counts.removeAll { _ in
          counts = []
          return true
        }
      }
    }
  }

  @Test(arguments: Way.allCases) func `a write of it traps by name`(way: Way) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [way = way as Way] in
      try way.run()
    }
    expectError(result, "Signals: \(way.message)")
  }

  @Test func `it reads as before in it, and can be written after an update that throws`() {
    let n = Signal(1)
    n.update { $0 += n.value }
    #expect(n.value == 2)
    #expect(throws: Refusal.self) { try n.update { _ in throw Refusal() } }
    n.value += 1
    #expect(n.value == 3)
  }
}
