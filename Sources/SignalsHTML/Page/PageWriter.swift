// Draws a frame as the content of a page.
//
// State: `markup`, the content so far; `found`, what was found in the kept scope that is drawn,
// `scope`; `names`, the identities of the elements of the scopes so far; `level`, the level of the
// next heading; `depth`, the nesting depth.

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
  /// What is kept of the last drawing, and for the next.
  let kept: KeptScopes
  /// Whether a script keeps the page up to date.
  let isLive: Bool
  var markup = Markup()
  var found = PageFindings()
  var level = 1
  private var names: [ScopeID: [ObjectIdentifier: ElementID]] = [:]
  private var depth = 0
  private var scope: ScopeID?

  init(_ frame: Frame, of session: HTMLSession, keeping kept: KeptScopes) {
    self.frame = frame
    self.kept = kept
    (path, pageNames, firstRows) = (session.path, session.names, session.firstRows)
    isLive = session.live != nil
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
      let named = kept.path(of: scope, in: frame).map { frame.namedElements(of: scope, at: $0) }
      names[scope] = Dictionary(
        (named ?? []).map { (ObjectIdentifier($0.element), $0.id) },
        uniquingKeysWith: { first, _ in first })
    }
    guard let id = names[scope]?[ObjectIdentifier(element)] else { return "" }
    let name = pageNames.name(of: id)
    kept.targets[name] = .element(id)
    return name
  }

  /// Returns the name of a scope on the page.
  mutating func name(of scope: ScopeID, as target: (ScopePath) -> PageTarget) -> String {
    guard let path = kept.path(of: scope, in: frame) else { return "" }
    let name = pageNames.name(of: path)
    kept.targets[name] = target(path)
    return name
  }

  // MARK: - Scopes

  /// Returns where the next scope is drawn.
  func context(of flow: Flow) -> ScopeContext {
    ScopeContext(parent: scope, flow: flow, level: level, depth: depth)
  }

  /// Draws a scope, unless a drawing of it was kept.
  ///
  /// - Parameter content: Draws the scope, and returns whether the drawing is complete: one that has
  ///   other effects isn't kept.
  mutating func draw(
    _ scope: ScopeID, _ context: ScopeContext, _ content: (inout PageWriter) -> Bool
  ) {
    if let drawing = kept.drawing(of: scope, in: context) {
      drawing.nodes.forEach { markup.append($0) }
      return found.add(drawing.found)
    }
    let (outer, foundBefore, first) = (self.scope, found, markup.siblings.count)
    (self.scope, found) = (scope, PageFindings())
    if content(&self) {
      let nodes = Array(markup.siblings[first...])
      kept.put(KeptScopes.Drawing(nodes, in: context, finding: found), of: scope)
    } else {
      kept.put(scope, in: outer)
    }
    let foundHere = found
    (self.scope, found) = (outer, foundBefore)
    found.add(foundHere)
  }

  /// Notes that the elements of a scope are drawn as those of the kept scope around it.
  func note(_ part: ScopeID) { kept.put(part, in: scope) }

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
        draw(inner, context(of: flow)) { writer in
          if let rows = writer.frame.rows(of: inner) {
            writer.draw(rows, of: inner, as: flow)
          } else {
            writer.draw(writer.frame.elements(of: inner), in: inner, as: flow)
          }
          return true
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
    if drawn.isBusy { found.isBusy = true }
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
