import Shell
package import Signals
import SignalsTerminal

/// The kitchen on a full screen: the same display, with keys and a line for the bell.
package struct KitchenTerminal: View {
  @Navigation(restoredAs: Place.key) private var address
  @Focus private var focus
  private let service: Service
  private let problem: () -> String?

  /// Shows the kitchen of a service; `problem` is a message for the user.
  package init(_ service: Service, problem: @escaping () -> String? = { nil }) {
    (self.service, self.problem) = (service, problem)
  }

  /// The content of the screen.
  package var body: Element {
    let service = service
    FullScreen(status: problem() ?? "", keys: KitchenTerminal.keys, fields: ["table", "search"]) {
      ScrollBox(id: "screen") { KitchenScreen(service) }
      for ring in service.bell.messages { Text("Bell: \(ring)").style(.warning) }
    }
    .onKey("p") { $address.show(Place.pass.address) }
    .onKey("m") { $address.show(Place.menu.address) }
    .onKey("h") { $address.show(Place.history.address) }
    .onKey("/") {
      $address.show(Place.menu.address)
      focus = "search"
    }
    .onKey("u") { try service.store.undo() }
    .onKey("r") { try service.store.redo() }
  }

  private static let keys: [FullScreen.Key] = [
    .init("p", "pass"), .init("m", "menu"), .init("/", "search"), .init("h", "history"),
    .init("u", "undo"), .init("r", "redo"),
    .init("esc", "back", inFieldsAlone: true),
  ]
}
