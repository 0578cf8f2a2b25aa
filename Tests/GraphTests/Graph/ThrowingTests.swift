import Signals
import TestSupport
import Testing

/// Errors thrown half-way, wherever they can be: nothing of it is left.
@Suite struct `Graph, errors thrown half-way` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let ada = makePerson(1, city: "London", phones: ["1", "2"])
  let shelf: Shelf

  init() throws {
    let shelf = makeShelf("s", [novel])
    self.shelf = shelf
    try store.write(undoable: false) { try store.add([shelf, ada] as [Object]) }
  }

  /// Runs a body that throws, and expects that nothing at all is left of it.
  private func expectNothing(_ body: () throws -> Void) throws {
    let before = store.snapshot()
    var told = 0
    let tokens: [any Cancellable] = [
      store.commits.sink { _ in told += 1 }, novel.observe { _ in told += 1 },
      store.results(Novel.self).where { $0.pages > 3 }.observe { _ in told += 1 },
    ]
    let (canUndo, canRedo) = (store.canUndo, store.canRedo)
    #expect(throws: Refusal.self) { try body() }
    #expect(store.snapshot() == before && told == 0)
    #expect(before.changes(to: store.snapshot()).isEmpty)
    #expect((store.canUndo, store.canRedo) == (canUndo, canRedo))
    #expect(store.brokenInvariants() == [])
    tokens.forEach { $0.cancel() }
  }

  /// A bit of everything.
  private func changeALot() throws {
    novel.pages += 1
    novel.tags.append("t")
    shelf.novels.append(makeNovel(2, "two"))
    shelf.novels.swapAt(0, 1)
    ada.home = nil
    ada.phones.remove(at: 0)
    ada.phones.append(makePhone("9"))
    try store.delete(novel)
    novel.name = "gone"
    try store.add(novel)
    shelf.best = novel
  }

  @Test func `a hook that throws in a later round takes everything back, what it wrote too`() throws
  {
    var rounds = 0
    store.beforeCommit { [novel] _ in
      rounds += 1
      novel.name += "!"
      if rounds == 3 { throw Refusal() }
    }
    store.beforeCommit { [novel] _ in novel.name += "?" }
    try expectNothing { try store.write { try changeALot() } }
    #expect(rounds == 3)
  }

  @Test func `a throw out of nested savepoints leaves what the outer ones have done`() throws {
    try expectNothing {
      try store.write {
        try changeALot()
        try? store.write {
          shelf.novels.removeAll()
          ada.phones[0].number = "deep"
          try? store.write {
            try store.delete(ada)
            throw Refusal()
          }
          #expect(ada.phones[0].number == "deep" && !ada.isDeleted)
          throw Refusal()
        }
        #expect(shelf.novels.count == 1 && ada.phones[0].number == "2")
        throw Refusal()
      }
    }
  }

  @Test func `a savepoint brings a list back as the transaction had it, and the commit is exact`()
    throws
  {
    let (two, three) = (makeNovel(2), makeNovel(3))
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    try store.write {
      shelf.novels.append(two)
      try? store.write {
        shelf.novels.insert(three, at: 0)
        shelf.novels.removeLast()
        throw Refusal()
      }
      #expect(shelf.novels.map(\.key) == [1, 2] && three.store == nil)
      try? store.write {
        try store.delete(two)
        throw Refusal()
      }
      #expect(shelf.novels.map(\.key) == [1, 2])
      shelf.novels.append(two)
    }
    let edits = try #require(commits.first?[shelf]?.edits(of: \.novels))
    #expect(edits.insertions == [1, 2])
    #expect(edits.deletions.isEmpty)
    #expect(commits.count == 1 && commits[0].changes.count == 2)
    #expect(store.brokenInvariants() == [])
    try store.undo()
    #expect(shelf.novels.map(\.key) == [1])
    withExtendedLifetime(token) {}
  }

  @Test func `a hook may try something in a savepoint and take it back`() throws {
    var rounds = 0
    let rule = store.beforeCommit { [store, novel] _ in
      rounds += 1
      try? store.write {
        novel.name = "tried"
        throw Refusal()
      }
    }
    try store.write { novel.pages = 2 }
    #expect(rounds <= 2 && novel.name == "Emma" && novel.pages == 2)
    rule.cancel()
  }

  @Test func `a hook may delete what is being changed, add, observe, and go away`() throws {
    var (seen, tokens) = ([String](), [any Cancellable]())
    var (rule, calls): ((any Cancellable)?, Int) = (nil, 0)
    rule = store.beforeCommit { [store, novel, ada] _ in
      rule?.cancel()
      calls += 1
      try store.delete(novel)
      try store.add(makeNovel(2, "instead"))
      tokens.append(ada.observe(\.name) { seen.append("\($0)>\($1)") })
      ada.name = "hook"
    }
    novel.pages = 1
    #expect(novel.isDeleted && shelf.novels.isEmpty && calls == 1)
    #expect(store.object(Novel.self, primaryKey: 2) != nil && seen == [">hook"])
    try store.undo()
    #expect(novel.pages == 400 && !novel.isDeleted && store.brokenInvariants() == [])
  }

  @Test func `values that a hook writes to another store stay there`() throws {
    let (other, page) = (Store(), Page())
    try other.add(page)
    let rule = store.beforeCommit { _ in
      page.number += 1
      throw Refusal()
    }
    #expect(throws: Refusal.self) { try store.write { novel.pages = 1 } }
    #expect(page.number == 1 && novel.pages == 400 && other.brokenInvariants() == [])
    rule.cancel()
  }

  @Test func `a hook that comes to rest where it began is asked no more`() throws {
    store.beforeCommit { [novel] _ in
      novel.name = "x"
      novel.name = "Emma"
    }
    try store.write { novel.pages = 2 }
    #expect(novel.pages == 2 && novel.name == "Emma")
  }

  @Test func `a draft's commit that a hook or a handler refuses leaves store and draft`() throws {
    let (draft, added) = (store.draft(of: ada), store.draft(Novel.self))
    draft.name = "Grace"
    draft.object.home?.city = "Paris"
    draft.object.phones.append(makePhone("3"))
    added.object.key = 9
    let (mine, new) = (draft.changes, added.changes)
    let rule = store.beforeCommit { _ in throw Refusal() }
    try expectNothing { try draft.commit() }
    try expectNothing { try added.commit() }
    rule.cancel()
    try store.write(undoable: false) { ada.name = "Eve" }
    try expectNothing { try draft.commit { _ in throw Refusal() } }
    #expect(draft.changes == mine && added.changes == new)
    try draft.commit { _ in .mine }
    #expect(ada.name == "Grace" && ada.home?.city == "Paris" && ada.phones.count == 3)
  }

  @Test func `a change set that is refused half-way changes nothing, and may be applied later`()
    throws
  {
    let replica = Store(store.snapshot())
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    try store.write { try changeALot() }
    token.cancel()
    let before = replica.snapshot()
    let rule = replica.beforeCommit { _ in throw Refusal() }
    #expect(throws: Refusal.self) { try replica.apply(all) }
    rule.cancel()
    replica.object(Novel.self, primaryKey: 1)?.pages = 7
    #expect(throws: ChangeConflictError.self) { try replica.apply(all) }
    try replica.undo()
    #expect(replica.snapshot() == before && replica.brokenInvariants() == [])
    #expect(try replica.apply(all).isClean && replica.snapshot() == store.snapshot())
  }

  @Test func `an upsert that is refused half-way changes nothing`() throws {
    let new = makePerson(1, city: "Rome", phones: ["7"])
    let rule = store.beforeCommit { _ in throw Refusal() }
    try expectNothing { try store.add(new, onConflict: .theirs) }
    rule.cancel()
    let foreign = Writer()
    try Store().add(foreign)
    new.phones[0].seller = foreign
    #expect(throws: StoreError.self) { try store.add(new, onConflict: .theirs) }
    #expect(ada.home?.city == "London" && new.store == nil && store.brokenInvariants() == [])
  }
}
