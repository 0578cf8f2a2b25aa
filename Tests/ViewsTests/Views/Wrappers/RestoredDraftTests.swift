import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Drafts with a key: what was edited is there after a relaunch, as it was.
@Suite struct `Drafts, restored` {
  struct Form: View {
    @DraftObject private var scrum: Scrum

    init(_ scrum: Scrum) {
      _scrum = DraftObject(wrappedValue: scrum, restoredAs: "scrum-form")
    }

    var body: Element {
      Column {
        TextField("Title", text: $scrum.title)
        TextField("Minutes", value: $scrum.minutes)
        if let room = Binding($scrum.room) { TextField("Floor", value: room.floor) }
        Button("Room") { scrum.room = Room() }
        Button("Save") { try $scrum.commit() }.disabled(!$scrum.isDirty)
        Button("Cancel") { $scrum.discard() }
      }
    }
  }

  struct NewForm: View {
    @DraftObject(Scrum.self, restoredAs: "new-scrum") var scrum
    var body: Element {
      TextField("Title", text: $scrum.title)
      Button("Save") { try $scrum.commit() }
    }
  }

  private func scrum(_ store: Store) throws -> Scrum {
    try #require(store.object(Scrum.self, primaryKey: 1))
  }

  @Test func `what was typed, and what was refused, is there after a kill`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum) }
    try app.type("", into: "Title")
    try app.type("20", into: "Minutes")
    try app.type("-1", into: "Floor")
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    let next = try relaunched(store)
    let shown = try self.scrum(next)
    let restored = try TestHost(next) { Form(shown) }
    #expect(restored.text == app.text)
    #expect(restored.text.contains("! A scrum needs a title"))
    #expect(try restored.find("Floor").errors == ["Above the ground"])
    try restored.type("Weekly", into: "Title")
    try restored.type("2", into: "Floor")
    try restored.tap("Save")
    let saved = try self.scrum(next)
    #expect((saved.title, saved.minutes, saved.room?.floor) == ("Weekly", 20, 2))
    #expect(next.brokenInvariants() == [])
  }

  @Test func `of a new object it is there, and a refusal without a typed text`() throws {
    let store = Store()
    let app = try TestHost(store) { NewForm() }
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    let restored = try TestHost(try relaunched(store)) { NewForm() }
    #expect(restored.text == "Title: []\n! A scrum needs a title\n[Save]")
    try restored.type("First", into: "Title")
    let again = try TestHost(try relaunched(restored.host.store)) { NewForm() }
    #expect(again.text == "Title: [First]\n[Save]")
    try again.tap("Save")
    #expect(again.host.store.results(Scrum.self).map(\.title) == ["First"])
    // It goes on as a draft of what was added, also after a relaunch.
    try again.type("Second", into: "Title")
    let last = try TestHost(try relaunched(again.host.store)) { NewForm() }
    try last.tap("Save")
    #expect(last.host.store.results(Scrum.self).map(\.title) == ["Second"])
    #expect(try TestHost(try relaunched(last.host.store)) { NewForm() }.text == "Title: []\n[Save]")
  }

  struct SaveAndNext: View {
    struct Form: View {
      @DraftObject(Scrum.self, restoredAs: "next-scrum") var scrum
      let number: Int
      let didSave: () -> Void

      var body: Element {
        TextField("Title", text: $scrum.title)
        Button("Save") {
          scrum.id = number
          try $scrum.commit()
          didSave()
        }
      }
    }

    @State var number = 1
    var body: Element { Form(number: number, didSave: { number += 1 }).id(number) }
  }

  @Test func `a form that saves and begins again is one of the next new object`() throws {
    let store = Store()
    let app = try TestHost(store) { SaveAndNext() }
    try app.type("One", into: "Title")
    try app.tap("Save")
    #expect(app.text == "Title: []\n[Save]")
    try app.type("Two", into: "Title")
    #expect(try TestHost(try relaunched(store)) { SaveAndNext() }.text == "Title: [Two]\n[Save]")
    try app.tap("Save")
    #expect(store.results(Scrum.self).sorted(by: \.id).map(\.title) == ["One", "Two"])
    #expect(try TestHost(try relaunched(store)) { SaveAndNext() }.text == "Title: []\n[Save]")
  }

  @Test func `in the transaction of its commit the next one begins without what was edited`() throws
  {
    let store = Store()
    let first = store.draft(Scrum.self, restoredAs: "k")
    first.title = "One"
    let second = try store.write {
      try first.commit()
      return store.draft(Scrum.self, restoredAs: "k")
    }
    #expect(second !== first)
    #expect((second.title, second.isDirty, first.title) == ("", false, "One"))
  }

  @Test func `a draft of a new object has nothing of one that was edited under its key`() throws {
    let (store, scrum) = try Scrum.stored()
    do {
      let edited = store.draft(of: scrum, restoredAs: "k")
      edited.title = "Edited"
    }
    let new = store.draft(Scrum.self, restoredAs: "k")
    #expect((new.original, new.title) == (nil, ""))
    let next = try relaunched(store)
    let again = next.draft(Scrum.self, restoredAs: "k")
    #expect((again.original, again.title) == (nil, ""))
    // Nobody has edited the new one: what was kept still is.
    #expect(next.draft(of: try self.scrum(next), restoredAs: "k").title == "Edited")
  }

  @Test func `under one key the draft of each object that is in use is the answer`() throws {
    let (store, scrum) = try Scrum.stored()
    let other = Scrum()
    (other.id, other.title) = (2, "Weekly")
    try store.add(other)
    let first = store.draft(of: scrum, restoredAs: "k")
    first.title = "Edited"
    let second = store.draft(of: other, restoredAs: "k")
    #expect(store.draft(of: scrum, restoredAs: "k") === first)
    #expect(store.draft(of: other, restoredAs: "k") === second)
    second.title = "Kept"
    first.discard()
    let next = try relaunched(store)
    let kept = try #require(next.object(Scrum.self, primaryKey: 2))
    #expect(next.draft(of: kept, restoredAs: "k").title == "Kept")
  }

  @Test func `what another new object's draft does takes away nothing of the one that is edited`()
    throws
  {
    let store = Store()
    let first = store.draft(Scrum.self, restoredAs: "k")
    (first.object.id, first.title) = (1, "One")
    try first.commit()
    let second = store.draft(Scrum.self, restoredAs: "k")
    second.title = "Two"
    first.discard()
    #expect(try relaunched(store).draft(Scrum.self, restoredAs: "k").title == "Two")
  }

  @Test func `a new object that was committed and deleted is followed by the next`() throws {
    let store = Store()
    let first = store.draft(Scrum.self, restoredAs: "k")
    first.title = "One"
    let scrum = try first.commit()
    first.title = "Edited"
    try store.delete(scrum)
    let second = store.draft(Scrum.self, restoredAs: "k")
    second.title = "Two"
    try second.commit()
    #expect(store.results(Scrum.self).map(\.title) == ["Two"])
  }

  @Test func `a commit after the relaunch compares with what the draft was made from`() throws {
    let (store, scrum) = try Scrum.stored()
    let draft = store.draft(of: scrum, restoredAs: "k")
    draft.title = "Mine"
    draft.minutes = 30
    let between = try relaunched(store)
    try self.scrum(between).minutes = 40
    try self.scrum(between).tags = ["theirs"]
    let next = try relaunched(between)
    let restored = next.draft(of: try self.scrum(next), restoredAs: "k")
    #expect(restored.conflicts.map(\.property) == ["minutes"])
    #expect(restored.conflicts.map { $0.base as? Int } == [15])
    #expect(throws: StoreError.self) { try restored.commit() }
    try restored.commit { _ in .theirs }
    let saved = try self.scrum(next)
    #expect((saved.title, saved.minutes, saved.tags) == ("Mine", 40, ["theirs"]))
  }

  @Test func `it shows what it showed: later changes of others are not in it`() throws {
    let (store, scrum) = try Scrum.stored()
    let draft = store.draft(of: scrum, restoredAs: "k")
    draft.title = "Mine"
    scrum.minutes = 40
    #expect(draft.minutes == 15)
    let next = try relaunched(store)
    let restored = next.draft(of: try self.scrum(next), restoredAs: "k")
    #expect(restored.minutes == 15 && restored.changes == draft.changes)
    try restored.commit()
    #expect(try self.scrum(next).minutes == 40)
  }

  @Test func `a commit or a discard ends what is kept, and the end of the view does not`() throws {
    let (store, scrum) = try Scrum.stored()
    let isShown = Signal(true)
    let app = try TestHost(store) { if isShown.value { Form(scrum) } }
    func restored() throws -> String {
      let next = try relaunched(store)
      let shown = try self.scrum(next)
      return try TestHost(next) { Form(shown) }.text
    }
    try app.type("Weekly", into: "Title")
    isShown.value = false
    isShown.value = true
    #expect(app.text.contains("Title: [Weekly]"))
    #expect(try restored().contains("Title: [Weekly]"))
    try app.tap("Cancel")
    #expect(try restored().contains("Title: [Daily]"))
    try app.type("Weekly", into: "Title")
    try app.tap("Save")
    scrum.title = "Other"
    #expect(try restored().contains("Title: [Other]"))
  }

  @Test func `two views edit one draft, and two objects have two`() throws {
    let (store, scrum) = try Scrum.stored()
    let other = Scrum()
    (other.id, other.title) = (2, "Other")
    try store.add(other)
    let (one, two) = try (TestHost(store) { Form(scrum) }, TestHost(store) { Form(scrum) })
    let three = try TestHost(store) { Form(other) }
    try one.type("Weekly", into: "Title")
    #expect(two.text.contains("Title: [Weekly]") && three.text.contains("Title: [Other]"))
    let kept = store.snapshot()
    #expect(try TestHost(Store(kept)) { Form(other) }.text.contains("Other"))
    // Showing the other one costs the first nothing, editing it does.
    let next = try relaunched(store)
    #expect(next.draft(of: try self.scrum(next), restoredAs: "scrum-form").title == "Weekly")
    try three.type("Else", into: "Title")
    let last = try relaunched(store)
    #expect(last.draft(of: try self.scrum(last), restoredAs: "scrum-form").title == "Daily")
    #expect(one.text.contains("Title: [Weekly]"))
  }

  @Test func `what it embeds and links to comes back, new, moved, changed or removed`() throws {
    let store = Store()
    let person = makePerson(1, city: "London", phones: ["1", "2", "3"])
    let seller = Writer()
    seller.name = "Ann"
    try store.add([person, seller])
    let draft = store.draft(of: person, restoredAs: "k")
    draft.object.home?.city = "Paris"
    draft.object.home?.geo?.latitude = 48
    draft.object.phones[1].number = "two"
    draft.object.phones[1].seller = seller
    draft.object.phones.remove(at: 0)
    draft.object.phones.swapAt(0, 1)
    draft.object.phones.append(makePhone("4"))
    let author = Writer()
    author.name = "New"
    draft.object.phones[2].seller = author
    let next = try relaunched(store)
    let stored = try #require(next.object(Person.self, primaryKey: 1))
    let restored = next.draft(of: stored, restoredAs: "k")
    #expect(restored.changes.map(\.name) == draft.changes.map(\.name))
    #expect(restored.object.phones.map(\.number) == ["3", "two", "4"])
    let ids = stored.phones.map(\.objectID)
    try restored.commit()
    #expect(stored.phones.map(\.number) == ["3", "two", "4"])
    #expect(stored.phones.prefix(2).map(\.objectID) == [ids[2], ids[1]])
    #expect(stored.phones.map { $0.seller?.name } == [nil, "Ann", "New"])
    #expect((stored.home?.city, stored.home?.geo?.latitude) == ("Paris", 48))
    #expect(next.results(Writer.self).count == 2 && next.brokenInvariants() == [])
  }

  @Test func `an embedded object that has gone is a conflict, if it was edited`() throws {
    let store = Store()
    let person = makePerson(1, phones: ["1", "2"])
    try store.add(person)
    let draft = store.draft(of: person, restoredAs: "k")
    draft.object.phones[0].number = "one"
    let between = try relaunched(store)
    try #require(between.object(Person.self, primaryKey: 1)).phones.removeAll()
    let next = try relaunched(between)
    let stored = try #require(next.object(Person.self, primaryKey: 1))
    let restored = next.draft(of: stored, restoredAs: "k")
    #expect(restored.conflicts.map(\.property) == ["phones"])
    #expect(throws: StoreError.self) { try restored.commit() }
    try restored.commit { _ in .mine }
    #expect(stored.phones.map(\.number) == ["one", "2"] && next.brokenInvariants() == [])
  }

  @Test func `where its object has gone, a new draft begins`() throws {
    let (store, scrum) = try Scrum.stored()
    let kept = store.draft(of: scrum, restoredAs: "k")
    kept.title = "Mine"
    try store.delete(scrum)
    #expect(throws: StoreError.draftOfDeleted(.init(scrum))) { try kept.commit() }
    let next = try relaunched(store)
    #expect(next.draft(Scrum.self, restoredAs: "k").title == "")
    let again = Scrum()
    again.id = 1
    try next.add(again)
    #expect(next.draft(of: again, restoredAs: "k").title == "")
  }

  @Test func `keeping it is a commit of its own, which no undo takes back`() throws {
    let store = Store(undoLimit: 10)
    var origins: [Origin?] = []
    let token = store.commits.sink { origins.append($0.origin) }
    let draft = store.draft(Scrum.self, restoredAs: "k")
    #expect(origins == [])
    draft.title = "x"
    #expect(origins == [.restored] && !store.canUndo)
    try draft.commit()
    #expect(origins == [.restored, nil, .restored])
    try store.undo()
    #expect(draft.title == "x")
    token.cancel()
  }

  @Test func `a log of a form is done again on other ids`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum) }
    app.intentLog = IntentLog(start: store.snapshot())
    try app.tap("Room")
    try app.type("7", into: "Floor")
    try app.tap("Save")
    let log = try #require(app.intentLog)
    let next = Store(try #require(log.start))
    let shown = try self.scrum(next)
    let again = try TestHost(next) { Form(shown) }
    try again.replay(log)
    #expect(again.text == app.text)
  }

  @Test func `nothing outlives the draft`() throws {
    final class Probe { weak var object: Object? }
    let (store, _) = try Scrum.stored()
    let probes = [Probe(), Probe()]
    func edit(_ store: Store, _ probe: Probe) throws {
      let draft = store.draft(of: try self.scrum(store), restoredAs: "k")
      draft.title += "x"
      if draft.room == nil { draft.object.room = Room() }
      draft.object.room?.floor += 1
      probe.object = draft.room
    }
    try edit(store, probes[0])
    let next = try relaunched(store)
    try edit(next, probes[1])
    #expect(probes.allSatisfy { $0.object == nil })
    #expect(next.draft(of: try self.scrum(next), restoredAs: "k").title == "Dailyxx")
  }

  @Test func `a private class is a trap that names it`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Store().draft(Hidden.self, restoredAs: "k")
    }
    expectError(
      result,
      "a draft of Hidden is kept as \"k\": no other process finds a private type; make it internal")
  }
}

private final class Hidden: Object {
  @Field var text = ""
}
