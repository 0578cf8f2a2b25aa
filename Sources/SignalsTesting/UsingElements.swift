public import Signals

extension TestHost {
  /// Taps an element; a toggle changes its state.
  public func tap(_ id: String) throws { try perform(id, .tap) }

  /// Taps an element that was found, whatever its id.
  public func tap(_ element: DrawnElement) throws { try use(element, .tap) }

  /// Taps an element whose intent may be async, and waits for it.
  public nonisolated(nonsending) func tapAsync(_ id: String) async throws {
    do { try await host.performAsync(id) } catch let error as HostError { throw refusal(error) }
  }

  /// Starts an intent, and doesn't wait for it if it is async.
  public func start(_ id: String) throws { try onScreen { try host.start(id) } }

  /// Replaces the text of a text field.
  public func type(_ text: String, into id: String) throws { try perform(id, .text(text)) }

  /// Says that what was typed into a text field is complete.
  public func submit(_ id: String) throws { try perform(id, .submit) }

  /// Sets a toggle.
  public func toggle(_ id: String, to isOn: Bool) throws { try perform(id, .flag(isOn)) }

  /// Chooses an option of a picker.
  public func select(_ option: String, in id: String) throws { try perform(id, .choice(option)) }

  /// Presses a key that content on screen is bound to.
  public func press(_ key: KeyPress) throws { try onScreen { try host.press(key) } }

  /// Moves a row of a list to the place `to`, where it then stands.
  public func move(from: Int, to: Int, in id: String) throws {
    // The host is told the row before which it shall stand.
    try perform(id, .move([from], toOffset: to > from ? to + 1 : to))
  }

  /// Moves rows of a list to before the row at an offset, both as they are on screen.
  public func move(_ offsets: [Int], toOffset destination: Int, in id: String) throws {
    try perform(id, .move(offsets, toOffset: destination))
  }

  /// Does anything that can be done with an element that was found, whatever its id.
  ///
  /// It must still be on screen as it was: a frame in which it differs has another one.
  public func use(_ element: DrawnElement, _ input: ElementInput) throws {
    try onScreen { try host.perform(element, input) }
  }

  private func perform(_ id: String, _ input: ElementInput) throws {
    try onScreen { try host.perform(id, input) }
  }
}
