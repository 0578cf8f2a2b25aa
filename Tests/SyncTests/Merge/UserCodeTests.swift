// The code of an app around merges: live results, effects, undo, and classes of other versions.

internal import Signals
internal import SignalsSync
internal import Testing

@Suite struct UserCodeTests {
  let time = VirtualTime()
  let one: Peer
  let two: Peer

  init() {
    one = Peer(1, time: time)
    two = Peer(2, time: time)
  }

  @Test func `Live results equal a fresh query after each merge`() throws {
    let live = two.store.results(Page.self).where { $0.size > 5 }.sorted(by: \.size)
    let fields = (0..<10).map { number in
      let page = Page()
      page.size = number
      return page
    }
    #expect(live.count == 0)
    try one.store.add(fields)
    try two.merging.merge(one.take())
    #expect(live.map(\.size) == [6, 7, 8, 9])
    fields[0].size = 20
    try one.store.delete(fields[7])
    try two.merging.merge(one.take())
    #expect(live.map(\.size) == [6, 8, 9, 20])
  }

  @Test func `A merge is one change for observers`() throws {
    let page = one.add(Page())
    try two.merging.merge(one.take())
    let other = try #require(two.find(page))
    var seen: [String] = []
    let effect = Effect { seen.append("\(other.title) \(other.size)") }
    page.title = "a"
    page.size = 1
    page.title = "b"
    try two.merging.merge(one.take())
    #expect(seen == [" 0", "b 1"])
    effect.cancel()
  }

  @Test func `Observers of commits receive a merge, which isn't captured`() throws {
    var commits = 0
    let token = two.store.commits.sink { _ in commits += 1 }
    _ = one.add(Page())
    try two.merging.merge(one.take())
    #expect(commits == 1)
    #expect(two.take().isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `An object that comes back is the instance that the app still holds`() throws {
    let page = one.add(Page())
    page.title = "Plan"
    page.next = page
    try two.merging.merge(one.take())
    let held = try #require(two.find(page))
    var seen: [String] = []
    let effect = Effect { seen.append("\(held.title) \(held.isDeleted) \(held.next === held)") }
    try one.store.delete(page)
    try two.merging.merge(one.take())
    held.title = "local"
    try one.store.undo()
    try two.merging.merge(one.take())
    #expect(two.find(page) === held)
    #expect(held.title == "Plan")
    #expect(held.next === held)
    #expect(
      seen == ["Plan false true", "Plan true false", "local true false", "Plan false true"])
    effect.cancel()
  }

  @Test func `An object that an edit revives is the instance that the app still holds`() throws {
    let note = one.add(Note())
    try two.merging.merge(one.take())
    try one.store.delete(note)
    time.advance()
    two.find(note)?.text = "kept"
    try one.merging.merge(two.take())
    #expect(note.isDeleted == false)
    #expect(note.text == "kept")
    #expect(one.find(note) === note)
  }

  @Test func `A changed primary key leaves the instance as it is`() throws {
    let tag = Tag()
    tag.name = "red"
    tag.color = "#f00"
    _ = one.add(tag)
    try two.merging.merge(one.take())
    let held = try #require(two.find(tag))
    try one.store.delete(tag)
    tag.name = "blue"
    try one.store.add(tag)
    try two.merging.merge(one.take())
    #expect(two.find(tag) === held)
    #expect(held.name == "blue")
    #expect(two.store.object(Tag.self, primaryKey: "blue") === held)
    #expect(two.store.object(Tag.self, primaryKey: "red") == nil)
    #expect(two.store.brokenInvariants() == [])
  }

  @Test func `Undo takes back one's own write, and not what a merge wrote since`() throws {
    let page = one.add(Page())
    try two.merging.merge(one.take())
    let other = try #require(two.find(page))
    other.size = 4
    other.title = "mine"
    try one.merging.merge(two.take())
    page.title = "theirs"
    try two.merging.merge(one.take())
    let report = try two.store.undo(onConflict: .theirs)
    #expect(report.conflicts.count == 1)
    #expect(other.title == "theirs")
    try two.store.undo()
    #expect(other.size == 0)
    try one.merging.merge(two.take())
    #expect(page.size == 0)
    #expect(page.title == "theirs")
  }

  @Test(arguments: [0, 100])
  func `A maximum that is lowered is put back before effects see it`(undoLimit: Int) throws {
    let peer = Peer(5, time: time, undoLimit: undoLimit)
    let page = peer.add(Page())
    page.seen = 7
    peer.take()
    page.seen = 3
    #expect(page.seen == 7)
    var seen: [Int] = []
    let effect = Effect { seen.append(page.seen) }
    page.seen = 2
    try page.write {
      page.seen = 1
      page.title = "a"
    }
    page.seen = 9
    #expect(Set(seen) == [7, 9])
    #expect(peer.take().map(\.operations.count) == [1, 1])
    effect.cancel()
  }

  @Test func `A link whose target comes back by a commit here is set at once`() throws {
    let (page, target) = (Page(), Page())
    page.next = target
    _ = one.add(page)
    try one.store.delete(target)
    #expect(page.next == nil)
    try one.store.add(target)
    #expect(page.next === target)
  }

  @Test func `Each commit is a separate set, in order, with the times seen before it`() throws {
    let page = one.add(Page())
    try two.merging.merge(one.take())
    let other = try #require(two.find(page))
    other.title = "a"
    other.size = 1
    try other.write { (other.title, other.size) = ("b", 2) }
    other.title = "c"
    other.visits += 1
    let sets = two.take()
    #expect(sets.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(
      sets.map { $0.names.sorted() } == [
        ["title"], ["size"], ["size", "title"], ["title"], ["visits"],
      ])
    #expect(sets.map(\.seen.count) == [1, 0, 0, 0, 0])
    #expect(two.take() == [])
    try one.merging.merge(sets)
    #expect(one.visible == two.visible)
  }

  @Test func `Lost values are published once`() throws {
    let page = one.add(Page())
    try two.merging.merge(one.take())
    var lost: [String] = []
    let token = one.merging.losses.sink { lost.append($0.subject.property) }
    page.title = "a"
    time.advance()
    two.find(page)?.title = "b"
    let sets = two.take()
    try one.merging.merge(sets)
    try one.merging.merge(sets)
    #expect(lost == ["title"])
    withExtendedLifetime(token) {}
  }

  @Test func `Classes that aren't shared here are kept, and links to them stay empty`() throws {
    let store = Store()
    let merging = MergingStore(store, sharing: [Page.self], as: ReplicaID(rawValue: 9))
    let page = Page()
    page.note = Note()
    page.title = "Plan"
    _ = one.add(page)
    try merging.merge(one.take())
    let here = try #require(merging.object(page.objectID) as? Page)
    #expect(here.title == "Plan")
    #expect(here.note == nil)
    #expect(store.storedObjects.count == 1)
  }

  @Test func `A value whose decoding writes to the store during a merge traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (here, there) = (Store(), Store())
      let mine = MergingStore(here, sharing: [Meddled.self], as: ReplicaID(rawValue: 1))
      let theirs = MergingStore(there, sharing: [Meddled.self], as: ReplicaID(rawValue: 2))
      let object = Meddled()
      try here.add(object)
      try theirs.merge(mine.takeChanges())
      let other = try #require(theirs.object(object.objectID) as? Meddled)
      object.value = Meddling(number: 1)
      Meddling.setReaction { other.count += 1 }
      try theirs.merge(mine.takeChanges())
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(
      text.contains("code that compares, hashes or decodes a value in a merge must not write"))
  }
}

private final class Meddled: Object {
  @Field var value = Meddling(number: 0)
  @Field var count = 0
}

/// A value whose decoding runs a closure.
private struct Meddling: Codable, Equatable, Sendable {
  nonisolated(unsafe) private static var onDecoding: () -> Void = {}  // In a process of one test.
  var number: Int

  static func setReaction(_ reaction: @escaping () -> Void) { unsafe onDecoding = reaction }

  init(number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
    unsafe Meddling.onDecoding()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}
