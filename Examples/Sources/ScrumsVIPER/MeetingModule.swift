import ScrumsModel
import Signals

/// A meeting under way.
struct MeetingModule: View {
  @StateObject private var presenter: MeetingPresenter

  init(_ world: World, _ router: Router, _ scrum: DailyScrum) {
    _presenter = StateObject(
      wrappedValue: MeetingPresenter(MeetingInteractor(world, scrum), router))
  }

  var body: Element {
    let display = presenter.display.value
    Column {
      Text(display.title).heading
      ProgressBar(value: display.progress)
      Text(display.time)
      Text(display.speaker).style(.emphasized)
      Text(display.place).aside
      TextField("Notes", text: notes, id: "notes")
      Row {
        Button("Skip", id: "skip") { presenter.didTapSkip() }
        Button("End meeting", id: "end") { presenter.didTapEnd() }
      }
    }
    .onAppear { presenter.didAppear() }
    .onDisappear { presenter.didDisappear() }
  }

  private var notes: Binding<String> {
    Binding(get: { presenter.display.value.notes }, set: { presenter.didType(notes: $0) })
  }
}
