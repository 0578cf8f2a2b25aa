import ScrumsMVVM
import ScrumsModel
import Signals
import SignalsTesting
import Testing

/// The view models of the MVVM app, without a view.
@Suite struct `View models of scrums` {
  let store = Store()
  let seconds = Subject<Int, Never>()
  let app: AppModel

  init() throws {
    let feed = ScrumFeed(Connection(SampleService()), into: store)
    app = AppModel(World(store, feed: feed, ticker: Ticker(seconds)))
  }

  @Test func `the list follows the store`() throws {
    let model = ListModel(app)
    #expect(model.rows.isEmpty)
    try Scrums.seed(store)
    #expect(model.rows.map(\.title) == ["App Dev", "Design", "Web Dev"])
    #expect(model.rows[0].summary == "5 attendees, 5 min")
  }

  @Test func `a meeting that ends is in the history, with length and transcript`() throws {
    try Scrums.seed(store)
    let scrum = try #require(store.results(DailyScrum.self).first)
    app.screen = .meeting(scrum.id, Meeting(of: scrum))
    let model = MeetingModel(app, scrum)
    model.start()
    seconds.send(61)
    model.notes = "Short"
    model.end()
    #expect(scrum.history.map(\.minutes) == [1])
    #expect(scrum.history[0].transcript == "Short")
    #expect(app.screen == .detail(scrum.id))
  }

  @Test func `an edit removes, adds and keeps the order`() throws {
    try Scrums.seed(store)
    let scrum = try #require(store.results(DailyScrum.self).first { $0.title == "Design" })
    app.screen = .form(ScrumForm(scrum))
    let model = FormModel(app, scrum)
    model.removeAttendee(at: 0)
    model.newAttendee = "Lee"
    model.addAttendee()
    model.addAttendee()
    #expect(scrum.attendees.count == 4)
    try model.save()
    #expect(scrum.attendees == ["Daisy", "Simon", "Jonathan", "Lee"])
  }

  @Test func `a new scrum that is not valid is not saved`() throws {
    let form = ScrumForm()
    app.screen = .form(form)
    let model = try FormModel(app, #require(form.newScrum))
    model.removeAttendee(at: 0)
    #expect(throws: InvalidDraftError.self) { try model.save() }
    #expect(model.title.errors == ["A scrum needs a title"])
    #expect(model.attendeesErrors == ["Somebody has to attend"])
    #expect(store.results(DailyScrum.self).isEmpty)
  }

  @Test func `a new scrum that is valid is saved`() throws {
    let form = ScrumForm()
    app.screen = .form(form)
    let model = try FormModel(app, #require(form.newScrum))
    model.title.wrappedValue = "Retro"
    model.minutes.wrappedValue = "15"
    model.newAttendee = "Ann"
    model.addAttendee()
    try model.save()
    let saved = try #require(store.object(DailyScrum.self, primaryKey: form.id))
    #expect((saved.title, saved.minutes, saved.attendees) == ("Retro", 15, ["Ann"]))
    #expect(app.screen == .detail(form.id))
  }
}
