// Draws a frame as the content of a page.
//
// State: `markup`, the content so far; `found`, the findings in the kept scope that is drawn,
// `scope`, whose group is at the depth `base` of the markup; `names`, the identities of the elements
// of the scopes so far; `level`, the level of the next heading; `depth`, the nesting depth;
// `isInTitle`, whether an element around is the title; `unfinished`, the parts of rows whose buttons
// follow after the list or table.
//
// Order of events: if the screen's own scope has changed, it is drawn, with all changed scopes in it.
// Each other scope that has changed is drawn by itself, outer ones first. Then, inner ones first, the
// drawings around them are copied with the new ones; one that depends on a finding in them is drawn
// again.

import Signals

/// Draws a frame as the content of a page.
struct PageWriter {
  /// The greatest nesting depth; browsers have a limit too, and the stack is finite.
  static let depthLimit = 200

  let frame: Frame
  /// The part of the paths of pages before the addresses of screens.
  let path: String
  let pageNames: PageNames
  /// The number of rows of a `ForEach` on one page.
  let rowLimit: Int
  /// The first rows shown, by the name of the `ForEach`.
  let firstRows: [String: Int]
  /// The drawings that are kept.
  let kept: KeptScopes
  /// Whether a script keeps the page up to date.
  let isLive: Bool
  var markup = Markup()
  var found = PageFindings()
  var level = 1
  private var names: [ScopeID: [ObjectIdentifier: ElementID]] = [:]
  var depth = 0
  private var scope: ScopeID?
  private var base = 0
  var isInTitle = false
  var unfinished: [ShownRows] = []

  init(_ frame: Frame, of session: HTMLSession, keeping kept: KeptScopes) {
    self.frame = frame
    self.kept = kept
    (path, pageNames, firstRows) = (session.path, session.names, session.firstRows)
    (isLive, rowLimit) = (session.live != nil, session.limits.rows)
  }

  /// Draws the whole screen, or the content that covers it, except for kept drawings.
  ///
  /// - Returns: The drawing, with the present elements.
  mutating func drawScreen() -> KeptScopes.Drawing {
    let root = frame.root
    let cover = frame.cover
    if !kept.shows(cover) { kept.remove(root) }
    kept.show(cover, in: root)
    if kept.drawing(of: root) == nil {
      draw(root, in: context(.screen, of: .block))
    }
    refresh(kept.takeWaiting())
    guard let drawing = kept.drawing(of: root) else {
      trap("the screen is a part of another scope")
    }
    return drawing
  }

  private mutating func screen() {
    guard let cover = frame.cover else {
      return draw(frame.elements(of: frame.root), in: frame.root, as: .block)
    }
    // What contains it isn't on the page, and isn't told when it changes.
    kept.removeAround(cover.scope)
    note(cover.scope)
    markup.begin(.div)
    markup.key(.cover)
    markup.attribute(.class, "cover")
    // So that it can have the focus, by which a screen reader notices it.
    markup.attribute(.tabindex, "-1")
    markup.attribute(.role, "dialog")
    markup.attribute(.ariaModal, "true")
    if !cover.element.text.isEmpty { markup.attribute(.ariaLabel, cover.element.text) }
    draw(cover.element.children, in: cover.scope, as: .block)
    markup.end(.div)
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
  func context(_ kind: ScopeContext.Kind, of flow: Flow) -> ScopeContext {
    ScopeContext(
      kind: kind, parent: scope, flow: flow, level: level, depth: depth, isInTitle: isInTitle)
  }

  /// Draws a scope, unless a drawing of it was kept.
  mutating func draw(_ scope: ScopeID, in context: ScopeContext) {
    let place = markup.place(below: base)
    if let drawing = kept.drawing(of: scope), drawing.context == context {
      drawing.place = place
      markup.append(drawing.group)
      return found.add(drawing.found)
    }
    let (outer, foundBefore, baseBefore) = (self.scope, found, base)
    markup.begin(scope)
    (self.scope, found, base) = (scope, PageFindings(), markup.depth)
    let isComplete = content(of: scope, context)
    let group = markup.endGroup()
    // A title in a row isn't that of the screen.
    if context.kind.isRow { found.title = nil }
    if isComplete {
      kept.put(KeptScopes.Drawing(group, at: place, in: context, finding: found), of: scope)
    } else {
      kept.put(scope, in: outer)
    }
    let foundHere = found
    (self.scope, found, base) = (outer, foundBefore, baseBefore)
    found.add(foundHere)
  }

  /// Draws the content of a scope.
  ///
  /// - Returns: Whether that is all; a drawing that has other effects isn't kept.
  private mutating func content(of scope: ScopeID, _ context: ScopeContext) -> Bool {
    switch context.kind {
    case .screen: screen()
    case .elements:
      if let rows = frame.rows(of: scope) {
        draw(rows, of: scope, as: context.flow)
      } else {
        draw(frame.elements(of: scope), in: scope, as: context.flow)
      }
    case .row: draw(frame.elements(of: scope), in: scope, as: context.flow)
    case .item: item(scope, in: context)
    case .tableRow:
      let count = unfinished.count
      tableRows(frame.elements(of: scope), in: scope, context.columns)
      return unfinished.count == count
    }
    return true
  }

  /// Draws a scope by itself, in place of a former drawing.
  ///
  /// - Returns: Whether the drawings around it differ in nothing else.
  private mutating func redraw(_ scope: ScopeID, replacing former: KeptScopes.Drawing) -> Bool {
    let context = former.context
    (self.scope, base, isInTitle) = (context.parent, 0, context.isInTitle)
    (level, depth) = (context.level, context.depth)
    (markup, found, unfinished) = (Markup(), PageFindings(), [])
    kept.remove(scope)
    draw(scope, in: context)
    guard let drawing = kept.drawing(of: scope) else { return false }
    drawing.place = former.place
    return drawing.found == former.found
  }

  /// The changes of a drawing.
  private struct Change {
    let drawing: KeptScopes.Drawing
    /// The former groups of scopes in it, and their places.
    var replaced: [ScopeID: (old: PageNode, place: [Int])] = [:]
    /// Whether it has to be drawn again.
    var isWhole = false
  }

  /// Draws scopes by themselves, and replaces them in the drawings around them, each of which is
  /// copied or drawn once.
  private mutating func refresh(_ scopes: [(scope: ScopeID, drawing: KeptScopes.Drawing)]) {
    // By the ranks of the drawings around.
    var ranks: [[ScopeID: Change]] = []
    func note(_ scope: ScopeID, _ drawing: KeptScopes.Drawing, with old: PageNode, isAlike: Bool) {
      guard let outer = kept.around(drawing) else { return }
      let rank = outer.drawing.context.rank
      while ranks.count <= rank { ranks.append([:]) }
      var change = ranks[rank].removeValue(forKey: outer.scope) ?? Change(drawing: outer.drawing)
      if !isAlike || !outer.isDirect { change.isWhole = true }
      if change.replaced[scope] == nil { change.replaced[scope] = (old, drawing.place) }
      ranks[rank][outer.scope] = change
    }
    var made: Set<ScopeID> = []
    for (scope, former) in scopes where kept.isOnPage(former, of: scope, whenMade: made) {
      let isAlike = redraw(scope, replacing: former)
      note(scope, former, with: former.group, isAlike: isAlike)
      made.insert(scope)
    }
    while let changes = ranks.popLast() {
      for (scope, change) in changes {
        let (drawing, old) = (change.drawing, change.drawing.group)
        let replaced = change.replaced.compactMap { scope, former in
          kept.drawing(of: scope).map {
            PageNode.Replacement(old: former.old, new: $0.group, place: former.place)
          }
        }
        .sorted { $0.place.lexicographicallyPrecedes($1.place) }
        if !change.isWhole, let copy = old.replacing(replaced[...]) {
          drawing.group = copy
          note(scope, drawing, with: old, isAlike: true)
        } else {
          let isAlike = redraw(scope, replacing: drawing)
          note(scope, drawing, with: old, isAlike: isAlike)
        }
      }
    }
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
      case .scope(let inner): draw(inner, in: context(.elements, of: flow))
      case nil: break
      }
    }
  }

  /// Starts an element with the classes of a look.
  mutating func begin(
    _ tag: MarkupName, _ own: StaticString? = nil, _ look: ElementLook, _ more: [String] = []
  ) {
    markup.begin(tag)
    if let classes = PageLook.classes(own, look, more) { markup.attribute(.class, classes) }
  }

  mutating func draw(_ drawn: DrawnElement, in scope: ScopeID, as flow: Flow) {
    if drawn.isBusy { found.isBusy = true }
    let wasInTitle = isInTitle
    defer { isInTitle = wasInTitle }
    if drawn.look.styles.contains(.title) { isInTitle = true }
    switch (drawn.kind, drawn.value) {
    case (.text, _): text(drawn, as: flow)
    case (.divider, _):
      begin(.hr, nil, drawn.look)
      markup.endEmpty()
    case (.errorText, _): drawn.errors.forEach { write(error: $0) }
    case (.row, _): container(.div, "row", drawn, in: scope, as: .inline)
    case (.column, _): container(.div, "column", drawn, in: scope, as: .block)
    case (.scrollBox, _): container(.div, "scroll", drawn, in: scope, as: .block)
    case (.modified, _):
      container(.div, drawn.look.hasPlace ? "column" : "look", drawn, in: scope, as: flow)
    case (.sectionHeader, _): container(.header, "s-emphasized", drawn, in: scope, as: .block)
    case (.sectionFooter, _): container(.footer, "s-secondary", drawn, in: scope, as: .block)
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
    _ tag: MarkupName, _ own: StaticString, _ drawn: DrawnElement, in scope: ScopeID,
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
      if !drawn.children.isEmpty { container(.div, "column", drawn, in: scope, as: flow) }
    }
  }

  private mutating func text(_ drawn: DrawnElement, as flow: Flow) {
    let isTitle = drawn.look.styles.contains(.title)
    noteTitle(drawn)
    let tag = isTitle ? heading(level) : flow == .block ? MarkupName.p : .span
    begin(tag, nil, drawn.look)
    if drawn.look.styles.contains(.status) { markup.attribute(.role, "status") }
    markup.text(drawn.text)
    markup.end(tag)
    drawn.errors.forEach { write(error: $0) }
  }

  /// Notes the text of an element if it is the title of the screen.
  mutating func noteTitle(_ drawn: DrawnElement) {
    if isInTitle || drawn.look.styles.contains(.title), drawn.kind == .text, found.title == nil {
      found.title = drawn.text
    }
  }

  /// Returns the tag of a heading.
  func heading(_ level: Int) -> MarkupName {
    switch level {
    case ...1: .h1
    case 2: .h2
    case 3: .h3
    case 4: .h4
    case 5: .h5
    default: .h6
    }
  }

  private mutating func section(_ drawn: DrawnElement, in scope: ScopeID) {
    let title = name(of: drawn, in: scope) + "-title"
    begin(.section, nil, drawn.look)
    if !drawn.text.isEmpty { markup.attribute(.ariaLabelledby, title) }
    if !drawn.text.isEmpty {
      let tag = heading(level + 1)
      markup.begin(tag)
      markup.attribute(.id, title)
      markup.text(drawn.text)
      markup.end(tag)
    }
    level += drawn.text.isEmpty ? 0 : 1
    draw(drawn.children, in: scope, as: .block)
    level -= drawn.text.isEmpty ? 0 : 1
    markup.end(.section)
    drawn.errors.forEach { write(error: $0) }
  }

  /// Writes an error message that belongs to no field.
  mutating func write(error: String) {
    markup.begin(.p)
    markup.attribute(.class, "error")
    markup.text(error)
    markup.end(.p)
  }
}
