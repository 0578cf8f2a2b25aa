import Signals
import TestSupport
import Testing

/// Finding objects by their ids.
@Suite struct `Graph, finding objects by their ids` {
  let store = Store()
  let novel = makeNovel(1, "Emma")

  init() throws { try store.add(novel) }

  @Test func `an object is found while it is stored, whatever its class`() throws {
    let page = Page()
    #expect(store.object(novel.objectID) === novel && store.object(page.objectID) == nil)
    try store.add(page)
    #expect(store.object(page.objectID) === page && store.object(novel.objectID) is Novel)
    try store.delete(page)
    #expect(store.object(page.objectID) == nil && Store().object(novel.objectID) == nil)
    try? store.write {
      try store.delete(novel)
      #expect(store.object(novel.objectID) == nil)
      throw Refusal()
    }
    #expect(store.object(novel.objectID) === novel && store.brokenInvariants() == [])
  }

  @Test func `a lookup is a dependency on that object's coming and going alone`() throws {
    let page = Page()
    var seen: [Bool] = []
    let effect = Effect { seen.append(self.store.object(page.objectID) != nil) }
    novel.name = "x"
    try store.add(makeNovel(2))
    #expect(seen == [false])
    try store.add(page)
    page.number = 2
    #expect(seen == [false, true])
    try? store.write {
      try store.delete(page)
      throw Refusal()
    }
    try store.write {
      try store.delete(page)
      try store.add(page)
    }
    #expect(seen == [false, true])
    try store.delete(page)
    try store.undo()
    #expect(seen == [false, true, false, true])
    effect.cancel()
  }

  @Test func `another instance under the same id is another answer`() throws {
    let copy = Store(store.snapshot())
    let there = try #require(copy.object(novel.objectID))
    #expect(there !== novel && (there as? Novel)?.name == "Emma")
    var seen: [ObjectIdentifier?] = []
    let effect = Effect { seen.append(copy.object(novel.objectID).map(ObjectIdentifier.init)) }
    var all = ChangeSet()
    let token = copy.commits.sink { all = all.merging($0) }
    try copy.delete(there)
    try copy.apply(all.inverted())
    #expect(seen.count == 3 && seen[1] == nil && seen[0] != seen[2])
    #expect(copy.object(novel.objectID)?.isDeleted == false && copy.brokenInvariants() == [])
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `an apply in an effect depends on none of what it looks up`() throws {
    let here = Store()
    var runs = 0
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    let page = Page()
    try store.add(page)
    let effect = Effect {
      runs += 1
      _ = try? here.apply(all)
    }
    #expect(here.object(page.objectID) != nil && runs == 1)
    try here.object(page.objectID).map { try here.delete($0) }
    #expect(runs == 1)
    withExtendedLifetime((effect, token)) {}
  }
}
