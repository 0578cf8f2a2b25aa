package import ScrumsModel
package import Signals

/// Where the user is: presenters go from screen to screen through it.
package final class Router {
  @Restored package private(set) var screen: Screen

  /// Begins where the user was the last time.
  package init(_ store: Store) {
    _screen = Restored(wrappedValue: .list, Screen.key, in: store)
  }

  /// Goes to a screen.
  package func show(_ screen: Screen) { self.screen = screen }

  /// Keeps what stands in the fields of the form on screen.
  func keep(_ form: ScrumForm) { screen.form = form }
  /// Keeps where the meeting on screen is.
  func keep(_ meeting: Meeting) { screen.meeting = meeting }
}

/// The app in modules of view, interactor, presenter, entity and router.
package struct VIPERScreen: View {
  @StateObject private var router: Router
  private let world: World

  /// Shows the scrums of a world.
  package init(_ world: World) {
    self.world = world
    _router = StateObject(wrappedValue: Router(world.store))
  }

  /// The module where the user is.
  package var body: Element {
    switch router.screen {
    case .list: ListModule(world, router)
    case .detail(let id):
      if let scrum = world.scrum(id) { DetailModule(world, router, scrum) } else { gone }
    case .form(let form):
      if let scrum = world.scrum(form.id) ?? form.newScrum {
        FormModule(world, router, scrum)
      } else {
        gone
      }
    case .meeting(let id, _):
      if let scrum = world.scrum(id) { MeetingModule(world, router, scrum) } else { gone }
    }
  }

  @ElementBuilder private var gone: Element {
    Text("This scrum is gone")
    Button("Back", id: "back") { router.show(.list) }
  }
}
