import ScrumsModel
import Signals

/// A scrum being edited, or a new one.
struct FormScreen: View {
  @StateObject private var model: FormModel

  init(_ app: AppModel, _ scrum: DailyScrum) {
    _model = StateObject(wrappedValue: FormModel(app, scrum))
  }

  var body: Element {
    Text(model.heading).heading
    TextField("Title", text: model.title, id: "title")
    TextField("Minutes", text: model.minutes, id: "minutes")
    Picker(
      "Color", selection: model.color, options: ScrumColor.palette, id: "color", title: \.name,
      tint: \.tint)
    Section("Attendees: \(model.attendees.count)") {
      ForEach(model.attendees.enumerated(), id: \.offset) { place, name in
        Row {
          Text(name).leading
          Button("Remove", id: "remove-\(place)") { model.removeAttendee(at: place) }
        }
      }
    }
    TextField(
      "New attendee", text: $model.newAttendee, id: "new-attendee", onSubmit: model.addAttendee)
    ErrorText(model.attendeesErrors)
    Button("Add attendee", id: "add-attendee") { model.addAttendee() }
    Row {
      Button("Save", id: "save") { try model.save() }
      if model.hasConflicts {
        Button("Save mine", id: "save-mine") { try model.saveMine() }
      }
      Button("Cancel", id: "cancel") { model.cancel() }.onKey(.escape) { model.cancel() }
    }
  }
}
