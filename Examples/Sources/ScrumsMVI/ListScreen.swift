import ScrumsModel
import Signals

/// All scrums by title.
struct ListScreen: View {
  @ObservedResults(DailyScrum.self, sortedBy: \.title) var scrums
  @Binding var screen: Screen
  let world: World

  var body: Element {
    Text("Daily scrums: \(scrums.count)").heading
    if let status = world.feed.status { Text(status) }
    ForEach(scrums) { scrum in
      Row {
        Button(scrum.title, id: "scrum-\(scrum.id)") { screen = .detail(scrum.id) }
          .listed(in: scrum.color)
        Text(scrum.summary).aside
      }
    }
    Row {
      Button("Add", id: "add") { screen = .form(ScrumForm()) }
      if world.feed.isLoading {
        Button("Stop", id: "stop") { world.feed.stop() }
      } else {
        Button("Refresh", id: "refresh") { await world.feed.refresh() }
      }
    }
  }
}
