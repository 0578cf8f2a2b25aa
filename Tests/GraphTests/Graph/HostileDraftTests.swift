import Signals
import TestSupport
import Testing

/// Drafts whose objects are changed, deleted and drafted again behind their back.
@Suite struct `Drafts, used hard` {
  let store = Store()
  let ada = makePerson(1, city: "London", phones: ["1", "2"])
  let novel = makeNovel(1, "Emma", pages: 400)

  init() throws { try store.add([ada, novel] as [Object]) }

  @Test func `of two drafts of one object the second commits what does not clash`() throws {
    let (one, two) = (store.draft(of: novel), store.draft(of: novel))
    one.name = "one"
    one.pages = 1
    two.name = "two"
    two.genre = .poetry
    try one.commit()
    #expect(throws: StoreError.self) { try two.commit() }
    #expect(novel.name == "one" && novel.genre == .crime && two.isDirty(\.name))
    try two.commit { _ in .theirs }
    #expect(novel.name == "one" && novel.pages == 1 && novel.genre == .poetry)
    #expect(two.name == "one" && !two.isDirty && !one.isDirty)
  }

  @Test func `a draft outlives a deletion that is undone`() throws {
    let draft = store.draft(of: ada)
    draft.name = "Grace"
    draft.object.home?.city = "Paris"
    try store.delete(ada)
    #expect(throws: StoreError.draftOfDeleted(.init(ada))) { try draft.commit() }
    try store.undo()
    try draft.commit()
    #expect(ada.name == "Grace" && ada.home?.city == "Paris" && store.brokenInvariants() == [])
  }

  @Test func `a draft is discarded and edited after its object is gone`() throws {
    let draft = store.draft(of: ada)
    draft.name = "Grace"
    try store.delete(ada)
    draft.discard()
    #expect(!draft.isDirty && draft.name == "" && draft.object.home == nil)
    draft.object.home = Address()
    #expect(draft.isDirty && draft.changes.map(\.name) == ["home"])
    #expect(throws: StoreError.self) { try draft.commit() }
  }

  @Test func `what others wrote in a transaction that fails does not stay in the draft`() throws {
    let draft = store.draft(of: ada)
    draft.name = "Grace"
    let mine = draft.changes
    let home = ada.home
    try? store.write {
      ada.home?.city = "Rome"
      ada.phones.append(makePhone("3"))
      try draft.commit()
      #expect(draft.object.home?.city == "Rome" && draft.object.phones.count == 3)
      throw Refusal()
    }
    #expect(ada.name == "" && ada.home === home && ada.phones.count == 2)
    #expect(draft.changes == mine && draft.object.home?.city == "London")
    #expect(draft.object.phones.map(\.number) == ["1", "2"])
    try draft.commit()
    #expect(ada.name == "Grace" && ada.home?.city == "London" && ada.phones.count == 2)
  }

  @Test func `what is edited between the commit and the failure stays`() throws {
    let draft = store.draft(of: ada)
    draft.name = "Grace"
    try? store.write {
      try draft.commit()
      draft.name = "Eve"
      draft.object.home?.city = "Rome"
      throw Refusal()
    }
    #expect(draft.name == "Eve" && draft.object.home?.city == "Rome")
    #expect(draft.changes.map(\.name) == ["name", "home.city"])
    #expect(draft.changes[0].old as? String == "")
    try draft.commit()
    #expect(ada.name == "Eve" && ada.home?.city == "Rome")
  }

  @Test func `a draft without edits shows what is stored after a commit that is taken back`() throws
  {
    let draft = store.draft(of: novel)
    try? store.write {
      novel.pages = 7
      try draft.commit()
      #expect(draft.pages == 7)
      throw Refusal()
    }
    #expect(!draft.isDirty && draft.pages == 400)
  }

  @Test func `a draft committed twice in a transaction that fails is what it was at first`() throws
  {
    let draft = store.draft(of: novel)
    draft.name = "x"
    try? store.write {
      try draft.commit()
      draft.pages = 1
      try draft.commit()
      throw Refusal()
    }
    #expect(draft.changes.map(\.name) == ["name", "pages"] && novel.name == "Emma")
    try draft.commit()
    #expect(novel.name == "x" && novel.pages == 1)
  }

  @Test func `a draft in an effect commits with it`() throws {
    let draft = store.draft(of: novel)
    draft.name = "x"
    let trigger = Signal(0)
    let effect = Effect {
      if trigger.value == 1 { _ = try? draft.commit() }
    }
    trigger.value = 1
    #expect(novel.name == "x" && !draft.isDirty)
    store.onRefusal = { _ in }
    store.beforeCommit { _ in throw Refusal() }
    draft.name = "y"
    let second = Effect {
      if trigger.value == 2 { _ = try? draft.commit() }
    }
    trigger.value = 2
    #expect(novel.name == "x" && draft.changes.map(\.name) == ["name"])
    withExtendedLifetime((effect, second)) {}
  }

  @Test func `a member that the draft moved and others removed is a conflict of a list, alone`()
    throws
  {
    let novels = (10..<14).map { makeNovel($0) }
    let fresh = makeNovel(20)
    let shelf = makeShelf("s", novels)
    try store.write {
      try store.add(shelf); try store.add(fresh)
    }
    func check(
      _ mine: (inout List<Novel>) -> Void, _ theirs: (inout List<Novel>) -> Void,
      merged: [Int]?
    ) throws {
      try store.write { shelf.novels = List(novels) }
      let draft = store.draft(of: shelf)
      mine(&draft.object.novels)
      try store.write { theirs(&shelf.novels) }
      let present = shelf.novels
      guard let merged else {
        #expect(throws: StoreError.self) { try draft.commit() }
        #expect(shelf.novels == present)
        return
      }
      try draft.commit()
      #expect(shelf.novels.map(\.key) == merged)
    }
    try check(
      { $0.move(fromOffsets: [3], toOffset: 0) }, { $0.swapAt(2, 3) }, merged: [13, 10, 11, 12])
    try check({ $0.move(fromOffsets: [3], toOffset: 0) }, { $0.removeLast() }, merged: nil)
    try check(
      { $0.removeLast() }, { $0.move(fromOffsets: [3], toOffset: 0) }, merged: [10, 11, 12])
    try check({ $0.removeLast() }, { $0.removeLast() }, merged: [10, 11, 12])
    try check({ $0.removeFirst() }, { $0.removeLast() }, merged: [11, 12])
    try check(
      { $0.append(novels[0]) }, { $0.insert(novels[0], at: 2) }, merged: [10, 11, 10, 12, 13, 10])
    try check(
      { $0.append(fresh) }, { $0.insert(fresh, at: 1) }, merged: [10, 20, 11, 12, 13])
    try check({ $0 += [fresh, fresh] }, { $0.append(fresh) }, merged: [10, 11, 12, 13, 20, 20])
    try check(
      { $0.move(fromOffsets: [0], toOffset: 2) }, { $0.append(novels[2]) },
      merged: [11, 10, 12, 13, 12])
  }

  @Test func `a draft of a draft's object, or of an unstored one, is refused at the commit`() throws
  {
    let draft = store.draft(of: novel)
    let second = store.draft(of: draft.object)
    second.name = "x"
    #expect(throws: StoreError.self) { try second.commit() }
    let foreign = Store().draft(of: novel)
    foreign.name = "x"
    #expect(throws: StoreError.self) { try foreign.commit() }
    #expect(novel.name == "Emma" && !draft.isDirty)
  }
}
