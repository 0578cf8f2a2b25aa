import Signals
import TestSupport
import Testing

/// `Validating`, `InvalidDraftError`, and drafts that can't be committed.
@Suite struct `Drafts, validation` {
  @Test func `an object says what is wrong with it, in its own order, with the values`() {
    let scrum = Scrum()
    scrum.minutes = 90
    #expect(
      scrum.errors.map(\.description) == [
        #"title is "": A scrum needs a title"#, "minutes is 90: Between 5 and 60 minutes",
      ])
    #expect(scrum.errors.allSatisfy { $0.id == scrum.objectID })
    (scrum.title, scrum.minutes, scrum.tags) = ("x", 5, ["a", "b", "c"])
    #expect(scrum.errors.map(\.description) == ["Too many tags"])
  }

  @Test func `a draft that is not valid is not committed, and says why`() throws {
    let (store, scrum) = try Scrum.stored()
    let draft = store.draft(of: scrum)
    (draft.title, draft.minutes) = ("", 3)
    let error = #expect(throws: InvalidDraftError.self) { try draft.commit() }
    #expect(error?.subject == StoreError.Subject(scrum))
    #expect(error?.errors.map(\.property) == ["title", "minutes"])
    let words = try #require(error?.description)
    #expect(
      words == #"Scrum(id: 1) is not valid: title is "": A scrum needs a title; "#
        + "minutes is 3: Between 5 and 60 minutes")
    #expect((scrum.title, scrum.minutes, draft.title) == ("Daily", 15, ""))
    (draft.title, draft.minutes) = ("Weekly", 30)
    try draft.commit()
    #expect((scrum.title, scrum.minutes) == ("Weekly", 30))
  }

  @Test func `what a draft embeds is validated with it, and named by its path`() throws {
    let (store, scrum) = try Scrum.stored()
    let draft = store.draft(of: scrum)
    draft.room?.floor = -1
    #expect(draft.errors.map(\.property) == ["room.floor"])
    #expect(draft.errors.map(\.id) == [scrum.room?.objectID])
    draft.room?.floor = 13
    #expect(draft.errors.map(\.description) == ["room is Room: Nobody wants this room"])
    #expect(throws: InvalidDraftError.self) { try draft.commit() }
  }

  @Test func `a newly embedded object is validated too`() throws {
    let store = Store()
    let draft = store.draft(Scrum.self)
    draft.title = "Daily"
    let room = Room()
    room.floor = -1
    draft.room = room
    #expect(draft.errors.map(\.property) == ["room.floor"])
    #expect(draft.errors.map(\.id) == [room.objectID])
    #expect(throws: InvalidDraftError.self) { try draft.commit() }
    room.floor = 1
    #expect(draft.isValid)
    #expect(try draft.commit().room?.floor == 1)
  }

  @Test func `errors are live, and each property has its own`() throws {
    let (store, scrum) = try Scrum.stored()
    let draft = store.draft(of: scrum)
    var seen: [[String]] = []
    let effect = Effect { seen.append(draft.errors(at: \.title).map(\.message)) }
    draft.minutes = 1
    draft.title = ""
    draft.title = "x"
    #expect(seen.filter { !$0.isEmpty } == [["A scrum needs a title"]])
    #expect(seen.last == [])
    #expect((draft.isValid, draft.errors(at: \.minutes).count) == (false, 1))
    effect.cancel()
  }

  @Test func `a new object's field is scolded once it was touched, or a commit was refused`() throws
  {
    let store = Store()
    let draft = store.draft(Scrum.self)
    #expect(draft.errors(at: \.title).count == 1)
    #expect(draft.shownErrors(at: \.title) == [])
    draft.title = "x"
    draft.title = ""
    #expect(draft.shownErrors(at: \.title) == [])
    draft.minutes = 99
    #expect(draft.shownErrors(at: \.minutes).count == 1)
    #expect(throws: InvalidDraftError.self) { try draft.commit() }
    #expect(draft.shownErrors(at: \.title).count == 1)
    #expect(store.results(Scrum.self).isEmpty)
    draft.discard()
    #expect(draft.shownErrors(at: \.title) == [])
    draft.title = "Daily"
    let scrum = try draft.commit()
    #expect(scrum.title == "Daily")
  }

  @Test func `a store refuses invalid objects from everywhere if its hook asks them`() throws {
    let (store, scrum) = try Scrum.stored()
    store.beforeCommit { [unowned store] _ in
      for scrum in store.results(Scrum.self) {
        if let error = scrum.errors.first { throw error }
      }
    }
    let error = #expect(throws: FieldError.self) { try store.write { scrum.minutes = 1 } }
    #expect(error?.property == "minutes")
    #expect(scrum.minutes == 15)
  }
}
