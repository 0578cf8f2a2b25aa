import Signals
import SignalsTesting
import TestSupport
import Testing

/// One test for each theme that issues complained of, named as what holds here.
@Suite struct `What Realm's users complained of` {
  let store = Store()
  let emma = makeNovel(1, "Emma", pages: 400)
  let persuasion = makeNovel(2, "Persuasion", pages: 250)
  let ada = makePerson(1, city: "London", phones: ["1", "2"])
  let shelf: Shelf

  init() throws {
    let shelf = makeShelf("s", [emma, persuasion])
    self.shelf = shelf
    try store.write(undoable: false) { try store.add([shelf, ada] as [Object]) }
  }

  struct ShelfScreen: View {
    @ObservedObject var shelf: Shelf
    var body: Element {
      ForEach(shelf.novels) { Text($0.name) }
      Button("delete the first") {
        if let first = shelf.novels.first { try shelf.store?.delete(first) }
      }
    }
  }

  // MARK: - Objects that go

  @Test func `a deleted object can always be read, and is never an error`() throws {
    let binding = ObservedObject(wrappedValue: emma).projectedValue.name
    let name = Computed { emma.name }
    #expect(name.value == "Emma")
    try store.delete(emma)
    #expect(emma.name == "Emma" && emma.author == nil && emma.tags.isEmpty && emma.isDeleted)
    #expect(binding.wrappedValue == "Emma" && name.value == "Emma" && Array(emma.shelves) == [])
    binding.wrappedValue = "local"
    #expect(emma.name == "local" && store.object(Novel.self, primaryKey: 1) == nil)
    try store.undo()
    #expect(emma.name == "Emma" && shelf.novels.first === emma)
  }

  @Test func `deleting what is on screen, or is being walked, crashes nothing`() throws {
    let app = try TestHost(store) { ShelfScreen(shelf: shelf) }
    for novel in shelf.novels { if novel.pages > 300 { try store.delete(novel) } }
    #expect(app.text == "Persuasion\n[delete the first]")
    try app.tap("delete the first")
    try app.tap("delete the first")
    #expect(app.text == "[delete the first]" && store.results(Novel.self).isEmpty)
  }

  @Test func `what belongs together goes together, by the links' rules`() throws {
    emma.cover = Page()
    let cover = try #require(emma.cover)
    persuasion.lender = Writer()
    try store.delete(emma)
    #expect(cover.isDeleted && emma.cover == nil)
    #expect(throws: StoreError.self) { try store.delete(persuasion) }
    let home = try #require(ada.home)
    try store.delete(ada)
    #expect(home.isDeleted && !persuasion.isDeleted && store.brokenInvariants() == [])
  }

  // MARK: - Instances

  @Test func `an object is one instance, live everywhere: there is nothing to freeze or thaw`()
    throws
  {
    let first = try #require(store.results(Novel.self).first)
    #expect(first === emma && shelf.novels[0] === emma)
    #expect(store.object(Novel.self, primaryKey: 1) === emma && emma.shelves.first === shelf)
    #expect(store.results(Novel.self).where { $0.pages > 300 }.first === emma)
    first.pages = 1
    #expect(emma.pages == 1)
    let kept = store.snapshot()
    emma.pages = 2
    #expect(
      kept.objects(Novel.self).map(\.pages).sorted() == [1, 250], "this is what frozen means")
  }

  @Test func `bindings to elements and to what is linked write, in a transaction or out of one`()
    throws
  {
    let bound = ObservedObject(wrappedValue: ada).projectedValue
    let city = try #require(Binding(bound.home)).city
    let phones = ada.phones.map { ObservedObject(wrappedValue: $0).projectedValue.number }
    city.wrappedValue = "Paris"
    try store.write {
      city.wrappedValue = "Rome"
      phones[1].wrappedValue = "22"
    }
    #expect(ada.home?.city == "Rome" && ada.phones.map(\.number) == ["1", "22"])
    try store.undo()
    #expect(ada.home?.city == "Paris" && ada.phones[1].number == "2")
    let loose = makePerson(9)
    ObservedObject(wrappedValue: loose).projectedValue.name.wrappedValue = "plain"
    #expect(loose.name == "plain" && loose.store == nil)
  }

  @Test func `a binding made before its object was stored stays valid, as do copies`() throws {
    let loose = makeNovel(7, "loose")
    let (one, two) = (
      ObservedObject(wrappedValue: loose).projectedValue.label,
      ObservedObject(wrappedValue: loose).projectedValue.label
    )
    one.wrappedValue = "a"
    try store.add(loose)
    two.wrappedValue = "b"
    #expect(one.wrappedValue == "b (0)" && loose.name == "b" && store.canUndo)
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    one.wrappedValue = "b"
    #expect(commits == 0, "an equal value is not written")
    withExtendedLifetime(token) {}
  }

  // MARK: - Threads

  @Test func `what crosses threads is a value: ids, change sets, snapshots`() async throws {
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    emma.pages = 5
    let (id, change, snapshot) = (emma.objectID, all, store.snapshot())
    let pages = await Task.detached {
      let there = Store(snapshot)
      let copy = there.object(id) as? Novel
      _ = try? there.apply(change.inverted())
      return [change.changes(of: Novel.self)[0].new(\.pages), copy?.pages]
    }.value
    #expect(pages == [5, 400] && emma.pages == 5)
    withExtendedLifetime(token) {}
  }

  // MARK: - Stores

  @Test func `a store lives as long as it is held, without a file, a name or a default`() throws {
    weak var gone: Store?
    let page = Page()
    do {
      let other = Store()
      gone = other
      try other.add(page)
      #expect(other.results(Novel.self).isEmpty && store.results(Page.self).isEmpty)
    }
    #expect(gone == nil && page.isDeleted && page.number == 0)
  }

  @Test func `two stores in one screen stay apart`() throws {
    let other = Store()
    try other.add(makeNovel(1, "another Emma"))
    struct Both: View {
      @ObservedResults<Novel> var here: Results<Novel>
      @ObservedResults<Novel> var there: Results<Novel>
      init(_ other: Store) {
        _here = ObservedResults(Novel.self)
        _there = ObservedResults(Novel.self, in: other)
      }
      var body: Element { Text((here.map(\.name) + there.map(\.name)).joined(separator: ", ")) }
    }
    let app = try TestHost(store) { Both(other) }
    #expect(app.text == "Emma, Persuasion, another Emma")
    other.results(Novel.self).first?.name = "changed"
    #expect(app.text.hasSuffix("changed"))
  }

  // MARK: - Writes

  @Test func `a write in a write is a savepoint, and each returns what its closure does`() throws {
    let count = try store.write {
      emma.pages = 1
      try? store.write {
        emma.pages = 2
        throw Refusal()
      }
      return try store.write { emma.pages + 1 }
    }
    #expect(count == 2 && emma.pages == 1)
    try store.undo()
    #expect(emma.pages == 400 && !store.canUndo)
  }

  @Test func `an upsert touches what differs, deep, and nothing else`() throws {
    let new = makePerson(1, city: "London", phones: ["1", "3"])
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    #expect(try store.add(new, onConflict: .theirs) === ada)
    #expect(commits.map { $0.changes.map(\.id) } == [[ada.phones[1].objectID]])
    #expect(try store.add(makePerson(1, city: "Rome"), onConflict: .mine) === ada)
    #expect(throws: StoreError.self) { try store.add(makePerson(1)) }
    #expect(commits.count == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `deleting what is not here is an error that says so, and loses nothing`() throws {
    let page = Page()
    #expect(throws: StoreError.notInStore(.init(page))) { try store.delete(page) }
    let other = Store()
    try other.add(page)
    #expect(throws: StoreError.notInStore(.init(page))) { try store.delete(page) }
    try store.delete(emma)
    try store.delete(emma)
    #expect(store.brokenInvariants() == [])
  }

  // MARK: - Drafts

  @Test func `a copy to edit is deep, and is committed or dropped as a whole`() throws {
    let draft = store.draft(of: ada)
    draft.object.home?.geo?.latitude = 51.5
    draft.object.phones.removeFirst()
    #expect(ada.home?.geo?.latitude == 0 && ada.phones.count == 2)
    draft.discard()
    #expect(!draft.isDirty && draft.object.phones.count == 2)
    draft.object.home?.geo?.latitude = 52
    try draft.commit()
    #expect(ada.home?.geo?.latitude == 52 && ada.home?.city == "London")
  }
}
