import ScrumsModel
import Signals

/// All scrums by title.
struct ListScreen: View {
  @StateObject private var model: ListModel

  init(_ app: AppModel) { _model = StateObject(wrappedValue: ListModel(app)) }

  var body: Element {
    Text(model.title).heading
    if let status = model.status { Text(status) }
    ForEach(model.rows) { row in
      Row {
        Button(row.title, id: "scrum-\(row.id)") { model.open(row) }
          .listed(in: row.color)
        Text(row.summary).aside
      }
    }
    Row {
      Button("Add", id: "add") { model.add() }
      if model.isLoading {
        Button("Stop", id: "stop") { model.stop() }
      } else {
        Button("Refresh", id: "refresh") { await model.refresh() }
      }
    }
  }
}
