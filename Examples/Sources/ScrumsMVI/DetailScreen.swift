import ScrumsModel
import Signals

/// One scrum: who attends, and what came of its meetings.
struct DetailScreen: View {
  @ObservedObject var scrum: DailyScrum
  @Binding var screen: Screen
  let world: World

  var body: Element {
    Text(scrum.title).heading
    Text("\(scrum.minutes) min, \(scrum.color.name)").tint(scrum.color.tint)
    Button("Start meeting", id: "start") { screen = .meeting(scrum.id, Meeting(of: scrum)) }
    Section("Attendees: \(scrum.attendees.count)") {
      for name in scrum.attendees { Text(name) }
    }
    Section("History: \(scrum.history.count)") {
      ForEach(scrum.history) { past in
        Text(past.summary)
        if !past.transcript.isBlank { Text(past.transcript) }
      }
    }
    Row {
      Button("Edit", id: "edit") { screen = .form(ScrumForm(scrum)) }
      Button("Delete", id: "delete") {
        try world.store.delete(scrum)
        screen = .list
      }
      Button("Back", id: "back") { screen = .list }
    }
  }
}
