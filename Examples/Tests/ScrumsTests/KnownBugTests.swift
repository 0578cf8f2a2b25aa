import ScrumsApp
import ScrumsModel
import Signals
import SignalsTesting
import Testing

/// The known bugs of the sample that the app follows: here they are tests.
@MainActor
@Suite(.leavesNothing) struct `Known bugs of the sample` {
  /// There, saving only added attendees.
  @Test(arguments: Style.allCases)
  func `an attendee removed in the form is removed from the scrum`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.edit("Design")
    try mounted.app.tap("remove-1")
    try mounted.app.tap("remove-0")
    try mounted.app.tap("save")
    #expect(mounted.scrum("Design")?.attendees == ["Simon", "Jonathan"])
  }

  /// There, what was added stood in the form when the next one was to be added.
  @Test(arguments: Style.allCases)
  func `the form of a new scrum is empty again after one was added`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.app.tap("add")
    let empty = mounted.app.text
    try mounted.app.type("Retro", into: "title")
    try mounted.addAttendee("Ann")
    try mounted.app.type("Bob", into: "new-attendee")
    try mounted.app.tap("save")
    try mounted.app.tap("back")
    try mounted.app.tap("add")
    #expect(mounted.app.text == empty)
    try mounted.app.type("Retro 2", into: "title")
    try mounted.addAttendee("Ann")
    try mounted.app.tap("save")
    #expect(mounted.store.results(DailyScrum.self).count == 5)
  }

  /// There, offsets were those of the live list: a change meanwhile let another row go.
  @Test(arguments: Style.allCases)
  func `a scrum that comes before the open one does not take its place`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.tap("Design")
    try mounted.store.add(
      DailyScrum("All Hands", minutes: 30, color: .teal, attendees: ["Everybody"]))
    try mounted.app.tap("delete")
    #expect(
      mounted.store.results(DailyScrum.self).map(\.title).sorted()
        == ["All Hands", "App Dev", "Web Dev"])
  }

  /// There, the timer of a meeting with more attendees than seconds stood still.
  @Test func `a meeting with more attendees than seconds comes to its end`() {
    var meeting = Meeting(minutes: 1, attendees: (1...90).map { "Player \($0)" })
    meeting.advance(by: 90)
    #expect(meeting.isOver)
    #expect(meeting.progress == 1)
  }
}
