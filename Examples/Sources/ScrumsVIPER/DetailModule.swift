import ScrumsModel
import Signals

/// One scrum: who attends, and what came of its meetings.
struct DetailModule: View {
  @StateObject private var presenter: DetailPresenter

  init(_ world: World, _ router: Router, _ scrum: DailyScrum) {
    _presenter = StateObject(
      wrappedValue: DetailPresenter(DetailInteractor(world, scrum), router))
  }

  var body: Element {
    let display = presenter.display.value
    Text(display.title).heading
    Text(display.facts).tint(display.color.tint)
    Button("Start meeting", id: "start") { presenter.didTapStart() }
    Section("Attendees: \(display.attendees.count)") {
      for name in display.attendees { Text(name) }
    }
    Section(display.historyTitle) {
      for line in display.history { Text(line) }
    }
    Row {
      Button("Edit", id: "edit") { presenter.didTapEdit() }
      Button("Delete", id: "delete") { try presenter.didTapDelete() }
      Button("Back", id: "back") { presenter.didTapBack() }
    }
  }
}
