import Signals
import TestSupport
import Testing

/// What others write while a draft is edited, and what it makes of the draft's validity.
@Suite struct `Drafts, valid with what others have written` {
  final class Shelf: Object { @Field var name = "" }

  final class Slot: EmbeddedObject, Validating {
    @Link var shelf: Shelf?

    func validate(_ check: inout Validation) {
      check.require(shelf != nil, at: \Slot.shelf, "Choose a shelf")
    }
  }

  final class Item: Object, Validating {
    @PrimaryKey var id = 0
    @Field var title = ""
    @Field var lowest = 0
    @Field var highest = 10
    @Link var shelf: Shelf?
    @Links var slots: List<Slot>

    func validate(_ check: inout Validation) {
      check.require(shelf != nil, at: \Item.shelf, "Choose a shelf")
      check.require(!slots.isEmpty, at: \Item.slots, "Nowhere")
      check.require(lowest <= highest, at: \Item.lowest, "Above the highest")
    }
  }

  private let store = Store()
  private let shelf = Shelf()
  private let other = Shelf()
  private let item = Item()

  init() throws {
    (shelf.name, other.name) = ("a", "b")
    let slot = Slot()
    (item.shelf, slot.shelf) = (shelf, other)
    item.slots.append(slot)
    try store.add(item)
  }

  @Test(arguments: [false, true])
  func `a commit that is rolled back leaves the draft its edits, whether or not it wrote anything`(
    writes: Bool
  ) throws {
    struct Refused: Error {}
    let draft = store.draft(of: item)
    draft.title = "mine"
    item.title = "theirs"
    #expect(throws: Refused.self) {
      try store.write {
        if writes { shelf.name = "written" }
        try draft.commit { _ in .theirs }
        throw Refused()
      }
    }
    #expect(draft.title == "mine" && draft.isDirty)
    // A part of a transaction may be rolled back, too.
    try store.write {
      #expect(throws: Refused.self) {
        try store.write {
          try draft.commit { _ in .theirs }
          throw Refused()
        }
      }
      #expect(draft.title == "mine")
      try draft.commit { _ in .theirs }
    }
    #expect(draft.title == "theirs" && !draft.isDirty)
  }

  @Test func `a required link that the draft has not changed is an error when its target goes`()
    throws
  {
    let draft = store.draft(of: item)
    draft.title = "oat"
    var seen: [[String]] = []
    let effect = Effect { seen.append(draft.errors.map(\.description)) }
    try store.delete(shelf)
    #expect(seen == [[], ["shelf is nil: Choose a shelf"]])
    #expect(draft.shownErrors(at: \.shelf).map(\.message) == ["Choose a shelf"])
    #expect(throws: InvalidDraftError.self) { try draft.commit() }
    #expect(item.title == "")
    draft.shelf = other
    #expect(draft.errors == [])
    try draft.commit()
    #expect((item.title, item.shelf) == ("oat", other))
    effect.cancel()
  }

  @Test func `so is one of an embedded object`() throws {
    let draft = store.draft(of: item)
    draft.title = "oat"
    try store.delete(other)
    #expect(draft.errors.map(\.property) == ["slots[0].shelf"])
    #expect(throws: InvalidDraftError.self) { try draft.commit() }
    draft.slots[0].shelf = shelf
    try draft.commit()
    #expect(item.slots[0].shelf === shelf)
  }

  @Test func `a list that others have emptied is an error unless the draft has changed it`() throws
  {
    let draft = store.draft(of: item)
    draft.title = "oat"
    item.slots.removeAll()
    #expect(draft.errors.map(\.description) == ["slots is []: Nowhere"])
    #expect(throws: InvalidDraftError.self) { try draft.commit() }
    let slot = Slot()
    slot.shelf = shelf
    draft.slots.append(slot)
    #expect(draft.errors == [])
  }

  @Test func `what both have written must be valid together, or nothing is committed`() throws {
    let draft = store.draft(of: item)
    draft.lowest = 8
    item.highest = 5
    let error = #expect(throws: InvalidDraftError.self) { try draft.commit() }
    #expect(error?.errors.map(\.description) == ["lowest is 8: Above the highest"])
    #expect((item.lowest, draft.lowest, draft.isDirty) == (0, 8, true))
    draft.lowest = 4
    try draft.commit()
    #expect((item.lowest, item.highest) == (4, 5))
  }

  @Test func `what others have made wrong and then right is no error`() throws {
    let draft = store.draft(of: item)
    draft.title = "oat"
    item.lowest = 20
    #expect(draft.errors.map(\.property) == ["lowest"])
    item.lowest = 0
    #expect(draft.errors == [])
    try draft.commit()
    #expect(item.title == "oat")
  }
}
