package import ScrumsModel
package import Signals

/// Where the user is: the other view models go from screen to screen through it.
package final class AppModel {
  @Restored package var screen: Screen
  let world: World

  /// Begins where the user was the last time.
  package init(_ world: World) {
    self.world = world
    _screen = Restored(wrappedValue: .list, Screen.key, in: world.store)
  }
}

/// The app by view models: views show what these say, and tell them what the user does.
package struct MVVMScreen: View {
  @StateObject private var app: AppModel

  /// Shows the scrums of a world.
  package init(_ world: World) { _app = StateObject(wrappedValue: AppModel(world)) }

  /// The screen where the user is.
  package var body: Element {
    switch app.screen {
    case .list: ListScreen(app)
    case .detail(let id):
      if let scrum = app.world.scrum(id) { DetailScreen(app, scrum) } else { gone }
    case .form(let form):
      if let scrum = app.world.scrum(form.id) ?? form.newScrum {
        FormScreen(app, scrum)
      } else {
        gone
      }
    case .meeting(let id, _):
      if let scrum = app.world.scrum(id) { MeetingScreen(app, scrum) } else { gone }
    }
  }

  @ElementBuilder private var gone: Element {
    Text("This scrum is gone")
    Button("Back", id: "back") { app.screen = .list }
  }
}
