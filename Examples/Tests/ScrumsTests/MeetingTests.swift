import ScrumsModel
import Testing

/// The rules of the timer, as a value that knows no clock.
@Suite struct `A meeting` {
  var meeting = Meeting(minutes: 1, attendees: ["Ann", "Bob", "Cid"])

  @Test func `everybody gets the same time, in whole seconds`() {
    #expect(meeting.secondsPerSpeaker == 20)
    #expect(Meeting(minutes: 5, attendees: (1...7).map(String.init)).secondsPerSpeaker == 42)
  }

  @Test func `without attendees there is one player`() {
    let alone = Meeting(minutes: 1, attendees: [])
    #expect(alone.speaker == "Speaker 1: Player 1")
    #expect(alone.secondsPerSpeaker == 60)
  }

  @Test mutating func `seconds are those of the speaker, after those of all before`() {
    meeting.skip()
    #expect(meeting.speaker == "Speaker 2: Bob")
    #expect((meeting.elapsed, meeting.remaining) == (20, 40))
    meeting.tick(7)
    #expect((meeting.elapsed, meeting.remaining) == (27, 33))
  }

  @Test mutating func `the turn continues when the time is over, with a notice`() {
    let turns = (1...19).map { meeting.tick($0) }
    #expect(!turns.contains(true))
    let isOver = meeting.tick(20)
    #expect(isOver)
    #expect(meeting.speaker == "Speaker 2: Bob")
    #expect(meeting.speakers.map(\.isCompleted) == [true, false, false])
    #expect(meeting.elapsed == 20)
  }

  @Test mutating func `more time than a speaker has is ignored`() {
    let before = meeting
    let isOver = meeting.tick(21)
    #expect(!isOver)
    #expect(meeting == before)
  }

  @Test mutating func `much time at once is the same as second by second`() {
    var slow = meeting
    let turns = meeting.advance(by: 45)
    #expect(turns == 2)
    for _ in 1...45 { slow.advance(by: 1) }
    #expect(meeting == slow)
    #expect((meeting.speaker, meeting.elapsed) == ("Speaker 3: Cid", 45))
  }

  @Test mutating func `after the last speaker nothing happens any more`() {
    meeting.advance(by: 1000)
    #expect(meeting.isOver)
    #expect((meeting.elapsed, meeting.remaining, meeting.current) == (60, 0, 2))
    let before = meeting
    meeting.skip()
    meeting.advance(by: 5)
    #expect(meeting == before)
  }

  @Test mutating func `skipping everybody is the end, with the time that was spoken`() {
    for _ in 1...3 { meeting.skip() }
    #expect(meeting.isOver)
    #expect(meeting.elapsed == 40)
  }

  @Test mutating func `the place says how far it is`() {
    #expect(meeting.place == "Speaker 1 of 3")
    meeting.skip()
    #expect(meeting.place == "Speaker 2 of 3")
    meeting.skip()
    #expect(meeting.place == "Last Speaker")
    meeting.skip()
    #expect(meeting.place == "No more speakers")
  }

  @Test mutating func `progress is the part that is done, and all of it when nothing is left`() {
    #expect(meeting.progress == 0)
    meeting.advance(by: 15)
    #expect(meeting.progress == 0.25)
    meeting.advance(by: 45)
    #expect(meeting.progress == 1)
    #expect(Meeting(minutes: 0, attendees: []).progress == 1)
  }
}
