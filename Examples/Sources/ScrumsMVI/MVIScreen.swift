package import ScrumsModel
package import Signals

/// The app as Signals has it: views read the model, and their intents write it.
package struct MVIScreen: View {
  @Restored(Screen.key) private var screen = Screen.list
  private let world: World

  /// Shows the scrums of a world.
  package init(_ world: World) { self.world = world }

  /// The screen where the user is.
  package var body: Element {
    switch screen {
    case .list: ListScreen(screen: $screen, world: world)
    case .detail(let id):
      if let scrum = world.scrum(id) {
        DetailScreen(scrum: scrum, screen: $screen, world: world)
      } else {
        GoneScreen(screen: $screen)
      }
    case .form(let form):
      if let scrum = world.scrum(form.id) ?? form.newScrum, let form = Binding($screen.form) {
        FormScreen(scrum, form: form, screen: $screen)
      } else {
        GoneScreen(screen: $screen)
      }
    case .meeting(let id, _):
      if let scrum = world.scrum(id), let meeting = Binding($screen.meeting) {
        MeetingScreen(scrum: scrum, meeting: meeting, screen: $screen, world: world)
      } else {
        GoneScreen(screen: $screen)
      }
    }
  }
}

/// What is left when a scrum was deleted while somebody looked at it.
struct GoneScreen: View {
  @Binding var screen: Screen

  var body: Element {
    Text("This scrum is gone")
    Button("Back", id: "back") { screen = .list }
  }
}
