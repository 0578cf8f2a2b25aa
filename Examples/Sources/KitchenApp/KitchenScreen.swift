package import Signals

/// A screen of the app.
package enum Place: Codable, Equatable, Sendable {
  case pass
  case menu
  case table(Int)
  case history

  /// The key under which the store keeps the place on screen.
  static let key = "place"
}

/// The whole display: where to go, undo, the last refusal, and the screen.
package struct KitchenScreen: View {
  @Restored(Place.key) private var place = Place.pass
  @State private var refusal: KitchenError?
  private let service: Service

  /// Shows the kitchen of a service.
  package init(_ service: Service) { self.service = service }

  /// The content of the screen.
  package var body: Element {
    let service = service
    Column {
      Row {
        Button("Pass", id: "pass") { place = .pass }
        Button("Menu", id: "menu") { place = .menu }
        Button("History", id: "history") { place = .history }
        UndoButtons(store: service.store)
      }
      if let refusal {
        Row {
          Text("! \(refusal)").style(.warning)
          Button("OK", id: "ok") { self.refusal = nil }
        }
      }
      switch place {
      case .pass: PassScreen(service: service) { place = .table($0) }
      case .menu: MenuScreen(service: service)
      case .table(let number): TableScreen(kitchen: service.kitchen, table: number).id(number)
      case .history: HistoryScreen(store: service.store)
      }
    }
    .onChange(of: place) { refusal = nil }
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
