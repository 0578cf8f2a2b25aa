import ScrumsModel
import Signals

/// A scrum being edited, or a new one.
struct FormModule: View {
  @StateObject private var presenter: FormPresenter

  init(_ world: World, _ router: Router, _ scrum: DailyScrum) {
    _presenter = StateObject(
      wrappedValue: FormPresenter(FormInteractor(world, scrum), router))
  }

  var body: Element {
    let display = presenter.display.value
    Text(display.heading).heading
    TextField("Title", text: title.checked { display.titleErrors }, id: "title")
    TextField("Minutes", text: minutes.checked { display.minutesErrors }, id: "minutes")
    Picker(
      "Color", selection: color, options: ScrumColor.palette, id: "color", title: \.name,
      tint: \.tint)
    Section("Attendees: \(display.attendees.count)") {
      ForEach(display.attendees.enumerated(), id: \.offset) { place, name in
        Row {
          Text(name).leading
          Button("Remove", id: "remove-\(place)") { presenter.didTapRemove(at: place) }
        }
      }
    }
    TextField("New attendee", text: newAttendee, id: "new-attendee") {
      presenter.didTapAddAttendee()
    }
    ErrorText(display.attendeesErrors)
    Button("Add attendee", id: "add-attendee") { presenter.didTapAddAttendee() }
    Row {
      Button("Save", id: "save") { try presenter.didTapSave() }
      if display.hasConflicts {
        Button("Save mine", id: "save-mine") { try presenter.didTapSaveMine() }
      }
      Button("Cancel", id: "cancel") { presenter.didTapCancel() }
        .onKey(.escape) { presenter.didTapCancel() }
    }
  }

  private var title: Binding<String> {
    Binding(get: { presenter.display.value.title }, set: { presenter.didType(title: $0) })
  }

  private var minutes: Binding<String> {
    Binding(get: { presenter.display.value.minutes }, set: { presenter.didType(minutes: $0) })
  }

  private var color: Binding<ScrumColor> {
    Binding(get: { presenter.display.value.color }, set: { presenter.didChoose($0) })
  }

  private var newAttendee: Binding<String> {
    Binding(
      get: { presenter.display.value.newAttendee }, set: { presenter.didType(newAttendee: $0) })
  }
}
