package import ScrumsModel
package import Signals

/// A scrum being edited, or a new one: nothing of it shows elsewhere before it is saved.
package final class FormModel {
  @DraftObject private var draft: DailyScrum
  private let app: AppModel

  /// Edits a scrum, or an unstored one that is added when it is saved.
  package init(_ app: AppModel, _ scrum: DailyScrum) {
    self.app = app
    // What stands in the fields outlives the app.
    _draft = DraftObject(
      wrappedValue: scrum, restoredAs: ScrumForm.draft, in: app.world.store)
  }

  private var original: DailyScrum? { $draft.draft.original }

  package var heading: String { original.map { "Edit \($0.title)" } ?? "New scrum" }
  package var title: Binding<String> { $draft.title }
  package var minutes: Binding<String> { $draft.minutes.digits }
  package var color: Binding<ScrumColor> { $draft.color }
  package var newAttendee: String {
    get { app.screen.form?.newAttendee ?? "" }
    set { app.screen.form?.newAttendee = newValue }
  }
  package var attendees: [String] { draft.attendees }
  package var attendeesErrors: [String] { $draft.attendees.errors }

  package func addAttendee() {
    draft.addAttendee(newAttendee)
    newAttendee = ""
  }

  package func removeAttendee(at place: Int) { draft.removeAttendee(at: place) }

  /// Whether others have changed what is changed here.
  var hasConflicts: Bool { !$draft.draft.conflicts.isEmpty }

  package func save() throws { app.screen = .detail(try $draft.commit().id) }
  func saveMine() throws { app.screen = .detail(try $draft.commit { _ in .mine }.id) }

  package func cancel() {
    $draft.discard()
    app.screen = original.map { .detail($0.id) } ?? .list
  }
}
