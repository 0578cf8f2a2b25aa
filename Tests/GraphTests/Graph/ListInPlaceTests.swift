import SignalsTesting
import TestSupport
import Testing

@testable import Signals

/// An edit of one element of a list is made in the nodes of the list, if nothing else uses them.
@Suite struct `Lists, edited in place` {
  let store = Store(undoLimit: 0)
  let novels = (0..<200).map { makeNovel($0) }
  let extra = makeNovel(1000)
  let shelf: Shelf

  init() throws {
    shelf = makeShelf("s", novels)
    try store.add([extra])
    try store.add(shelf)
  }

  /// The top node and the last leaf of the list.
  private func nodes() -> [ObjectIdentifier] {
    guard let root = shelf.novels.tree.root else { return [] }
    return [ObjectIdentifier(root), ObjectIdentifier(root.links[root.slots - 1].child)]
  }

  private func keys(_ novels: [Novel]) -> [Int] { novels.map(\.key) }

  @Test(arguments: [false, true])
  func `a commit with one edit copies no node`(inAWrite: Bool) throws {
    let before = nodes()
    func edit(_ body: () -> Void) throws {
      if inAWrite { try store.write(body) } else { body() }
      #expect(nodes() == before)
    }
    try edit { shelf.novels.append(extra) }
    try edit { shelf.novels.insert(novels[0], at: 199) }
    try edit { shelf.novels[201] = novels[1] }
    try edit { shelf.novels.remove(at: 199) }
    try edit { shelf.novels.removeLast() }
    try edit { shelf.novels.remove(novels[199]) }
    #expect(shelf.novels.map(\.key) == Array(0..<199))
    try edit { shelf.novels.append(novels[199]) }
    #expect(store.brokenInvariants() == [])
  }

  @Test func `the deletion of a member copies no node`() throws {
    let before = nodes()
    try store.delete(novels[100])
    #expect(nodes() == before)
    #expect(shelf.novels.map(\.key) == Array(0..<100) + Array(101..<200))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `further edits of a transaction copy no node again`() throws {
    try store.write {
      for _ in 0..<2 { shelf.novels.append(extra) }
      let copied = nodes()
      for _ in 0..<5 { shelf.novels.append(extra) }
      #expect(nodes() == copied)
    }
    #expect(shelf.novels.count == 207)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a version that is held stays as it is`() {
    let held = shelf.novels
    let before = nodes()
    shelf.novels.append(extra)
    #expect(nodes() != before)
    #expect(held.map(\.key) == keys(novels))
    #expect(shelf.novels.map(\.key) == keys(novels + [extra]))
  }

  @Test func `a copy in a mutation has the edits made before it, and no later ones`() {
    var copies: [List<Novel>] = []
    func edit(_ list: inout List<Novel>) {
      copies.append(list)
      list.append(extra)
      copies.append(list)
      list.removeFirst()
      copies.append(list)
      copies[1].append(novels[0])
    }
    edit(&shelf.novels)
    let last = Array(novels.dropFirst()) + [extra]
    #expect(copies[0].map(\.key) == keys(novels))
    #expect(copies[1].map(\.key) == keys(novels + [extra, novels[0]]))
    #expect(copies[2].map(\.key) == keys(last))
    #expect(shelf.novels.map(\.key) == keys(last))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a copy that outlives the mutation isn't edited with the list`() {
    var copy = List<Novel>()
    func edit(_ list: inout List<Novel>) {
      list.append(extra)
      copy = list
    }
    edit(&shelf.novels)
    shelf.novels.removeAll()
    #expect(copy.map(\.key) == keys(novels + [extra]))
    let other = makeShelf("t")
    #expect(throws: Never.self) { try store.add(other) }
    other.novels = copy
    copy.removeLast()
    #expect(other.novels.map(\.key) == keys(novels + [extra]))
    other.novels.append(novels[5])
    #expect(other.novels.map(\.key) == keys(novels + [extra, novels[5]]))
    #expect(store.brokenInvariants() == [])
  }

  @Test(arguments: [false, true])
  func `a copy that another list gets in a mutation loses no edit`(isStored: Bool) throws {
    let others = [makeShelf("t"), makeShelf("u")]
    if isStored { try store.add(others) }
    var early = List<Novel>()
    func edit(_ list: inout List<Novel>) {
      early = list
      list.append(extra)
      others[0].novels = list
    }
    edit(&shelf.novels)
    early.append(novels[1])
    others[1].novels = early
    for other in others { other.novels.append(novels[2]) }
    if !isStored { try store.add(others) }
    for other in others { other.novels.append(novels[3]) }
    #expect(others[0].novels.map(\.key) == keys(novels + [extra, novels[2], novels[3]]))
    #expect(others[1].novels.map(\.key) == keys(novels + [novels[1], novels[2], novels[3]]))
    #expect(store.brokenInvariants() == [])
  }

  @Test(arguments: [[], [0]], [false, true])
  func `a key that deletes the owner as it is hashed has the edit refused`(
    before: [Int], asAWhole: Bool
  ) throws {
    let store = Store(undoLimit: 0)
    var refusals: [any Error] = []
    store.onRefusal = { refusals.append($0) }
    let (rack, second) = (Rack(), Pin())
    rack.pins = List(before.map { _ in Pin() })
    try store.add(rack)
    second.code = Code(text: "b") { #expect(throws: Never.self) { try store.delete(rack) } }
    if asAWhole { rack.pins = [second, second] } else { rack.pins.append(second) }
    #expect(refusals.map { "\($0)" } == ["Rack of \(rack.objectID) is not in this store"])
    #expect(rack.store === store && second.store == nil)
    #expect(rack.pins.count == before.count)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a list emptied before the deletion of its owner comes back with its members`() throws
  {
    let store = Store()
    let (shelf, novel) = (makeShelf("s", [makeNovel(1)]), makeNovel(2))
    try store.add(shelf)
    try store.write {
      shelf.novels.removeLast()
      try store.delete(shelf)
      shelf.novels.append(novel)
    }
    try store.undo()
    #expect(shelf.novels.map(\.key) == [1])
    #expect(novel.store == nil)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a mutation that replaces the list after an edit counts as the replacement`() throws {
    let other = makeShelf("t", [extra])
    try store.add(other)
    func exchange(_ one: inout List<Novel>, _ two: inout List<Novel>) {
      one.append(novels[7])
      two.removeLast()
      swap(&one, &two)
      two.append(novels[8])
    }
    exchange(&shelf.novels, &other.novels)
    #expect(shelf.novels.map(\.key) == keys([]))
    #expect(other.novels.map(\.key) == keys(novels + [novels[7], novels[8]]))
    func assign(_ list: inout List<Novel>) {
      list.append(extra)
      list = [novels[3]]
    }
    assign(&other.novels)
    #expect(other.novels.map(\.key) == keys([novels[3]]))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `an edit that is taken back, and a replacement by the same element, are no changes`() {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    func edit(_ list: inout List<Novel>) {
      list.append(extra)
      list.removeLast()
    }
    edit(&shelf.novels)
    shelf.novels[3] = novels[3]
    shelf.novels.replaceSubrange(4..<4, with: [])
    #expect(commits == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `other code reads the list from before during a mutation`() throws {
    var counts: [Int] = []
    let trigger = Signal(0)
    let effect = Effect {
      _ = trigger.value
      counts.append(shelf.novels.count)
    }
    func edit(_ list: inout List<Novel>) {
      list.append(extra)
      trigger.value += 1
    }
    edit(&shelf.novels)
    #expect(counts == [200, 200, 201])
    withExtendedLifetime(effect) {}
  }

  @Test func `a savepoint that throws takes back the edits since it began`() throws {
    try store.write {
      shelf.novels.append(extra)
      #expect(throws: Refusal.self) {
        try store.write {
          shelf.novels.removeFirst()
          shelf.novels.insert(extra, at: 5)
          throw Refusal()
        }
      }
      #expect(shelf.novels.map(\.key) == keys(novels + [extra]))
      shelf.novels.append(novels[0])
    }
    #expect(shelf.novels.map(\.key) == keys(novels + [extra, novels[0]]))
    #expect(throws: Refusal.self) {
      try store.write {
        shelf.novels.remove(at: 100)
        throw Refusal()
      }
    }
    #expect(shelf.novels.map(\.key) == keys(novels + [extra, novels[0]]))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `the owner deleted after an edit leaves no reference, and comes back with the list`()
    throws
  {
    let store = Store()
    let shelf = makeShelf("s", [makeNovel(1), makeNovel(2)])
    try store.add(shelf)
    let added = makeNovel(3)
    try store.write {
      shelf.novels.append(added)
      try store.delete(shelf)
    }
    #expect(added.shelves.isEmpty)
    try store.undo()
    #expect(shelf.novels.map(\.key) == [1, 2])
    #expect(added.isDeleted)
    #expect(store.brokenInvariants() == [])
  }

  @Test(arguments: [1, 2])
  func `a key that writes the list as it is hashed doesn't spoil the edit`(count: Int) throws {
    let store = Store(undoLimit: 0)
    let (rack, first) = (Rack(), Pin())
    rack.pins = [first]
    try store.add(rack)
    let second = Pin()
    second.code = Code(text: "b") { rack.pins.append(first) }
    rack.pins += Array(repeating: second, count: count)
    #expect(rack.pins.map { $0 === second } == [false] + Array(repeating: true, count: count))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a step that is undone before another one keeps the list from before it`() throws {
    let store = Store()
    let (shelf, added) = (makeShelf("s", [makeNovel(1)]), makeNovel(3))
    try store.add(shelf)
    shelf.novels.append(makeNovel(2))
    try store.add(added)
    try store.write(undoable: false) { shelf.novels.append(added) }
    // The first undo takes the object out of the list, and both are one commit.
    try store.write {
      try store.undo()
      try store.undo()
    }
    #expect(shelf.novels.map(\.key) == [1])
    try store.write(undoable: false) { shelf.novels.removeAll() }
    try store.redo()
    try store.redo()
    #expect(shelf.novels.contains(added))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a list that is written to the storage itself loses no edit either`() throws {
    let store = Store(undoLimit: 0)
    let (rack, other, pins) = (Rack(), Rack(), (0..<3).map { _ in Pin() })
    try store.add(rack)
    func edit(_ list: inout List<Pin>) {
      list.append(pins[0])
      other.store(list)
    }
    edit(&rack.pins)
    try store.add(other)
    other.pins.append(pins[1])
    other.pins.append(pins[2])
    #expect(Array(other.pins) == pins)
    #expect(store.brokenInvariants() == [])
  }

  private final class Rack: Object {
    @Links var pins: List<Pin>

    func store(_ list: List<Pin>) {
      _pins.stored = list
      holdsLinks = true
    }
  }
  private final class Pin: Object { @Indexed var code = Code(text: "") }

  /// A key that runs code once, when it is hashed.
  private struct Code: Codable, Hashable, Sendable {
    var text: String
    private let once: Once?

    init(text: String, _ body: (() -> Void)? = nil) {
      self.text = text
      once = body.map(Once.init)
    }

    init(from decoder: any Decoder) throws {
      self.init(text: try decoder.singleValueContainer().decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }

    static func == (one: Code, other: Code) -> Bool { one.text == other.text }

    func hash(into hasher: inout Hasher) {
      hasher.combine(text)
      once?.run()
    }
  }

  /// Used by one thread.
  private final class Once: @unchecked Sendable {
    private var body: (() -> Void)?
    init(_ body: @escaping () -> Void) { self.body = body }
    func run() { body.take()?() }
  }
}
