import ScrumsModel
import Signals

/// A scrum being edited, or a new one: nothing of it shows elsewhere before it is saved.
struct FormScreen: View {
  @DraftObject var draft: DailyScrum
  @Binding var screen: Screen
  @State var newAttendee = ""

  var body: Element {
    Column {
      Text(original.map { "Edit \($0.title)" } ?? "New scrum")
      TextField("Title", text: $draft.title, id: "title")
      TextField("Minutes", text: $draft.minutes.digits, id: "minutes")
      Picker(
        "Color", selection: $draft.color, options: ScrumColor.palette, id: "color", title: \.name)
      attendees
      Row {
        Button("Save", id: "save") { screen = .detail(try $draft.commit().id) }
        Button("Cancel", id: "cancel") { screen = original.map { .detail($0.id) } ?? .list }
      }
    }
    // What stands in the fields outlives the app.
    .onAppear {
      guard let form = screen.form else { return }
      form.fill(draft)
      newAttendee = form.newAttendee
    }
    .onChange(of: form) { _, form in screen.form = form }
  }

  @ElementBuilder private var attendees: Element {
    Section("Attendees: \(draft.attendees.count)") {
      ForEach(draft.attendees.enumerated(), id: \.offset) { place, name in
        Row {
          Text(name)
          Button("Remove", id: "remove-\(place)") { draft.removeAttendee(at: place) }
        }
      }
    }
    TextField("New attendee", text: $newAttendee, id: "new-attendee", onSubmit: addAttendee)
    for error in $draft.attendees.errors { Text("! \(error)") }
    Button("Add attendee", id: "add-attendee", addAttendee)
  }

  private var original: DailyScrum? { $draft.draft.original }

  private var form: ScrumForm {
    ScrumForm(draft, isNew: original == nil, newAttendee: newAttendee)
  }

  private func addAttendee() {
    draft.addAttendee(newAttendee)
    newAttendee = ""
  }
}
