// The values that users have entered, kept until a frame shows whether they were accepted.
//
// State: `entered`, the values in the order of the inputs. Only the host touches it.
//
// Order of events: an input is noted before its intent runs. The next frame, or one made only for
// this, takes the noted values and compares them with the values of the elements at that time. The
// elements that differ become the frame's `reasserted`.

/// The values that a user has entered into elements since the last frame.
struct EnteredValues {
  private enum Value {
    case text(String)
    case flag(Bool)
    case choice(String)
  }

  private var entered: [(location: ElementLocation, value: Value)] = []

  var isEmpty: Bool { entered.isEmpty }

  /// Notes the value that an input gives to an element, if it enters one.
  mutating func note(
    _ input: ElementInput, to element: DrawnElement, at location: () -> ElementLocation
  ) {
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
    let location = location()
    // The user sees the last value entered.
    entered.removeAll { $0.location == location }
    entered.append((location, value))
  }

  /// Returns the elements that are still present and show a value other than the one entered.
  func refused(_ elements: (ScopeID) -> [Element]) -> [ElementLocation] {
    entered.compactMap { location, value in
      var isRefused = false
      ElementNames.forEach(in: elements(location.scope)) { element, name in
        if name == location.name { isRefused = !EnteredValues.matches(value, element) }
      }
      return isRefused ? location : nil
    }
  }

  private static func matches(_ value: Value, _ element: DrawnElement) -> Bool {
    switch (value, element.value) {
    case (.text(let entered), .text(let text)), (.text(let entered), .secret(let text)):
      entered == text
    case (.flag(let entered), .flag(let isOn)): entered == isOn
    case (.choice(let entered), .choice(let choice, _)): entered == choice.id
    // An element of another kind took its place, and is drawn in full.
    default: true
    }
  }
}

extension ViewHost {
  /// Notes the value that the user has entered into an element.
  func note(_ input: ElementInput, to source: IntentSource) {
    guard case .element(let found) = source else { return }
    entered.note(input, to: found.element) { found.location(on: self) }
  }

  /// Requests a frame that shows whether the entered values were accepted, if none was made since.
  func showEntered() {
    if !entered.isEmpty { batch { askForTurn() } }
  }

  /// Removes the entered values, and returns the elements that show other values.
  func takeReasserted() -> Set<ElementID> {
    if entered.isEmpty { return [] }
    let noted = entered
    entered = EnteredValues()
    return Set(noted.refused(elements(of:)).compactMap(identity(of:)))
  }
}
