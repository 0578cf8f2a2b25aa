public import Signals

extension TestHost {
  /// Taps the element with an id.
  ///
  /// Tapping a toggle changes its state.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func tap(_ id: String) throws { try use(.id(id), with: .tap) }

  /// Taps an element, regardless of its id.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func tap(_ element: DrawnElement) throws { try use(element, with: .tap) }

  /// Taps the element with an id, and waits for its intent if that is async.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public nonisolated(nonsending) func tapAsync(_ id: String) async throws {
    try await useAsync(.id(id))
  }

  /// Taps an element, and waits for its intent if that is async.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public nonisolated(nonsending) func tapAsync(_ element: DrawnElement) async throws {
    try await useAsync(.element(element))
  }

  /// Starts the intent of the element with an id, without waiting for it if it is async.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent, unless that is async.
  public func start(_ id: String) throws { try use(.id(id), with: .tap, called: .started) }

  /// Starts the intent of an element, without waiting for it if it is async.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent, unless that is async.
  public func start(_ element: DrawnElement) throws {
    try use(.element(element), with: .tap, called: .started)
  }

  /// Replaces the text of the text field with an id.
  ///
  /// - Parameters:
  ///   - text: The new text.
  ///   - id: The id of the field.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func type(_ text: String, into id: String) throws {
    try use(.id(id), with: .text(text))
  }

  /// Replaces the text of a text field.
  ///
  /// - Parameters:
  ///   - text: The new text.
  ///   - element: The field, as found in the current frame.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func type(_ text: String, into element: DrawnElement) throws {
    try use(element, with: .text(text))
  }

  /// Submits the text of the text field with an id.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func submit(_ id: String) throws { try use(.id(id), with: .submit) }

  /// Submits the text of a text field.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func submit(_ element: DrawnElement) throws { try use(element, with: .submit) }

  /// Sets the toggle with an id.
  ///
  /// - Parameters:
  ///   - id: The id of the toggle.
  ///   - isOn: The state to set.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func toggle(_ id: String, to isOn: Bool) throws {
    try use(.id(id), with: .flag(isOn))
  }

  /// Sets a toggle.
  ///
  /// - Parameters:
  ///   - element: The toggle, as found in the current frame.
  ///   - isOn: The state to set.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func toggle(_ element: DrawnElement, to isOn: Bool) throws {
    try use(element, with: .flag(isOn))
  }

  /// Selects an option of the picker with an id, by the option's title or id.
  ///
  /// - Parameters:
  ///   - option: The title of the option, or its id.
  ///   - id: The id of the picker.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func select(_ option: String, in id: String) throws { try select(option, in: find(id)) }

  /// Selects an option of a picker, by the option's title or id.
  ///
  /// - Parameters:
  ///   - option: The title of the option, or its id.
  ///   - element: The picker, as found in the current frame.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func select(_ option: String, in element: DrawnElement) throws {
    // If several options have this title, the error lists the ids of all of them.
    let several = Set(element.options.filter { $0.title == option })
    if several.count > 1, element.option(option) == nil {
      let name = element.id ?? element.kind.name
      throw refusal(
        .ambiguousOption(name, title: option, ids: several.map(\.id).sorted()))
    }
    try use(element, with: .choice(element.option(option)?.id ?? option))
  }

  /// Presses a key that content on screen is bound to.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the key isn't bound to anything
  ///   enabled; otherwise the errors of the host and of the intent.
  public func press(_ key: KeyPress) throws {
    try checkBound(key)
    try host.perform(.key(key))
  }

  /// Presses a key, and waits for its intent if that is async.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the key isn't bound to anything
  ///   enabled; otherwise the errors of the host and of the intent.
  public nonisolated(nonsending) func pressAsync(_ key: KeyPress) async throws {
    try checkBound(key)
    try await host.performAsync(.key(key))
  }

  /// Starts the intent that a key is bound to, without waiting for it if it is async.
  ///
  /// - Throws: A ``TestHostError`` that shows the screen if the key isn't bound to anything
  ///   enabled; otherwise the errors of the host, and that of an intent that isn't async.
  public func start(pressing key: KeyPress) throws {
    try checkBound(key)
    try host.start(.key(key))
  }

  /// Lets the host refuse a key that isn't bound to anything enabled.
  private func checkBound(_ key: KeyPress) throws {
    if !host.keys.contains(key) { try onScreen { try host.perform(.key(key)) } }
  }

  /// Moves a row of the list with an id so that it ends up at the offset `to`.
  ///
  /// - Parameters:
  ///   - from: The offset of the row on screen.
  ///   - to: The offset of the row after the move.
  ///   - id: The id of the list.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func move(from: Int, to: Int, in id: String) throws {
    try move(from: from, to: to, in: find(id))
  }

  /// Moves a row of a list so that it ends up at the offset `to`.
  ///
  /// - Parameters:
  ///   - from: The offset of the row on screen.
  ///   - to: The offset of the row after the move.
  ///   - list: The list, as found in the current frame.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func move(from: Int, to: Int, in list: DrawnElement) throws {
    let noMove = ElementInput.move([], toOffset: 0)
    _ = try onScreen { try host.resolve(.element(list), with: noMove, called: .synchronous) }
    let count = host.frame.rowCount(in: list.children)
    for place in [from, to] where place < 0 || place >= count {
      throw refusal(.noRow(list.id ?? list.kind.name, offset: place, count: count))
    }
    // The host expects the offset of the row before which to insert.
    try move([from], toOffset: to > from ? to + 1 : to, in: list)
  }

  /// Moves rows of the list with an id to before the row at an offset.
  ///
  /// All offsets refer to the rows on screen.
  ///
  /// - Parameters:
  ///   - offsets: The offsets of the rows to move.
  ///   - destination: The offset of the row before which to insert them; the number of rows for the
  ///     end.
  ///   - id: The id of the list.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func move(_ offsets: [Int], toOffset destination: Int, in id: String) throws {
    try use(.id(id), with: .move(offsets, toOffset: destination))
  }

  /// Moves rows of a list to before the row at an offset.
  ///
  /// All offsets refer to the rows on screen.
  ///
  /// - Parameters:
  ///   - offsets: The offsets of the rows to move.
  ///   - destination: The offset of the row before which to insert them; the number of rows for the
  ///     end.
  ///   - list: The list, as found in the current frame.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func move(_ offsets: [Int], toOffset destination: Int, in list: DrawnElement) throws {
    try use(list, with: .move(offsets, toOffset: destination))
  }

  /// Performs any input on an element, regardless of its id.
  ///
  /// The element must be on screen unchanged: if it differs in a later frame, find it again.
  ///
  /// - Parameters:
  ///   - element: The element, as found in the current frame.
  ///   - input: The input, which must be of a kind that the element takes.
  /// - Throws: A ``TestHostError`` that shows the screen if the element isn't found or can't take
  ///   the input; otherwise the error of the intent.
  public func use(_ element: DrawnElement, with input: ElementInput) throws {
    try use(.element(element), with: input)
  }

  // A refusal by the host shows the screen. An error of the intent is thrown unchanged.

  private func use(
    _ element: ElementReference, with input: ElementInput, called call: IntentCall = .synchronous
  ) throws {
    let intent = try onScreen { try host.resolve(element, with: input, called: call) }
    try host.perform(intent)
  }

  private nonisolated(nonsending) func useAsync(_ element: ElementReference) async throws {
    let intent = try onScreen { try host.resolve(element, with: .tap, called: .awaited) }
    try await host.performAsync(intent)
  }
}
