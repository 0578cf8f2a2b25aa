import ScrumsModel
import Signals

/// All scrums by title.
struct ListModule: View {
  @StateObject private var presenter: ListPresenter

  init(_ world: World, _ router: Router) {
    _presenter = StateObject(wrappedValue: ListPresenter(ListInteractor(world), router))
  }

  var body: Element {
    let display = presenter.display.value
    Text(display.title).heading
    if let status = display.status { Text(status) }
    ForEach(display.lines) { line in
      Row {
        Button(line.title, id: "scrum-\(line.id)") { presenter.didTap(line) }
          .listed(in: line.color)
        Text(line.summary).aside
      }
    }
    Row {
      Button("Add", id: "add") { presenter.didTapAdd() }
      if display.isLoading {
        Button("Stop", id: "stop") { presenter.didTapStop() }
      } else {
        Button("Refresh", id: "refresh") { await presenter.didTapRefresh() }
      }
    }
  }
}
