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

  @Test func `A merge is told to observers of commits, and isn't captured`() throws {
    var commits = 0
    let token = two.store.commits.sink { _ in commits += 1 }
    _ = one.add(Page())
    try two.merging.merge(one.take())
    #expect(commits == 1)
    #expect(two.take().isEmpty)
    withExtendedLifetime(token) {}
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

  @Test func `A set whose clock is far ahead is refused and changes nothing`() throws {
    let ahead = Peer(3, time: time, skew: 100_000)
    _ = ahead.add(Page())
    let sets = ahead.take()
    #expect(throws: MergeError.self) { try one.merging.merge(sets) }
    #expect(one.store.storedObjects.isEmpty)
  }
}
