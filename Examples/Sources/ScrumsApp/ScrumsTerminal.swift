package import ScrumsModel
import Shell
package import Signals
import SignalsTerminal

/// The app on a full screen: the screens of any style, and the keys that a terminal has for them.
///
/// The screens are those that every renderer shows. A key changes what the screens themselves change: where the user is,
/// which all styles keep in the store under one key.
package struct ScrumsTerminal: View {
  @Restored(Screen.key) private var screen = Screen.list
  @Focus private var focus
  private let world: World
  private let style: Style
  private let connects: Binding<Bool>?
  private let status: () -> String

  /// Shows the scrums of a world; `connects` is whether they are shared with others now, if they are at all; `status` is
  /// something that the user should know.
  package init(
    _ world: World, _ style: Style, connects: Binding<Bool>? = nil,
    status: @escaping () -> String = { "" }
  ) {
    (self.world, self.style, self.connects, self.status) = (world, style, connects, status)
  }

  /// What the view shows.
  package var body: Element {
    let (world, style) = (world, style)
    FullScreen(status: status(), keys: keys, fields: ScrumsTerminal.fields) {
      // Each place has its own, with where it was scrolled to.
      ScrollBox(id: "\(screen.place)") { style.app(world) }
    }
    .onKey("n") { if screen == .list { screen = .form(ScrumForm()) } }
    .onKey("r") { if screen == .list { await world.feed.refresh() } }
    .onKey("m") { if let scrum = shown { screen = .meeting(scrum.id, Meeting(of: scrum)) } }
    .onKey("e") { if let scrum = shown { screen = .form(ScrumForm(scrum)) } }
    .onKey("p") { screen.meeting?.isPaused.toggle() }
    .onKey("s") { screen.meeting?.skip() }
    .onKey("o") { if screen == .list { connects?.wrappedValue.toggle() } }
    .onKey("u") { if screen == .list || shown != nil { try world.store.undo(onConflict: .theirs) } }
    .onKey("escape") { goBack() }
    // Letters are keys in a meeting, until the user goes to the notes.
    .onChange(of: screen.meeting == nil, initial: true) {
      if screen.meeting != nil { focus = "skip" }
    }
  }

  /// The scrum on screen, if it is not being edited and does not meet.
  private var shown: DailyScrum? {
    if case .detail(let id) = screen { world.scrum(id) } else { nil }
  }

  private func goBack() {
    switch screen {
    case .list: break
    // A form takes the key for itself, to drop its draft, unless its scrum is gone.
    case .detail, .form: screen = .list
    // A meeting ends when somebody says so, unless its scrum is gone.
    case .meeting(let id, _): if world.scrum(id) == nil { screen = .list }
    }
  }

  /// The ids of the fields that are typed into.
  private static let fields: Set<String> = ["title", "minutes", "new-attendee", "notes"]

  private var keys: [FullScreen.Key] {
    switch screen {
    case .list:
      [.init("n", "new"), .init("r", "refresh"), .init("u", "undo")]
        + (connects.map { [.init("o", $0.wrappedValue ? "offline" : "online")] } ?? [])
    case .detail:
      [.init("m", "meet"), .init("e", "edit"), .init("u", "undo"), .init("esc", "back")]
    case .form: [.init("tab", "next"), .init("esc", "cancel")]
    case .meeting(_, let meeting):
      [.init("p", meeting.isPaused ? "go on" : "pause"), .init("s", "skip")]
    }
  }
}
