import ScrumsApp
import ScrumsModel
import Signals
import SignalsTesting
import Testing

/// What holds for the form, in any style.
@MainActor
@Suite(.leavesNothing) struct `The form of a scrum` {
  @Test(arguments: Style.allCases) func `a new scrum is in the list`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.app.tap("add")
    #expect(
      mounted.app.text == """
        New scrum
        Title: []
        Minutes: [5]
        Color: <Yellow>
        Attendees: 0
        New attendee: []
        [Add attendee]
        [Save]  [Cancel]
        """)
    try mounted.app.type("Retro", into: "title")
    try mounted.app.type("15", into: "minutes")
    try mounted.app.select("Violet", in: "color")
    try mounted.addAttendee("Ann")
    try mounted.addAttendee("Bob")
    #expect(mounted.store.results(DailyScrum.self).count == 3)
    try mounted.app.tap("save")
    #expect(
      mounted.app.text.hasPrefix("Retro\n15 min, Violet\n[Start meeting]\nAttendees: 2\nAnn\nBob\n")
    )
    try mounted.app.tap("back")
    #expect(mounted.app.text.contains("[Retro]  2 attendees, 15 min\n"))
  }

  @Test(arguments: Style.allCases)
  func `an error is shown beside its field, and nothing of it is saved`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.app.tap("add")
    // A field that nobody has touched is not scolded.
    #expect(!mounted.app.text.contains("!"))
    try mounted.app.type("0", into: "minutes")
    #expect(mounted.app.text.contains("Minutes: [0]\n! Between 1 and 60 minutes\n"))
    #expect(throws: InvalidDraftError.self) { try mounted.app.tap("save") }
    #expect(
      mounted.app.text == """
        New scrum
        Title: []
        ! A scrum needs a title
        Minutes: [0]
        ! Between 1 and 60 minutes
        Color: <Yellow>
        Attendees: 0
        New attendee: []
        ! Somebody has to attend
        [Add attendee]
        [Save]  [Cancel]
        """)
    #expect(mounted.store.results(DailyScrum.self).count == 3)
    try mounted.app.type("Retro", into: "title")
    try mounted.app.type("1", into: "minutes")
    try mounted.addAttendee("Ann")
    #expect(!mounted.app.text.contains("!"))
    try mounted.app.tap("save")
    #expect(mounted.store.results(DailyScrum.self).count == 4)
  }

  @Test(arguments: Style.allCases)
  func `nothing of an edit shows elsewhere before it is saved, and cancelling drops it`(
    _ style: Style
  ) throws {
    let mounted = try Mounted(style)
    let scrum = try #require(mounted.scrum("Design"))
    let snapshot = ScrumRecord(scrum)
    try mounted.edit("Design")
    try mounted.app.type("Redesign", into: "title")
    try mounted.app.select("Teal", in: "color")
    try mounted.app.tap("remove-0")
    #expect(mounted.app.text.hasPrefix("Edit Design\nTitle: [Redesign]\n"))
    #expect(ScrumRecord(scrum) == snapshot)
    try mounted.app.tap("cancel")
    #expect(ScrumRecord(scrum) == snapshot)
    #expect(mounted.app.text.hasPrefix("Design\n10 min, Orange\n"))
    try mounted.app.tap("edit")
    #expect(
      mounted.app.text.hasPrefix("Edit Design\nTitle: [Design]\nMinutes: [10]\nColor: <Orange>\n"))
  }

  @Test(arguments: Style.allCases)
  func `saving writes what was changed, as one commit that undo takes back`(
    _ style: Style
  ) throws {
    let mounted = try Mounted(style)
    try mounted.edit("Design")
    try mounted.app.type("Redesign", into: "title")
    try mounted.app.select("Teal", in: "color")
    try mounted.app.tap("save")
    #expect(mounted.app.text.hasPrefix("Redesign\n10 min, Teal\n"))
    try mounted.store.undo()
    #expect(mounted.app.text.hasPrefix("Design\n10 min, Orange\n"))
    #expect(!mounted.store.canUndo)
  }

  @Test(arguments: Style.allCases)
  func `the color is bound as one value, and stored in its parts`(_ style: Style) throws {
    let mounted = try Mounted(style)
    let components = try #require(mounted.scrum("Design")?.colorComponents)
    try mounted.edit("Design")
    try mounted.app.select("Violet", in: "color")
    #expect(mounted.app.text.contains("Color: <Violet>"))
    #expect((components.red, components.green, components.blue) == (1, 0.5, 0))
    try mounted.app.tap("save")
    #expect((components.red, components.green, components.blue) == (0.5, 0, 1))
    #expect(mounted.scrum("Design")?.colorComponents === components)
  }

  @Test(arguments: Style.allCases)
  func `a color that is not offered is shown by its parts`(_ style: Style) throws {
    let mounted = try Mounted(style)
    let scrum = try #require(mounted.scrum("Design"))
    try scrum.write { scrum.color = ScrumColor(red: 0.25, green: 1, blue: 0) }
    try mounted.edit("Design")
    #expect(mounted.app.text.contains("Color: <25% red, 100% green, 0% blue>"))
  }

  @Test(arguments: Style.allCases) func `an invalid number leaves the minutes`(
    _ style: Style
  )
    throws
  {
    let mounted = try Mounted(style)
    try mounted.edit("Design")
    try mounted.app.type("ten", into: "minutes")
    #expect(mounted.app.text.contains("Minutes: [10]"))
    try mounted.app.type("", into: "minutes")
    #expect(mounted.app.text.contains("Minutes: [0]\n! Between 1 and 60 minutes\n"))
  }

  @Test(arguments: Style.allCases)
  func `attendees are removed and added, and a blank name is ignored`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.edit("Design")
    try mounted.app.tap("remove-0")
    try mounted.addAttendee(" Lee ")
    try mounted.addAttendee("  ")
    try mounted.app.type("Max", into: "new-attendee")
    try mounted.app.submit("new-attendee")
    try mounted.app.tap("save")
    #expect(mounted.scrum("Design")?.attendees == ["Daisy", "Simon", "Jonathan", "Lee", "Max"])
  }

  @Test(arguments: Style.allCases)
  func `a change of another user is not overwritten unless it is of the same property`(
    _ style: Style
  ) throws {
    let mounted = try Mounted(style)
    let scrum = try #require(mounted.scrum("Design"))
    try mounted.edit("Design")
    try mounted.app.type("Redesign", into: "title")
    scrum.minutes = 20
    try mounted.app.tap("save")
    #expect((scrum.title, scrum.minutes) == ("Redesign", 20))
    try mounted.app.tap("edit")
    try mounted.app.type("Mine", into: "title")
    scrum.title = "Theirs"
    #expect(throws: StoreError.self) { try mounted.app.tap("save") }
    #expect(scrum.title == "Theirs")
    #expect(mounted.app.text.contains("Title: [Mine]"))
    try mounted.app.tap("save-mine")
    #expect(scrum.title == "Mine")
  }

  @Test func `the color of a stored scrum changes at once`() throws {
    let mounted = try Mounted(.mvi)
    let scrum = try #require(mounted.scrum("Design"))
    var seen: [String] = []
    let effect = Effect { seen.append(scrum.color.name) }
    scrum.color = .teal
    #expect(seen == ["Orange", "Teal"])
    effect.cancel()
  }
}
