import ScrumsApp
import ScrumsModel
import Signals
import SignalsTesting
import Testing

/// The meeting on screen, on a clock that the test moves.
@MainActor
@Suite(.leavesNothing) struct `The timer of a meeting` {
  private func start(_ style: Style) throws -> Mounted {
    let mounted = try Mounted(style)
    try mounted.tap("Design")
    try mounted.app.tap("start")
    return mounted
  }

  @Test(arguments: Style.allCases) func `each second shows`(_ style: Style) throws {
    let mounted = try start(style)
    #expect(
      mounted.app.text == """
        Design
        [----------] 0%
        0:00 elapsed, 10:00 left
        Speaker 1: Cathy
        Speaker 1 of 4
        Notes: []
        [Skip]  [End meeting]
        """)
    mounted.clock.advance(by: .seconds(60))
    #expect(
      mounted.app.text.contains("[#---------] 10%\n1:00 elapsed, 9:00 left\nSpeaker 1: Cathy\n"))
    mounted.clock.advance(by: .seconds(90))
    #expect(
      mounted.app.text.contains("2:30 elapsed, 7:30 left\nSpeaker 2: Daisy\nSpeaker 2 of 4\n"))
  }

  @Test(arguments: Style.allCases) func `a second that is not over does not count`(_ style: Style)
    throws
  {
    let mounted = try start(style)
    mounted.clock.advance(by: .milliseconds(1999))
    #expect(mounted.app.text.contains("0:01 elapsed"))
  }

  @Test(arguments: Style.allCases) func `skipping begins the time of the next speaker`(
    _ style: Style
  ) throws {
    let mounted = try start(style)
    mounted.clock.advance(by: .seconds(10))
    try mounted.app.tap("skip")
    #expect(mounted.app.text.contains("2:30 elapsed, 7:30 left\nSpeaker 2: Daisy\n"))
    mounted.clock.advance(by: .seconds(149))
    #expect(mounted.app.text.contains("Speaker 2: Daisy"))
    mounted.clock.advance(by: .seconds(1))
    #expect(mounted.app.text.contains("Speaker 3: Simon"))
  }

  @Test(arguments: Style.allCases) func `when all have spoken time stands still`(_ style: Style)
    throws
  {
    let mounted = try start(style)
    mounted.clock.advance(by: .seconds(600))
    #expect(
      mounted.app.text.contains("10:00 elapsed, 0:00 left\nSpeaker 4: Jonathan\nNo more speakers\n")
    )
    let text = mounted.app.text
    mounted.clock.advance(by: .seconds(600))
    #expect(mounted.app.text == text)
  }

  @Test(arguments: Style.allCases)
  func `ending it notes length and transcript in front of the history`(_ style: Style) throws {
    let mounted = try start(style)
    mounted.clock.advance(by: .seconds(125))
    try mounted.app.type("We are on time", into: "notes")
    try mounted.app.tap("end")
    #expect(
      mounted.app.text.contains("History: 1\n2026-11-21: 4 attendees, 2 min\nWe are on time\n"))
    try mounted.app.tap("start")
    try mounted.app.tap("end")
    let history = try #require(mounted.scrum("Design")?.history)
    #expect(history.map(\.minutes) == [0, 2])
    #expect(history[1].attendees == ["Cathy", "Daisy", "Simon", "Jonathan"])
    try mounted.store.undo()
    #expect(mounted.app.text.contains("History: 1\n"))
  }

  @Test(arguments: Style.allCases)
  func `the clock is left alone before a meeting and after it`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.tap("Design")
    #expect(mounted.clock.waiting == 0)
    try mounted.app.tap("start")
    #expect(mounted.clock.waiting == 1)
    try mounted.app.tap("end")
    #expect(mounted.clock.waiting == 0)
    try mounted.app.tap("start")
    try mounted.store.delete(#require(mounted.scrum("Design")))
    #expect(mounted.clock.waiting == 0)
  }

  @Test(arguments: Style.allCases)
  func `who attends is fixed when it starts`(_ style: Style) throws {
    let mounted = try start(style)
    try #require(mounted.scrum("Design")).removeAttendee(at: 0)
    #expect(mounted.app.text.contains("Speaker 1: Cathy\nSpeaker 1 of 4\n"))
  }
}
