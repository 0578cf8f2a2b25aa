// Finding the intent of an element by the element's id.

extension ViewHost {
  /// Runs the intent of the element with an id as one transaction, and makes the frame.
  ///
  /// If the intent throws, all its writes to stores are undone. The error goes to the nearest
  /// ``ElementContent/onError(_:)`` around the element, or else to ``onError``, and is then thrown
  /// to the caller.
  ///
  /// The intent's step in the undo history is labeled with the element's title, unless a `write` in
  /// the intent gives another label.
  ///
  /// - Throws: ``HostError`` if there is no such element, if it is disabled or hidden, or if it
  ///   doesn't take the input; otherwise the error of the intent.
  /// - Complexity: O(elements on screen) to find the element.
  public func perform(_ id: String, with input: ElementInput = .tap) throws {
    try perform(try foundElement(id), with: input)
  }

  /// Runs the intent of the element with an identity, as ``perform(_:with:)-(String,_)`` does.
  ///
  /// It also finds elements that have no id or share it with others.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the element is no longer on screen; otherwise as for an
  ///   id.
  public func perform(_ id: ElementID, with input: ElementInput = .tap) throws {
    try perform(try foundElement(id), with: input)
  }

  /// Runs the intent of an element of the frame on screen, as ``perform(_:with:)-(String,_)`` does.
  ///
  /// It also finds elements that have no id or share it with others.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the element is no longer on screen, or if another one has
  ///   taken its place since the view around it was evaluated; otherwise as for an id.
  public func perform(_ element: DrawnElement, with input: ElementInput = .tap) throws {
    try perform(try foundElement(element), with: input)
  }

  func perform(_ found: FoundElement, with input: ElementInput) throws {
    let element = found.element
    note(input, to: found)
    // Whatever the outcome, the entered value may differ from the value of the element.
    defer { showEntered() }
    try check(element, takes: input, called: .synchronously)
    let intent = try intent(of: element, named: element.id ?? element.name, for: input)
    try perform(
      intent, handler: element.handler, label: element.title, event: event(of: element, with: input)
    )
  }

  /// Returns the intent of an element as observers see it.
  func event(of element: DrawnElement, with input: ElementInput) -> IntentEvent {
    IntentEvent(name: element.name, element: element, input: input)
  }

  /// Runs an intent that has no element, such as one of a timer or a message from elsewhere.
  ///
  /// It is one transaction, as for an element; ``onError`` gets the errors. Within another intent,
  /// an observer or a transaction, the intent is part of that, as a savepoint of the host's store.
  ///
  /// - Parameters:
  ///   - name: The name of the intent in its ``IntentEvent``, and the label of its undo step.
  ///   - intent: The intent, which may throw.
  /// - Throws: The error of the intent.
  public func perform(named name: String? = nil, _ intent: () throws -> Void) throws {
    try perform(intent, label: name, event: IntentEvent(name: name ?? "an intent"))
  }

  func perform(
    _ intent: () throws -> Void, handler: ErrorHandler? = nil, label: String? = nil,
    event: @autoclosure () -> IntentEvent
  ) throws {
    Node.checkMayWrite("by an intent")
    try notifyingObservers(of: event(), kind: .intent) {
      try run(intent, handler: handler, label: label)
    }
  }

  private func run(
    _ intent: () throws -> Void, handler: ErrorHandler?, label: String?
  ) throws {
    do { try runIntent(label: label, intent) } catch {
      report(error, to: handler)
      throw error
    }
  }

  /// Returns the element on screen with an id.
  ///
  /// Rows that no renderer has requested are only evaluated and searched if no other element has
  /// the id.
  ///
  /// - Throws: ``HostError/noElement(_:nearest:)`` if there is none, ``HostError/hidden(_:)`` if it
  ///   is hidden or covered, and ``HostError/ambiguousElement(_:among:)`` if there are several.
  public func element(_ id: String) throws -> DrawnElement { try foundElement(id).element }

  func foundElement(_ id: String) throws -> FoundElement {
    var found: [FoundElement] = []
    let note = { found.append(FoundElement(element: $0, scope: $1)) }
    frame.forEachEvaluated { if $0.id == id { note($0, $1) } }
    var ids: [String] = []
    if found.isEmpty {
      frame.forEachInScope { element, scope in
        guard let present = element.id else { return }
        if present == id { note(element, scope) } else { ids.append(present) }
      }
    }
    if found.count > 1 {
      // Rows are searched in no particular order.
      let ids = found.compactMap { identity(of: $0) }.sorted { $0.description < $1.description }
      throw HostError.ambiguousElement(id, among: Array(ids.prefix(4)))
    }
    if found.isEmpty, frame.hides(id) { throw HostError.hidden(id) }
    guard let element = found.first else {
      throw HostError.noElement(id, nearest: id.nearest(among: ids))
    }
    return element
  }

  func foundElement(_ id: ElementID) throws -> FoundElement {
    guard let found = found(id) else { throw HostError.gone(id.description) }
    return found
  }

  func foundElement(_ element: DrawnElement) throws -> FoundElement {
    guard let found = found(element) else {
      throw HostError.gone(element.id ?? element.name)
    }
    return found
  }

  func intent(
    of element: DrawnElement, named id: String, for input: ElementInput
  ) throws -> () throws -> Void {
    switch (element.action, input) {
    case (.tap(let intent), .tap): return intent
    case (.text(let intent), .text(let text)): return { try intent(text) }
    case (.flag(let intent), .flag(let flag)): return { try intent(flag) }
    case (.flag(let intent), .tap):
      guard case .flag(let isOn) = element.value else { break }
      return { try intent(!isOn) }
    case (.choice(let intent), .choice(let option)):
      guard case .choice(_, let options) = element.value else { break }
      guard options.contains(where: { $0.id == option }) else {
        throw HostError.noOption(id, option: option, options: options.map(\.description))
      }
      return { try intent(option) }
    case (_, .submit):
      if let submit = element.submit { return submit }
    case (_, .move(let offsets, let destination)):
      guard let move = element.move else { break }
      let count = frame.rowCount(in: element.children)
      if let wrong = offsets.first(where: { $0 < 0 || $0 >= count })
        ?? (destination < 0 || destination > count ? destination : nil)
      {
        throw HostError.noRow(id, offset: wrong, count: count)
      }
      return { try move(offsets, destination) }
    default: break
    }
    throw HostError.wrongInput(id, kind: element.kind, input)
  }
}

extension DrawnElement {
  /// The text by which the user knows the element, if it has any.
  fileprivate var title: String? { text.isEmpty ? nil : text }

  /// The name of the element in messages and logs.
  package var name: String { text.isEmpty ? kind.name : "\(kind) \(text.debugDescription)" }
}

extension Frame {
  /// Returns the number of rows in the given elements: the drawn elements, and the rows of each
  /// `ForEach`.
  package func rowCount(in elements: [Element]) -> Int {
    elements.reduce(0) { count, element in
      switch element.content {
      // An element that only adds a look isn't a row.
      case .drawn(let drawn) where drawn.kind == .modified: count + rowCount(in: drawn.children)
      case .drawn: count + 1
      case .scope(let scope):
        count + (rows(of: scope)?.count ?? rowCount(in: self.elements(of: scope)))
      case nil: count
      }
    }
  }
}
