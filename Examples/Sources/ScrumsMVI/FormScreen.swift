import ScrumsModel
import Signals

/// A scrum being edited, or a new one: nothing of it shows elsewhere before it is saved.
struct FormScreen: View {
  @DraftObject private var draft: DailyScrum
  @Binding private var form: ScrumForm
  @Binding private var screen: Screen

  init(_ scrum: DailyScrum, form: Binding<ScrumForm>, screen: Binding<Screen>) {
    // What stands in the fields outlives the app.
    _draft = DraftObject(wrappedValue: scrum, restoredAs: ScrumForm.draft)
    (_form, _screen) = (form, screen)
  }

  var body: Element {
    Column {
      Text(original.map { "Edit \($0.title)" } ?? "New scrum").heading
      TextField("Title", text: $draft.title, id: "title")
      TextField("Minutes", text: $draft.minutes.digits, id: "minutes")
      Picker(
        "Color", selection: $draft.color, options: ScrumColor.palette, id: "color", title: \.name,
        tint: \.tint)
      attendees
      Row {
        Button("Save", id: "save") { screen = .detail(try $draft.commit().id) }
        if !$draft.draft.conflicts.isEmpty {
          Button("Save mine", id: "save-mine") {
            screen = .detail(try $draft.commit { _ in .mine }.id)
          }
        }
        Button("Cancel", id: "cancel", action: cancel).onKey(.escape, action: cancel)
      }
    }
  }

  @ElementBuilder private var attendees: Element {
    Section("Attendees: \(draft.attendees.count)") {
      ForEach(draft.attendees.enumerated(), id: \.offset) { place, name in
        Row {
          Text(name).leading
          Button("Remove", id: "remove-\(place)") { draft.removeAttendee(at: place) }
        }
      }
    }
    TextField("New attendee", text: $form.newAttendee, id: "new-attendee", onSubmit: addAttendee)
    ErrorText(of: $draft.attendees)
    Button("Add attendee", id: "add-attendee", action: addAttendee)
  }

  private var original: DailyScrum? { $draft.draft.original }

  private func cancel() {
    $draft.discard()
    screen = original.map { .detail($0.id) } ?? .list
  }

  private func addAttendee() {
    draft.addAttendee(form.newAttendee)
    form.newAttendee = ""
  }
}
