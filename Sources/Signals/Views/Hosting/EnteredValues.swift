// What users have entered, until a frame says whether it stands.
//
// State: `entered`, in the order of the inputs; `reasserted`, for the frame that is being made, the elements whose values
// are others than those entered.
//
// Order of events: an input is noted before its intent runs; the next frame, or one made for this alone, takes what was
// noted and compares it with what the elements say then.

/// What a user has entered into elements since the last frame.
struct EnteredValues {
  private enum Value {
    case text(String)
    case flag(Bool)
    case choice(String)
  }

  private var entered: [(place: NamedPlace, value: Value)] = []

  var isEmpty: Bool { entered.isEmpty }

  /// Notes what an input is to make of an element's value, if it enters one.
  mutating func note(_ input: ElementInput, to element: DrawnElement, at place: () -> NamedPlace) {
    let value: Value
    switch (element.action, input) {
    case (.text, .text(let text)): value = .text(text)
    case (.flag, .flag(let flag)): value = .flag(flag)
    case (.flag, .tap):
      guard case .flag(let isOn) = element.value else { return }
      value = .flag(!isOn)
    case (.choice, .choice(let option)): value = .choice(option)
    default: return
    }
    let place = place()
    // What was entered last is what the user sees.
    entered.removeAll { $0.place == place }
    entered.append((place, value))
  }

  /// The elements that are still there and say something else than what was entered.
  func refused(_ elements: (ScopeID) -> [Element]) -> [NamedPlace] {
    entered.compactMap { place, value in
      var isRefused = false
      ElementNames.forEach(in: elements(place.scope)) { element, name in
        if name == place.name { isRefused = !EnteredValues.stands(value, in: element) }
      }
      return isRefused ? place : nil
    }
  }

  private static func stands(_ value: Value, in element: DrawnElement) -> Bool {
    switch (value, element.value) {
    case (.text(let entered), .text(let text)): entered == text
    case (.flag(let entered), .flag(let isOn)): entered == isOn
    case (.choice(let entered), .choice(let choice, _)): entered == choice.id
    // Another kind of element has come there, which is drawn anew.
    default: true
    }
  }
}

extension ViewHost {
  /// Notes what the user has entered into an element.
  func note(_ input: ElementInput, to found: FoundElement) {
    entered.note(input, to: found.element) {
      NamedPlace(scope: found.scope, name: found.name(on: self))
    }
  }

  /// Asks for a frame that says whether what was entered stands, if none was made since.
  func showEntered() {
    if !entered.isEmpty { batch { askForTurn() } }
  }

  /// Takes what was entered, and returns the elements that don't say so.
  func takeReasserted() -> Set<ElementID> {
    if entered.isEmpty { return [] }
    let noted = entered
    entered = EnteredValues()
    return Set(noted.refused(elements(of:)).compactMap(identity(of:)))
  }
}
