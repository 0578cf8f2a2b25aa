public import Signals

extension TestHost {
  /// Taps an element; a toggle changes its state.
  public func tap(_ id: String) throws { try use(find(id), .tap) }

  /// Taps an element that was found, whatever its id.
  public func tap(_ element: DrawnElement) throws { try use(element, .tap) }

  /// Taps an element whose intent may be async, and waits for it.
  public nonisolated(nonsending) func tapAsync(_ id: String) async throws {
    try await tapAsync(try find(id))
  }

  /// Taps an element that was found, whose intent may be async, and waits for it.
  public nonisolated(nonsending) func tapAsync(_ element: DrawnElement) async throws {
    try onScreen { try host.checkOnScreen(element, .tap, .awaited) }
    try await host.performAsync(element)
  }

  /// Starts an intent, and doesn't wait for it if it is async.
  public func start(_ id: String) throws { try start(find(id)) }

  /// Starts the intent of an element that was found, and doesn't wait for it if it is async.
  public func start(_ element: DrawnElement) throws {
    try onScreen { try host.checkOnScreen(element, .tap, .started) }
    try host.start(element)
  }

  /// Replaces the text of a text field.
  public func type(_ text: String, into id: String) throws { try type(text, into: find(id)) }

  /// Replaces the text of a text field that was found.
  public func type(_ text: String, into element: DrawnElement) throws {
    try use(element, .text(text))
  }

  /// Says that what was typed into a text field is complete.
  public func submit(_ id: String) throws { try submit(find(id)) }

  /// Says likewise that what was typed into a text field that was found is complete.
  public func submit(_ element: DrawnElement) throws { try use(element, .submit) }

  /// Sets a toggle.
  public func toggle(_ id: String, to isOn: Bool) throws { try toggle(find(id), to: isOn) }

  /// Sets a toggle that was found.
  public func toggle(_ element: DrawnElement, to isOn: Bool) throws {
    try use(element, .flag(isOn))
  }

  /// Chooses an option of a picker, by its title or its id.
  public func select(_ option: String, in id: String) throws { try select(option, in: find(id)) }

  /// Chooses an option of a picker that was found.
  public func select(_ option: String, in element: DrawnElement) throws {
    // What is called so several times is refused with all that there is.
    let several = Set(element.options.filter { $0.title == option })
    if several.count > 1, element.option(option) == nil {
      let name = element.id ?? element.kind.name
      throw refusal(
        .ambiguousOption(name, title: option, ids: several.map(\.id).sorted()))
    }
    try use(element, .choice(element.option(option)?.id ?? option))
  }

  /// Presses a key that content on screen is bound to.
  public func press(_ key: KeyPress) throws {
    // Where it is bound to nothing that could be used the host refuses it, else the intent runs.
    if !host.keys.contains(key) { return try onScreen { try host.press(key) } }
    try host.press(key)
  }

  /// Presses a key whose intent may be async, and waits for it.
  public nonisolated(nonsending) func pressAsync(_ key: KeyPress) async throws {
    if !host.keys.contains(key) { return try onScreen { try host.press(key) } }
    try await host.pressAsync(key)
  }

  /// Starts the intent that a key is bound to, and doesn't wait for it if it is async.
  public func start(pressing key: KeyPress) throws {
    if !host.keys.contains(key) { return try onScreen { try host.press(key) } }
    try host.start(pressing: key)
  }

  /// Moves a row of a list to the place `to`, where it then stands.
  public func move(from: Int, to: Int, in id: String) throws {
    try move(from: from, to: to, in: find(id))
  }

  /// Moves a row of a list that was found to the place `to`, where it then stands.
  public func move(from: Int, to: Int, in list: DrawnElement) throws {
    try onScreen { try host.checkOnScreen(list, .move([], toOffset: 0)) }
    let count = host.frame.rowCount(in: list.children)
    for place in [from, to] where place < 0 || place >= count {
      throw refusal(.noRow(list.id ?? list.kind.name, offset: place, count: count))
    }
    // The host is told the row before which it shall stand.
    try move([from], toOffset: to > from ? to + 1 : to, in: list)
  }

  /// Moves rows of a list to before the row at an offset, both as they are on screen.
  public func move(_ offsets: [Int], toOffset destination: Int, in id: String) throws {
    try move(offsets, toOffset: destination, in: find(id))
  }

  /// Moves rows of a list that was found likewise.
  public func move(_ offsets: [Int], toOffset destination: Int, in list: DrawnElement) throws {
    try use(list, .move(offsets, toOffset: destination))
  }

  /// Does anything that can be done with an element that was found, whatever its id.
  ///
  /// It must still be on screen as it was: a frame in which it differs has another one.
  public func use(_ element: DrawnElement, _ input: ElementInput) throws {
    // What the host refuses shows the screen; what the intent throws is its own.
    try onScreen { try host.checkOnScreen(element, input) }
    try host.perform(element, input)
  }
}
