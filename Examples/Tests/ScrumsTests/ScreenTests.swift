import ScrumsApp
import ScrumsModel
import Signals
import SignalsTesting
import Testing

/// What holds for the list and the screen of a scrum, in any style.
@MainActor
@Suite(.leavesNothing) struct `The screens of scrums` {
  @Test(arguments: Style.allCases) func `the list has all scrums by title`(_ style: Style) throws {
    let mounted = try Mounted(style)
    #expect(
      mounted.app.text == """
        Daily scrums: 3
        [App Dev]  5 attendees, 5 min
        [Design]  4 attendees, 10 min
        [Web Dev]  10 attendees, 1 min
        [Add]  [Refresh]
        """)
  }

  @Test(arguments: Style.allCases) func `a scrum shows who attends`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.tap("Design")
    #expect(
      mounted.app.text == """
        Design
        10 min, Orange
        [Start meeting]
        Attendees: 4
        Cathy
        Daisy
        Simon
        Jonathan
        History: 0
        [Edit]  [Delete]  [Back]
        """)
    try mounted.app.tap("back")
    #expect(mounted.app.text.hasPrefix("Daily scrums: 3"))
  }

  @Test(arguments: Style.allCases)
  func `a deleted scrum leaves the list, and undo brings it back`(_ style: Style) throws {
    let mounted = try Mounted(style)
    let before = mounted.app.text
    try mounted.tap("Design")
    try mounted.app.expectChanges(
      "- DailyScrum(id: \(Scrums.samples()[0].id))", exhaustivity: .partial
    ) {
      try mounted.app.tap("delete")
    }
    #expect(mounted.app.text.hasPrefix("Daily scrums: 2\n[App Dev]"))
    #expect(!mounted.app.text.contains("Design"))
    try mounted.store.undo()
    #expect(mounted.app.text == before)
  }

  @Test(arguments: Style.allCases)
  func `a scrum that another user deletes while it is open is said to be gone`(
    _ style: Style
  ) throws {
    let mounted = try Mounted(style)
    for intents in [["Design"], ["Design", "Edit"], ["Design", "Start meeting"]] {
      for title in intents { try mounted.tap(title) }
      try mounted.store.delete(#require(mounted.scrum("Design")))
      #expect(mounted.app.text == "This scrum is gone\n[Back]")
      try mounted.store.undo()
      #expect(mounted.app.text.contains("Design"))
      try mounted.store.delete(#require(mounted.scrum("Design")))
      try mounted.app.tap("back")
      #expect(mounted.app.text.hasPrefix("Daily scrums: 2"))
      try mounted.store.undo()
    }
  }

  @Test(arguments: Style.allCases)
  func `a change of another user shows at once`(_ style: Style) throws {
    let mounted = try Mounted(style)
    let scrum = try #require(mounted.scrum("Design"))
    try mounted.tap("Design")
    try scrum.write {
      scrum.color = .teal
      scrum.minutes = 20
      scrum.addAttendee("Lee")
    }
    #expect(mounted.app.text.contains("20 min, Teal\n"))
    #expect(mounted.app.text.contains("Attendees: 5\n"))
    #expect(mounted.app.text.contains("Jonathan\nLee\n"))
  }
}
