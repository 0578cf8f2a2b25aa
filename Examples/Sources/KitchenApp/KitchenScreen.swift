package import Signals

/// A screen of the app, each with an address: `/`, `/menu`, `/tables/3`, `/history`.
package enum Place: Equatable, Sendable {
  case pass
  case menu
  case table(Int)
  case history

  /// The key under which the store keeps the address on screen.
  static let key = "address"

  /// The screen with an address; the pass, if there is none.
  init(_ address: ScreenAddress) {
    switch address.parts.first {
    case "menu": self = .menu
    case "history": self = .history
    default: self = address.part(after: "tables").flatMap(Int.init).map(Place.table) ?? .pass
    }
  }

  /// The address of the screen.
  var address: ScreenAddress {
    switch self {
    case .pass: "/"
    case .menu: "/menu"
    case .table(let number): "/tables/\(number)"
    case .history: "/history"
    }
  }
}

/// The whole display: where to go, undo, the last refusal, and the screen.
package struct KitchenScreen: View {
  @Navigation(restoredAs: Place.key) private var address
  @State private var refusal: KitchenError?
  private let service: Service

  /// Shows the kitchen of a service.
  package init(_ service: Service) { self.service = service }

  /// The content of the screen.
  package var body: Element {
    let service = service
    Column {
      Row {
        Button("Pass", id: "pass") { $address.show(Place.pass.address) }
        Button("Menu", id: "menu") { $address.show(Place.menu.address) }
        Button("History", id: "history") { $address.show(Place.history.address) }
        UndoButtons(store: service.store)
      }
      if let refusal {
        Row {
          Text("! \(refusal)").style(.warning)
          Button("OK", id: "ok") { self.refusal = nil }
        }
      }
      switch Place(address) {
      case .pass: PassScreen(service: service) { address = Place.table($0).address }
      case .menu: MenuScreen(service: service)
      case .table(let number): TableScreen(kitchen: service.kitchen, table: number).id(number)
      case .history: HistoryScreen(store: service.store)
      }
    }
    .onChange(of: address) { refusal = nil }
    .onError { error in
      guard let error = error as? KitchenError else { throw error }
      refusal = error
    }
  }
}

/// Undo and redo, each with the name of its step.
struct UndoButtons: View {
  let store: Store

  var body: Element {
    Button(title("Undo", store.history.undoLabel), id: "undo") { try store.undo() }
      .disabled(!store.canUndo)
    Button(title("Redo", store.history.redoLabel), id: "redo") { try store.redo() }
      .disabled(!store.canRedo)
  }

  private func title(_ verb: String, _ label: String?) -> String {
    label.map { "\(verb): \($0)" } ?? verb
  }
}

/// The steps that can be undone and redone, with the minute of each.
struct HistoryScreen: View {
  let store: Store

  var body: Element {
    let history = store.history
    Section("Done: \(history.undoCount)") { for step in history.undoSteps { line(step) } }
    Section("Undone: \(history.redoCount)") { for step in history.redoSteps { line(step) } }
  }

  private func line(_ step: UndoHistory.Step) -> Text {
    let minute = step.date.map { "\(Int($0 / .seconds(60)))" } ?? "?"
    return Text("minute \(minute): \(step.label ?? "?")")
  }
}

extension Int {
  /// A number of plates.
  var plates: String { self == 1 ? "1 plate" : "\(self) plates" }

  /// An amount in cents, as it is on a bill.
  var money: String {
    let cents = magnitude % 100
    return "\(self < 0 ? "-" : "")\(magnitude / 100).\(cents < 10 ? "0" : "")\(cents)"
  }
}
