import Signals

extension HTMLSession {
  /// Does what the form of a page asks for.
  ///
  /// Errors of intents go to the handlers of the views; those that none handles are shown on the
  /// next page. So is the refusal of an element that has left the screen since the page was made.
  /// After an error, the rest of the form isn't used.
  ///
  /// - Parameters:
  ///   - body: The body of the request, of the type `application/x-www-form-urlencoded`.
  ///   - now: The time, by which the visitor's requests are limited.
  /// - Throws: ``HTMLFormError`` if the request isn't a form of this session, or exceeds one of its
  ///   limits; then nothing was done.
  public func submit(
    _ body: some Sequence<UInt8>, at now: ContinuousClock.Instant = .now
  ) throws(HTMLFormError) {
    // A refused one counts, too: it has to be read.
    try allowance.take(at: now)
    let form = try FormBody(body, limit: limits.formLength)
    guard form["token"] == token else { throw .foreign }
    guard let text = form["do"], let action = PageAction(text) else { throw .malformed }
    use(form, for: action)
  }

  /// Enters the fields of a form, and uses a button.
  func use(_ form: FormBody, for action: PageAction?) {
    // A change of the focus leaves the message. So does an entry, unless the message is about one.
    let isEntry = form.fields.contains { $0.name.contains(".") }
    let isPress = action?.isPress ?? false
    if isPress || isEntry && isMessageOfEntry { message = nil }
    if isPress { notice = nil }
    guard let action else {
      // Each of them is used, whatever becomes of the others.
      for field in form.fields { reporting { _ = try enter(field.value, as: field.name) } }
      return
    }
    reporting {
      try perform(action, after: form.fields.compactMap { try enter($0.value, as: $0.name) })
    }
  }

  private func reporting(_ body: () throws -> Void) {
    defer { isEntering = false }
    do { try body() } catch is HostError {
      // The host's messages name elements by their ids.
      show("The screen has changed since this page was made. Please look again.")
    } catch {
      // The handlers have the error.
    }
  }

  /// Shows a message in place of the present one.
  func show(_ text: String) { (message, isMessageOfEntry) = (text, isEntering) }

  /// Moves the focus to an element, as the user has.
  ///
  /// - Returns: Whether the element is on screen.
  func moveFocus(to name: String) -> Bool {
    guard case .element(let id)? = kept.targets[name], let element = host.frame.element(id),
      element.isEnabled
    else { return false }
    return moveFocus(to: element, at: id)
  }

  /// Moves the focus to an element, which may be one of several with its id.
  private func moveFocus(to element: DrawnElement, at id: ElementID) -> Bool {
    guard let name = element.id, let scope = host.frame.scope(at: id.scope) else { return false }
    host.moveFocus(to: name, in: scope)
    return true
  }

  /// Enters a value into a field, unless it is the one that the page showed.
  ///
  /// - Returns: The name of the field; nil if it isn't one, or has the value already.
  private func enter(_ value: String, as field: String) throws -> String? {
    let parts = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    let (name, shown) = (parts[0], parts[1])
    isEntering = true
    // A text by its hash, an option by its name, which is its hash already. A script names none,
    // since it sends only what was entered.
    let text = PageText.shown(value)
    if !shown.isEmpty, value == shown || names.name(ofValue: text) == shown { return nil }
    let (reference, element) = try element(name)
    switch element.value {
    case .choice(_, let options):
      guard let option = options.first(where: { names.name(ofValue: $0.id) == value }) else {
        throw HostError.gone(name)
      }
      try host.start(reference, with: .choice(option.id))
    default: try host.start(reference, with: .text(text))
    }
    return name
  }

  private func perform(_ action: PageAction, after entered: [String]) throws {
    isEntering = false
    switch action {
    case .enter:
      // The form doesn't say in which field return was pressed.
      let field = entered.isEmpty && fields.count == 1 ? fields[0] : entered.first
      guard entered.count < 2, let field, let (reference, element) = try? element(field),
        element.submit != nil
      else { return }
      try host.start(reference, with: .submit)
    case .tap(let name): try use(name, with: .tap)
    case .set(let name, let isOn): try use(name, with: .flag(isOn))
    case .submit(let name): try use(name, with: .submit)
    case .move(let list, let row, let isUp): try move(row, in: list, isUp: isUp)
    case .rows(let name, let first):
      guard case .rows? = kept.targets[name] else { throw HostError.gone(name) }
      firstRows[name] = first
    case .key(let name): try host.start(.key(KeyPress(name)))
    }
  }

  /// Uses an element, which then has the focus as after a click.
  private func use(_ name: String, with input: ElementInput) throws {
    let (reference, element) = try element(name)
    if element.isEnabled, case .identity(let id) = reference { _ = moveFocus(to: element, at: id) }
    try host.start(reference, with: input)
  }

  /// Returns the element that a name on a page refers to.
  private func element(_ name: String) throws -> (ElementReference, DrawnElement) {
    guard case .element(let id)? = kept.targets[name], let element = host.frame.element(id) else {
      throw HostError.gone(name)
    }
    return (.identity(id), element)
  }

  /// Moves a row of a list by one place.
  private func move(_ row: String, in list: String, isUp: Bool) throws {
    let (reference, element) = try element(list)
    // Looking for the row requests those before it, which are released after a drawing of everything.
    defer { kept.removeAll() }
    guard case .row(let path)? = kept.targets[row], let scope = host.frame.scope(at: path),
      let position = host.frame.rowOffset(
        in: element.children, { $1.firstIndex(of: scope) })
    else { throw HostError.gone(row) }
    try host.start(reference, with: .move([position], toOffset: isUp ? position - 1 : position + 2))
  }
}
