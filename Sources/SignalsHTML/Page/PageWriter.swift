// Draws a frame as the content of a page.
//
// State: `markup`, the content so far; `targets`, what the names on the page refer to; `fields`, the
// names of the text fields; `isBusy`, whether an element is busy; `names`, the identities of the
// elements of the scopes so far; `level`, the level of the next heading; `depth`, the nesting depth.

import Signals

/// Draws a frame as the content of a page.
struct PageWriter {
  /// The number of rows of a `ForEach` on one page.
  static let rowLimit = 100
  /// The greatest nesting depth; browsers have a limit too, and the stack is finite.
  static let depthLimit = 200

  let frame: Frame
  /// The part of the paths of pages before the addresses of screens.
  let path: String
  let pageNames: PageNames
  /// The first rows shown, by the name of the `ForEach`.
  let firstRows: [String: Int]
  var markup = Markup()
  private(set) var targets: [String: PageTarget] = [:]
  var fields: [String] = []
  var isBusy = false
  var level = 1
  private var names: [ScopeID: [ObjectIdentifier: ElementID]] = [:]
  private var depth = 0

  init(_ frame: Frame, path: String, names: PageNames, firstRows: [String: Int]) {
    self.frame = frame
    self.path = path
    pageNames = names
    self.firstRows = firstRows
  }

  /// Draws the whole screen, or the content that covers it.
  mutating func drawScreen() {
    guard let cover = frame.cover else {
      return draw(frame.elements(of: frame.root), in: frame.root, as: .block)
    }
    markup.begin("div")
    markup.attribute("class", "cover")
    markup.attribute("role", "dialog")
    markup.attribute("aria-modal", "true")
    if !cover.element.text.isEmpty { markup.attribute("aria-label", cover.element.text) }
    draw(cover.element.children, in: cover.scope, as: .block)
    markup.end("div")
  }

  // MARK: - Names

  /// Returns the name of an element on the page.
  mutating func name(of element: DrawnElement, in scope: ScopeID) -> String {
    if names[scope] == nil {
      names[scope] = Dictionary(
        frame.namedElements(of: scope).map { (ObjectIdentifier($0.element), $0.id) },
        uniquingKeysWith: { first, _ in first })
    }
    guard let id = names[scope]?[ObjectIdentifier(element)] else { return "" }
    let name = pageNames.name(of: id)
    targets[name] = .element(id)
    return name
  }

  /// Returns the name of a scope on the page.
  mutating func name(of scope: ScopeID, as target: (ScopePath) -> PageTarget) -> String {
    guard let path = frame.path(of: scope) else { return "" }
    let name = pageNames.name(of: path)
    targets[name] = target(path)
    return name
  }

  /// Whether an element has the focus.
  func hasFocus(_ name: String) -> Bool {
    frame.focus.map { pageNames.name(of: $0) == name } ?? false
  }

  // MARK: - Elements

  /// The elements around the ones that are drawn, which decide about their markup.
  enum Flow {
    /// One below the other.
    case block
    /// Side by side, or in the cell of a table.
    case inline
  }

  mutating func draw(_ elements: [Element], in scope: ScopeID, as flow: Flow) {
    depth += 1
    defer { depth -= 1 }
    if depth > PageWriter.depthLimit {
      if !elements.isEmpty { write(error: "nested too deep to be drawn") }
      return
    }
    for element in elements {
      switch element.content {
      case .drawn(let drawn): draw(drawn, in: scope, as: flow)
      case .scope(let inner):
        if let rows = frame.rows(of: inner) {
          draw(rows, of: inner, as: flow)
        } else {
          draw(frame.elements(of: inner), in: inner, as: flow)
        }
      case nil: break
      }
    }
  }

  /// Starts an element with the classes of a look.
  mutating func begin(
    _ tag: StaticString, _ own: StaticString? = nil, _ look: ElementLook, _ more: [String] = []
  ) {
    markup.begin(tag)
    if let classes = PageLook.classes(own, look, more) { markup.attribute("class", classes) }
  }

  mutating func draw(_ drawn: DrawnElement, in scope: ScopeID, as flow: Flow) {
    if drawn.isBusy { isBusy = true }
    switch (drawn.kind, drawn.value) {
    case (.text, _): text(drawn, as: flow)
    case (.divider, _):
      begin("hr", nil, drawn.look)
      markup.endEmpty()
    case (.errorText, _): drawn.errors.forEach { write(error: $0) }
    case (.row, _): container("div", "row", drawn, in: scope, as: .inline)
    case (.column, _): container("div", "column", drawn, in: scope, as: .block)
    case (.scrollBox, _): container("div", "scroll", drawn, in: scope, as: .block)
    case (.modified, _):
      container("div", drawn.look.hasPlace ? "column" : "look", drawn, in: scope, as: flow)
    case (.sectionHeader, _): container("header", "s-emphasized", drawn, in: scope, as: .block)
    case (.sectionFooter, _): container("footer", "s-secondary", drawn, in: scope, as: .block)
    case (.section, _): section(drawn, in: scope)
    case (.listBox, _): list(drawn, in: scope)
    case (.table, _): table(drawn, in: scope)
    case (_, .text(let text)): field(drawn, text: text, in: scope)
    case (_, .secret(let text)): secret(drawn, text: text, in: scope)
    case (.image, .address(let address)): image(drawn, address)
    case (_, .address(let address)): link(drawn, address, in: scope)
    case (.radioGroup, .choice(let choice, let options)):
      radios(drawn, choice, options, in: scope)
    case (_, .flag(let isOn)): toggle(drawn, isOn: isOn, in: scope)
    case (_, .choice(let choice, let options)): picker(drawn, choice, options, in: scope)
    case (_, .fraction(let part)): progress(drawn, part, in: scope)
    default: other(drawn, in: scope, as: flow)
    }
  }

  private mutating func container(
    _ tag: StaticString, _ own: StaticString, _ drawn: DrawnElement, in scope: ScopeID,
    as flow: Flow
  ) {
    begin(tag, own, drawn.look)
    draw(drawn.children, in: scope, as: flow)
    markup.end(tag)
    drawn.errors.forEach { write(error: $0) }
  }

  /// Draws a button, or an element of an unknown kind: its text followed by its children.
  private mutating func other(_ drawn: DrawnElement, in scope: ScopeID, as flow: Flow) {
    switch drawn.action {
    case .tap, .asyncTap:
      button(drawn, in: scope)
      if !drawn.children.isEmpty { draw(drawn.children, in: scope, as: flow) }
    case .none, .text, .flag, .choice, .open:
      if !drawn.text.isEmpty { text(drawn, as: flow) }
      if !drawn.children.isEmpty { container("div", "column", drawn, in: scope, as: flow) }
    }
  }

  private mutating func text(_ drawn: DrawnElement, as flow: Flow) {
    let isTitle = drawn.look.styles.contains(.title)
    let tag: StaticString = isTitle ? heading(level) : flow == .block ? "p" : "span"
    begin(tag, nil, drawn.look)
    if drawn.look.styles.contains(.status) { markup.attribute("role", "status") }
    markup.text(drawn.text)
    markup.end(tag)
    drawn.errors.forEach { write(error: $0) }
  }

  /// Returns the tag of a heading.
  func heading(_ level: Int) -> StaticString {
    switch level {
    case ...1: "h1"
    case 2: "h2"
    case 3: "h3"
    case 4: "h4"
    case 5: "h5"
    default: "h6"
    }
  }

  private mutating func section(_ drawn: DrawnElement, in scope: ScopeID) {
    let title = name(of: drawn, in: scope) + "-title"
    begin("section", nil, drawn.look)
    if !drawn.text.isEmpty { markup.attribute("aria-labelledby", title) }
    if !drawn.text.isEmpty {
      let tag = heading(level + 1)
      markup.begin(tag)
      markup.attribute("id", title)
      markup.text(drawn.text)
      markup.end(tag)
    }
    level += drawn.text.isEmpty ? 0 : 1
    draw(drawn.children, in: scope, as: .block)
    level -= drawn.text.isEmpty ? 0 : 1
    markup.end("section")
    drawn.errors.forEach { write(error: $0) }
  }

  /// Writes an error message that belongs to no field.
  mutating func write(error: String) {
    markup.begin("p")
    markup.attribute("class", "error")
    markup.text(error)
    markup.end("p")
  }
}
