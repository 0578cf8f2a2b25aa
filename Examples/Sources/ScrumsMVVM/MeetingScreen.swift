import ScrumsModel
import Signals

/// A meeting under way.
struct MeetingScreen: View {
  @StateObject private var model: MeetingModel

  init(_ app: AppModel, _ scrum: DailyScrum) {
    _model = StateObject(wrappedValue: MeetingModel(app, scrum))
  }

  var body: Element {
    Column {
      Text(model.title).heading
      ProgressBar(value: model.progress)
      Text(model.time)
      Text(model.speaker).style(.emphasized)
      Text(model.place).aside
      TextField("Notes", text: $model.notes, id: "notes")
      Row {
        Button("Skip", id: "skip") { model.skip() }
        Button("End meeting", id: "end") { model.end() }
      }
    }
    .onAppear { model.start() }
    .onDisappear { model.stop() }
  }
}
