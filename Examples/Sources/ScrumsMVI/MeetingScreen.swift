import ScrumsModel
import Signals

/// A meeting under way.
struct MeetingScreen: View {
  @ObservedObject var scrum: DailyScrum
  @Binding var meeting: Meeting
  @Binding var screen: Screen
  @State var ticking: (any Cancellable)? = nil
  let world: World

  var body: Element {
    Column {
      Text(scrum.title).heading
      ProgressBar(value: meeting.progress)
      Text(meeting.time)
      Text(meeting.speaker).style(.emphasized)
      Text(meeting.place).aside
      TextField("Notes", text: $meeting.transcript, id: "notes")
      Row {
        Button("Skip", id: "skip") { meeting.skip() }
        Button("End meeting", id: "end") {
          scrum.record(meeting, at: world.now())
          screen = .detail(scrum.id)
        }
      }
    }
    // What a state holds ends with its view.
    .onAppear { ticking = world.ticker { meeting.advance(by: $0) } }
  }
}
