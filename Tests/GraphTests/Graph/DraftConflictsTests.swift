import Signals
import SignalsTesting
import TestSupport
import Testing

/// What a draft knows of others before it is committed.
@Suite struct `Graph, conflicts of drafts` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)

  init() throws { try store.add(novel) }

  @Test func `a conflict is known as soon as both have changed a property`() throws {
    let draft = store.draft(of: novel)
    var seen: [[String]] = []
    let effect = Effect { seen.append(draft.conflicts.map(\.property)) }
    draft.name = "mine"
    novel.pages = 1
    novel.name = "theirs"
    #expect(seen.last == ["name"])
    let conflict = try #require(draft.conflicts.first)
    #expect(conflict.mine as? String == "mine" && conflict.theirs as? String == "theirs")
    #expect(conflict.base as? String == "Emma" && conflict.id == novel.objectID)
    try draft.commit { _ in .mine }
    #expect(seen.last == [] && novel.name == "mine" && novel.pages == 1)
    effect.cancel()
  }

  @Test func `there is none with what was changed alike, or is deleted or new`() throws {
    let draft = store.draft(of: novel)
    draft.name = "both"
    novel.name = "both"
    #expect(draft.conflicts.isEmpty)
    draft.name = "mine"
    #expect(draft.conflicts.count == 1)
    try store.delete(novel)
    #expect(draft.conflicts.isEmpty)
    #expect(store.draft(Novel.self).conflicts.isEmpty)
  }

  @Test func `a draft of a new object starts with its values`() throws {
    let new = makeNovel(2, "Persuasion")
    let draft = store.draft(new: new)
    #expect(!draft.isDirty && draft.object === new)
    draft.pages = 300
    let stored = try draft.commit()
    #expect(stored !== new && stored.name == "Persuasion" && stored.pages == 300)
  }

  @Test func `a draft of a stored object is no new one`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = store.draft(new: try store.add(makeNovel(3)))
    }
    expectError(result, "Novel(key: 3) is stored, and no new object: use draft(of:)")
  }
}
