import ScrumsModel
import ScrumsVIPER
import Signals
import SignalsTesting
import Testing

/// The presenters of the VIPER app, on their interactors and a router, without a view.
@Suite struct `Presenters of scrums` {
  let store = Store()
  let seconds = Subject<Int, Never>()
  let world: World
  let router: Router

  init() throws {
    try Scrums.seed(store)
    let feed = ScrumFeed(Connection(SampleService()), into: store)
    world = World(store, feed: feed, ticker: Ticker(seconds))
    router = Router(store)
  }

  private func design() throws -> DailyScrum {
    try #require(store.results(DailyScrum.self).first { $0.title == "Design" })
  }

  private func newForm() throws -> (ListPresenter, FormPresenter) {
    let list = ListPresenter(ListInteractor(world), router)
    list.didTapAdd()
    let scrum = try #require(router.screen.form?.newScrum)
    return (list, FormPresenter(FormInteractor(world, scrum), router))
  }

  @Test func `the list shows lines by title, and a tap opens one`() throws {
    let presenter = ListPresenter(ListInteractor(world), router)
    let lines = presenter.display.value.lines
    #expect(lines.map(\.title) == ["App Dev", "Design", "Web Dev"])
    presenter.didTap(lines[1])
    #expect(router.screen == .detail(try design().id))
  }

  @Test func `a scrum shows facts and history, and can be deleted`() throws {
    let presenter = try DetailPresenter(DetailInteractor(world, design()), router)
    #expect(presenter.display.value.facts == "10 min, Orange")
    #expect(presenter.display.value.history.isEmpty)
    presenter.didTapEdit()
    #expect(try router.screen.form?.id == design().id)
    try presenter.didTapDelete()
    #expect(store.results(DailyScrum.self).count == 2)
    #expect(router.screen == .list)
  }

  @Test func `a form that is not valid shows what is wrong, and is not saved`() throws {
    let (list, presenter) = try newForm()
    presenter.didTapRemove(at: 0)
    #expect(throws: InvalidDraftError.self) { try presenter.didTapSave() }
    #expect(presenter.display.value.titleErrors == ["A scrum needs a title"])
    #expect(presenter.display.value.attendeesErrors == ["Somebody has to attend"])
    #expect(list.display.value.lines.count == 3)
  }

  @Test func `a form that is valid is saved`() throws {
    let (list, presenter) = try newForm()
    presenter.didType(title: "Retro")
    presenter.didType(minutes: "fifteen")
    presenter.didChoose(.teal)
    presenter.didType(newAttendee: "Ann")
    presenter.didTapAddAttendee()
    try presenter.didTapSave()
    #expect(list.display.value.lines.map(\.summary).contains("1 attendee, 5 min"))
    presenter.didTapCancel()
    #expect(list.display.value.lines.count == 4)
  }

  @Test func `a form that is cancelled leaves the scrum unchanged`() throws {
    let scrum = try design()
    router.show(.form(ScrumForm(scrum)))
    let presenter = FormPresenter(FormInteractor(world, scrum), router)
    presenter.didType(title: "Redesign")
    #expect(presenter.display.value.title == "Redesign")
    presenter.didTapCancel()
    #expect(router.screen == .detail(scrum.id))
    #expect(scrum.title == "Design")
  }

  @Test func `a meeting shows time as it passes, and is noted when it ends`() throws {
    let scrum = try design()
    router.show(.meeting(scrum.id, Meeting(of: scrum)))
    let presenter = MeetingPresenter(MeetingInteractor(world, scrum), router)
    presenter.didAppear()
    seconds.send(65)
    #expect(presenter.display.value.time == "1:05 elapsed, 8:55 left")
    presenter.didTapSkip()
    #expect(presenter.display.value.speaker == "Speaker 2: Daisy")
    presenter.didType(notes: "Short")
    presenter.didTapEnd()
    presenter.didDisappear()
    #expect(scrum.history.map(\.minutes) == [2])
    #expect(scrum.history[0].transcript == "Short")
  }
}
