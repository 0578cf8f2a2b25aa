import Signals
import SignalsTesting
import TestSupport
import Testing

/// `@DraftObject`: a form that writes when it is told to.
@Suite struct `Views, draft objects` {
  struct Form: View {
    @DraftObject var scrum: Scrum
    var body: Element {
      Column {
        TextField("Title", text: $scrum.title)
        Text("\(scrum.minutes) minutes")
        Button("Longer") { scrum.minutes += 50 }
        Button("Save") { try $scrum.commit() }.disabled(!$scrum.isDirty)
        Button("Cancel") { $scrum.discard() }
      }
    }
  }

  struct NewForm: View {
    @DraftObject(Scrum.self) var scrum
    var body: Element {
      TextField("Title", text: $scrum.title)
      Button("Save") { try $scrum.commit() }
    }
  }

  @Test func `edits show in the form alone until they are committed`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum: scrum) }
    try app.type("Weekly", into: "Title")
    #expect(app.text.contains("Title: [Weekly]"))
    #expect(scrum.title == "Daily")
    try app.tap("Save")
    #expect(scrum.title == "Weekly")
    #expect(throws: HostError.disabled("Save")) { try app.host.perform("Save") }
  }

  @Test func `discarding shows the object as it is now`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum: scrum) }
    try app.type("Weekly", into: "Title")
    try store.write { scrum.minutes = 30 }
    #expect(app.text.contains("15 minutes"))
    try app.tap("Cancel")
    #expect(app.text.contains("Title: [Daily]"))
    #expect(app.text.contains("30 minutes"))
  }

  @Test func `an error is shown beside the field, and keeps the draft from being committed`()
    throws
  {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum: scrum) }
    try app.type("", into: "Title")
    #expect(
      app.text == """
        Title: []
        ! A scrum needs a title
        15 minutes
        [Longer]
        [Save]
        [Cancel]
        """)
    #expect(try app.find("Title").errors == ["A scrum needs a title"])
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(scrum.title == "Daily")
    try app.type("D", into: "Title")
    #expect(try app.find("Title").errors == [])
    try app.tap("Save")
    #expect(scrum.title == "D")
  }

  @Test func `the draft stays while its parent makes the view again, and ends with another object`()
    throws
  {
    let (store, scrum) = try Scrum.stored()
    let other = Scrum()
    (other.id, other.title) = (2, "Other")
    try store.add(other)
    let (tick, shown) = (Signal(0), Signal(scrum))
    let app = try TestHost(store) {
      Text("\(tick.value)")
      Form(scrum: shown.value)
    }
    try app.type("Weekly", into: "Title")
    tick.value = 1
    #expect(app.text.contains("Title: [Weekly]"))
    shown.value = other
    #expect(app.text.contains("Title: [Other]"))
    shown.value = scrum
    #expect(app.text.contains("Title: [Daily]"))
  }

  @Test func `a new object is made once, and its draft continues after the commit`() throws {
    let store = Store()
    let tick = Signal(0)
    let app = try TestHost(store) {
      Text("\(tick.value)")
      NewForm()
    }
    #expect(throws: InvalidDraftError.self) { try app.tap("Save") }
    #expect(try app.find("Title").errors == ["A scrum needs a title"])
    try app.type("First", into: "Title")
    tick.value = 1
    try app.tap("Save")
    let scrum = try #require(store.results(Scrum.self).first)
    #expect(scrum.title == "First")
    try app.type("Second", into: "Title")
    #expect(scrum.title == "First")
    try app.tap("Save")
    #expect((scrum.title, store.results(Scrum.self).count) == ("Second", 1))
  }

  @Test func `an unstored object is drafted like a new one`() throws {
    struct Offer: View {
      @DraftObject var scrum = Scrum()
      var body: Element {
        TextField("Title", text: $scrum.title)
        Button("Save") { try $scrum.commit() }
      }
    }
    let store = Store()
    let tick = Signal(0)
    let app = try TestHost(store) {
      Text("\(tick.value)")
      Offer()
    }
    try app.type("Kept", into: "Title")
    tick.value = 1
    #expect(app.text.contains("Title: [Kept]"))
    try app.tap("Save")
    #expect(store.results(Scrum.self).map(\.title) == ["Kept"])
  }

  @Test func `it works in a plain type`() throws {
    let (store, scrum) = try Scrum.stored()
    struct Editor { @DraftObject var scrum: Scrum }
    let editor = Editor(scrum: scrum)
    editor.$scrum.title.wrappedValue = "x"
    #expect(editor.scrum.title == "x")
    #expect(editor.$scrum.changes.map(\.name) == ["title"])
    try editor.$scrum.commit()
    #expect(scrum.title == "x")
    struct Maker { @DraftObject(Scrum.self) var scrum }
    let maker = Maker(scrum: DraftObject(Scrum.self, in: store))
    maker.scrum.title = "made"
    try maker.$scrum.commit()
    #expect(store.results(Scrum.self).count == 2)
  }

  @Test func `the draft of a deleted object shows its last values, and its commit throws`() throws {
    let (store, scrum) = try Scrum.stored()
    let app = try TestHost(store) { Form(scrum: scrum) }
    try app.type("Weekly", into: "Title")
    try store.delete(scrum)
    #expect(app.text.contains("Title: [Weekly]"))
    #expect(throws: StoreError.draftOfDeleted(.init(scrum))) { try app.tap("Save") }
  }

  @Test func `nothing outlives the view`() throws {
    final class Probe { weak var copy: Scrum? }
    struct Probed: View {
      @DraftObject var scrum: Scrum
      let probe: Probe
      var body: Element {
        let _ = probe.copy = scrum
        TextField("Title", text: $scrum.title)
      }
    }
    let (store, scrum) = try Scrum.stored()
    let probe = Probe()
    let isShown = Signal(true)
    let app = try TestHost(store) {
      if isShown.value { Probed(scrum: scrum, probe: probe) }
    }
    try app.type("Weekly", into: "Title")
    #expect(probe.copy != nil && probe.copy !== scrum)
    isShown.value = false
    #expect(probe.copy == nil)
  }

  @Test func `without any store a new one is a trap that says so`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      struct Maker { @DraftObject(Scrum.self) var scrum }
      _ = Maker().scrum
    }
    expectError(result, "@DraftObject of Scrum has no store: give it one")
  }
}
