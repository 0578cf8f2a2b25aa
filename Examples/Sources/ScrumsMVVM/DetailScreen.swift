import ScrumsModel
import Signals

/// One scrum: who attends, and what came of its meetings.
struct DetailScreen: View {
  @StateObject private var model: DetailModel

  init(_ app: AppModel, _ scrum: DailyScrum) {
    _model = StateObject(wrappedValue: DetailModel(app, scrum))
  }

  var body: Element {
    Text(model.title).heading
    Text(model.facts).tint(model.color.tint)
    Button("Start meeting", id: "start") { model.start() }
    Section("Attendees: \(model.attendees.count)") {
      for name in model.attendees { Text(name) }
    }
    Section(model.historyTitle) {
      for line in model.history { Text(line) }
    }
    Row {
      Button("Edit", id: "edit") { model.edit() }
      Button("Delete", id: "delete") { try model.delete() }
      Button("Back", id: "back") { model.leave() }
    }
  }
}
