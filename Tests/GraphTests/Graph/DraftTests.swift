import Signals
import TestSupport
import Testing

/// Editing a copy, and committing what changed.
@Suite struct `Graph, drafts` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let ada = makePerson(1, city: "London", phones: ["1", "2", "3"])

  init() throws { try store.add([novel, ada] as [Object]) }

  @Test func `a draft edits a copy, and knows what was changed, live`() throws {
    let draft = store.draft(of: novel)
    var (dirty, titles, changes) = ([Bool](), [Bool](), [[String]]())
    let (isDirty, isNameDirty) = (Computed { draft.isDirty }, Computed { draft.isDirty(\.name) })
    let effects = [
      Effect { dirty.append(isDirty.value) }, Effect { titles.append(isNameDirty.value) },
      Effect { changes.append(draft.changes.map(\.name)) },
    ]
    draft.name = "Persuasion"
    draft.object.pages = 3
    #expect(novel.name == "Emma" && draft.object !== novel && draft.object.store == nil)
    #expect(draft.isDirty(\.label) && !draft.isDirty(\.price) && draft.original === novel)
    #expect(
      draft.changes[0].old as? String == "Emma" && draft.changes[0].new as? String == "Persuasion")
    draft.name = "Emma"
    draft.pages = 400
    #expect(dirty == [false, true, false] && titles == [false, true, false])
    #expect(changes == [[], ["name"], ["name", "pages"], ["pages"], []])
    withExtendedLifetime(effects) {}
  }

  @Test func `a commit is one change of the store and of the draft`() throws {
    let draft = store.draft(of: novel), added = store.draft(Novel.self)
    added.object.key = 77
    let novels = store.results(Novel.self)
    var (seen, counts) = ([String](), [String]())
    let effects = [
      Effect { seen.append("\(novel.pages) \(draft.isDirty)") },
      Effect { counts.append("\(novels.count) \(added.original != nil)") },
    ]
    draft.pages = 1
    try draft.commit()
    try added.commit()
    #expect(seen == ["400 false", "400 true", "1 false"])
    #expect(counts == ["1 false", "2 true"])
    withExtendedLifetime(effects) {}
  }

  @Test func `an effect that saves a new object as soon as it has a name adds it once`() throws {
    let draft = store.draft(Novel.self)
    draft.object.key = 77
    var saved: [String] = []
    let saving = Effect {
      if !draft.name.isEmpty, draft.isDirty { saved.append(try! draft.commit().name) }
    }
    draft.name = "Emma"
    #expect(saved == ["Emma"] && store.results(Novel.self).count == 2)
    withExtendedLifetime(saving) {}
  }

  @Test func `an observer of a commit may edit the draft`() throws {
    let draft = store.draft(of: novel)
    let following = Effect { if novel.pages == 1 { untracked { draft.name += "!" } } }
    draft.pages = 1
    try draft.commit()
    #expect(draft.name == "Emma!" && draft.changes.map(\.name) == ["name"] && novel.name == "Emma")
    withExtendedLifetime(following) {}
  }

  @Test func `a commit throws the endless chain that it has set off`() throws {
    let other = makeNovel(2, "Persuasion", pages: 1)
    try store.add(other)
    let chain = [
      novel.observe(\.pages) { _, new in other.pages = new + 1 },
      other.observe(\.pages) { _, new in novel.pages = new + 1 },
    ]
    let draft = store.draft(of: novel)
    draft.pages = 1
    #expect(throws: EndlessChainError.self) { try draft.commit() }
    #expect(!draft.isDirty && draft.pages >= 1)
    for token in chain { token.cancel() }
  }

  @Test func `a commit in a transaction that fails leaves the draft with its changes`() throws {
    struct Stop: Error {}
    let draft = store.draft(of: novel), person = store.draft(of: ada)
    let added = store.draft(Novel.self)
    var dirty: [Bool] = []
    let isDirty = Computed { draft.isDirty }
    let effect = Effect { dirty.append(isDirty.value) }
    draft.name = "Persuasion"
    person.object.home?.city = "Paris"
    added.object.key = 77
    #expect(throws: Stop.self) {
      try store.write {
        try draft.commit()
        try person.commit()
        try added.commit()
        #expect(!draft.isDirty && !person.isDirty && novel.name == "Persuasion")
        throw Stop()
      }
    }
    #expect(draft.isDirty && person.isDirty && novel.name == "Emma" && draft.name == "Persuasion")
    #expect(ada.home?.city == "London" && draft.changes.map(\.name) == ["name"])
    #expect(dirty == [false, true])
    try draft.commit()
    try person.commit()
    let stored = try added.commit()
    #expect(novel.name == "Persuasion" && ada.home?.city == "Paris" && stored.store === store)
    #expect(!draft.isDirty && dirty == [false, true, false])
    withExtendedLifetime(effect) {}
  }

  @Test func `a commit writes only what changed, as one transaction that can be undone`() throws {
    let draft = store.draft(of: novel)
    draft.name = "Persuasion"
    draft.tags.append("x")
    var commits: [String] = []
    let token = store.commits.sink {
      commits.append($0.changes.flatMap { $0.properties.map(\.name) }.joined(separator: " "))
    }
    #expect(try draft.commit() === novel)
    #expect(commits == ["name tags"] && novel.name == "Persuasion" && !draft.isDirty)
    try draft.commit()
    #expect(commits.count == 1)
    draft.pages = 7
    try draft.commit()
    #expect(novel.pages == 7 && commits.count == 2)
    try store.undo()
    try store.undo()
    #expect(novel.name == "Emma" && novel.tags == [] && novel.pages == 400)
    withExtendedLifetime(token) {}
  }

  @Test func `changes of others stay, and show after a commit or discard`() throws {
    let draft = store.draft(of: novel)
    draft.name = "Persuasion"
    novel.pages = 1
    #expect(draft.pages == 400)
    try draft.commit()
    #expect(novel.name == "Persuasion" && novel.pages == 1 && draft.pages == 1)
    draft.name = "x"
    novel.price = 3
    draft.discard()
    #expect(draft.name == "Persuasion" && draft.price == 3 && !draft.isDirty)
    #expect(novel.name == "Persuasion")
  }

  @Test func `a conflict throws, naming object, property and values, and loses nothing`() throws {
    let draft = store.draft(of: novel)
    draft.name = "mine"
    draft.pages = 1
    novel.name = "theirs"
    let error = #expect(throws: StoreError.self) { try draft.commit() }
    #expect(
      error?.description
        == "Novel(key: 1).name is \"mine\" in the draft, and became \"theirs\" meanwhile"
    )
    #expect(novel.name == "theirs" && novel.pages == 400 && draft.name == "mine" && draft.isDirty)
  }

  @Test func `a conflict handler decides: mine or theirs`() throws {
    let draft = store.draft(of: novel)
    draft.name = "mine"
    draft.pages = 1
    (novel.name, novel.pages) = ("theirs", 2)
    var seen: [String] = []
    try draft.commit { conflict in
      seen.append("\(conflict.property) \(conflict.base!) \(conflict.mine!) \(conflict.theirs!)")
      return conflict.property == "name" ? .mine : .theirs
    }
    #expect(seen == ["name Emma mine theirs", "pages 400 1 2"])
    #expect(novel.name == "mine" && novel.pages == 2 && draft.pages == 2)
    draft.name = "a"
    novel.name = "b"
    #expect(throws: Refusal.self) { try draft.commit { _ in throw Refusal() } }
    novel.name = "a"
    try draft.commit()
    #expect(novel.name == "a")
  }

  @Test func `what the object embeds is copied with it, and written where it belongs`() throws {
    let draft = store.draft(of: ada)
    let (home, phones) = (try #require(ada.home), Array(ada.phones))
    draft.home?.city = "Paris"
    draft.home?.geo?.latitude = 48
    draft.phones[1].number = "two"
    #expect(home.city == "London" && draft.isDirty(\.home?.city) && draft.isDirty(\.home))
    #expect(draft.isDirty(\.phones) && !draft.isDirty(\.name) && !draft.isDirty(\.phones.count))
    #expect(draft.changes.map(\.name) == ["home.city", "phones[1].number", "home.geo.latitude"])
    try draft.commit()
    #expect(ada.home === home && home.city == "Paris" && home.geo?.latitude == 48)
    #expect(Array(ada.phones) == phones && phones[1].number == "two" && !draft.isDirty)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `embedded objects are added, removed and moved by a draft`() throws {
    let draft = store.draft(of: ada)
    let phones = Array(ada.phones)
    let first = draft.phones[0]
    draft.phones.remove(at: 0)
    draft.phones.append(makePhone("4"))
    draft.phones.append(first)
    draft.phones.remove(at: 0)
    #expect(phones.allSatisfy { !$0.isDeleted })
    try draft.commit()
    #expect(ada.phones.map(\.number) == ["3", "4", "1"] && ada.phones[2] === phones[0])
    #expect(phones[1].isDeleted && draft.phones.map(\.number) == ["3", "4", "1"])
    #expect(draft.phones[1].store == nil && store.brokenInvariants() == [])
    draft.home = nil
    try draft.commit()
    #expect(ada.home == nil && store.results(Address.self).isEmpty)
    try store.undo()
    try store.undo()
    #expect(Array(ada.phones) == phones && ada.home != nil && store.brokenInvariants() == [])
  }

  @Test func `a draft moves embedded objects between their owners, with what they embed`() throws {
    let machine = Machine()
    let (a, b) = (Part(), Part())
    (a.name, b.name) = ("a", "b")
    machine.part = a
    a.part = b
    try store.add(machine)
    let draft = store.draft(of: machine)
    let wrap = Part()
    wrap.name = "wrap"
    wrap.part = draft.part
    draft.part = wrap
    try draft.commit()
    #expect(machine.part?.name == "wrap" && machine.part?.part === a && a.part === b)
    #expect(draft.part?.part?.part?.name == "b" && store.brokenInvariants() == [])
    draft.parts = [try #require(draft.part?.part)]
    draft.part = nil
    try draft.commit()
    #expect(Array(machine.parts) == [a] && store.results(Part.self).map(\.name) == ["a", "b"])
    #expect(store.brokenInvariants() == [])
  }

  @Test func `edits of a list are both kept, in different places and at the same`() throws {
    let novels = (2...7).map { makeNovel($0) }
    let shelf = makeShelf("s", Array(novels.prefix(4)))
    try store.add([shelf] as [Object])
    let draft = store.draft(of: shelf)
    draft.novels.remove(at: 0)
    draft.novels.append(novels[4])
    shelf.novels.remove(at: 2)
    shelf.novels.append(novels[5])
    try draft.commit()
    #expect(shelf.novels.map(\.key) == [3, 5, 7, 6])
    draft.novels[0] = novels[0]
    shelf.novels[0] = novel
    try draft.commit()
    #expect(shelf.novels.map(\.key) == [2, 1, 5, 7, 6])
    draft.novels.remove(at: 1)
    shelf.novels.remove(at: 1)
    try draft.commit()
    #expect(shelf.novels.map(\.key) == [2, 5, 7, 6] && store.brokenInvariants() == [])
  }

  @Test func `links lead to stored objects, and new ones are added`() throws {
    let (jane, anna) = (Writer(), Writer())
    novel.author = jane
    let draft = store.draft(of: novel)
    #expect(draft.author === jane)
    draft.author = anna
    #expect(draft.isDirty(\.author) && anna.store == nil)
    try draft.commit()
    #expect(novel.author === anna && anna.store === store && Array(anna.novels) == [novel])
    jane.name = "x"
    #expect(!draft.isDirty)
  }

  @Test func `changes in an embedded object that is gone are a conflict of its owner`() throws {
    let draft = store.draft(of: ada)
    draft.home?.city = "Paris"
    ada.home = nil
    var seen: [String] = []
    #expect(throws: StoreError.self) {
      try draft.commit { conflict in
        seen.append(conflict.property)
        return .fail
      }
    }
    #expect(seen == ["home"] && ada.home == nil)
    try draft.commit { _ in .mine }
    #expect(ada.home?.city == "Paris" && ada.home?.geo != nil && draft.home !== ada.home)
    draft.home?.city = "Rome"
    ada.home = nil
    try draft.commit { _ in .theirs }
    #expect(ada.home == nil && draft.home == nil && store.brokenInvariants() == [])
  }

  @Test func `what is unchanged goes with what is gone`() throws {
    let draft = store.draft(of: ada)
    draft.name = "Ada"
    draft.phones[2].number = "three"
    ada.home = nil
    ada.phones.remove(at: 0)
    try draft.commit()
    #expect(ada.name == "Ada" && ada.home == nil && ada.phones.map(\.number) == ["2", "three"])
    #expect(draft.home == nil && draft.phones.count == 2)
  }

  @Test func `the draft of a deleted object can't be committed, and its edits stay`() throws {
    let draft = store.draft(of: novel)
    draft.name = "x"
    try store.delete(novel)
    #expect(throws: StoreError.draftOfDeleted(.init(novel))) { try draft.commit() }
    #expect(draft.name == "x")
    try store.undo()
    try draft.commit()
    #expect(novel.name == "x")
    let loose = store.draft(of: Page())
    loose.number = 3
    #expect(throws: StoreError.self) { try loose.commit() }
  }

  @Test func `a draft of a new object adds it when it is committed`() throws {
    let draft = store.draft(Person.self)
    #expect(!draft.isDirty && draft.original == nil)
    draft.id = 1
    draft.name = "Bob"
    draft.home = Address()
    draft.home?.city = "Oslo"
    #expect(draft.changes.map(\.name) == ["id", "name", "home"])
    #expect(throws: StoreError.self) { try draft.commit() }
    #expect(draft.object.store == nil && store.results(Person.self).count == 1)
    draft.id = 2
    let bob = try draft.commit()
    #expect(bob.store === store && bob.home?.city == "Oslo" && draft.original === bob)
    #expect(bob !== draft.object && draft.home !== bob.home && !draft.isDirty)
    draft.home?.city = "Rome"
    try draft.commit()
    #expect(bob.home?.city == "Rome" && store.brokenInvariants() == [])
    let other = store.draft(Person.self)
    other.name = "x"
    other.phones = [makePhone("1")]
    other.discard()
    #expect(other.name == "" && other.phones.isEmpty && !other.isDirty)
  }

  @Test func `a primary key can't be changed by a draft of a stored object`() {
    let draft = store.draft(of: novel)
    draft.key = 5
    #expect(throws: StoreError.primaryKeyIsFixed(.init(novel, property: "key"), key: "5")) {
      try draft.commit()
    }
    #expect(novel.key == 1)
  }

  @Test func `a commit that is refused leaves draft and store unchanged`() throws {
    let rule = store.beforeCommit { _ in throw Refusal() }
    let draft = store.draft(of: ada)
    draft.name = "x"
    draft.phones.append(makePhone("9"))
    #expect(throws: Refusal.self) { try draft.commit() }
    #expect(ada.name == "" && ada.phones.count == 3 && draft.changes.count == 2)
    rule.cancel()
    try draft.commit()
    #expect(ada.phones.map(\.number) == ["1", "2", "3", "9"] && store.brokenInvariants() == [])
  }

  @Test func `bindings to a draft edit the copy`() throws {
    let draft = store.draft(of: ada)
    let title = draft.bindings.name
    title.wrappedValue = "Ada"
    let observed = ObservedObject(wrappedValue: draft)
    #expect(observed.projectedValue.name.wrappedValue == "Ada")
    observed.projectedValue.name.wrappedValue = "Grace"
    Binding(draft.bindings.home)?.city.wrappedValue = "Paris"
    #expect(draft.name == "Grace" && ada.name == "" && ada.home?.city == "London")
    try draft.commit()
    #expect(ada.name == "Grace" && ada.home?.city == "Paris" && title.wrappedValue == "Grace")
  }

  @Test func `a draft that is released leaves nothing behind`() throws {
    weak var copy: Knot?
    weak var draftStore: Store?
    do {
      let store = Store()
      draftStore = store
      let knot = Knot()
      knot.itself = knot
      knot.tie = Tie()
      knot.tie?.knot = knot
      try store.add(knot)
      let draft = store.draft(of: knot)
      #expect(draft.itself === draft.object && draft.tie?.knot === draft.object)
      #expect(!draft.isDirty && !draft.isDirty(\.itself))
      copy = draft.object
      draft.count = 1
      try draft.commit()
      let new = store.draft(Knot.self)
      new.itself = new.object
      new.tie = Tie()
      new.tie?.knot = new.object
      store.beforeCommit { _ in throw Refusal() }
      #expect(throws: Refusal.self) { try new.commit() }
      #expect(knot.count == 1 && knot.itself === knot && knot.tie?.knot === knot)
    }
    #expect(copy == nil && draftStore == nil)
  }
}

private final class Knot: Object {
  @Field var count = 0
  @Link var itself: Knot?
  @Link var tie: Tie?
}

private final class Tie: EmbeddedObject {
  @Link var knot: Knot?
}
