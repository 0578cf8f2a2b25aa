// The rows of a scroll list, found by their place and created when they are accessed.
//
// A place is a path: an element of the list, a row of a `ForEach` there, an element of that row,
// and so on down to an element that is drawn as one piece. Paths lead through sections and columns,
// so that a section of a million rows only costs its visible rows. The flow counts no rows itself;
// it only uses the counts that a `ForEach` knows.

import Signals

/// The position of a row in a scroll list.
struct FlowPath: Equatable {
  var steps: [Int]
}

/// The rows of a scroll list in one frame.
///
/// State: `root`, the tree of nodes looked up so far, with the boxes created for this frame.
final class ElementFlow: Flow {
  private let builder: BoxBuilder
  private let root: Node
  /// Whether nested lists are part of this one even if they set a size, as when the whole screen
  /// scrolls.
  let takesLists: Bool
  /// The width of rows.
  ///
  /// Must be set before heights are requested.
  var width = 0

  init(
    _ builder: BoxBuilder, of elements: [Element], in scope: ScopeID, style: Style,
    columns: [ElementLook]?, list: DrawnElement? = nil, takesLists: Bool = false
  ) {
    self.builder = builder
    self.takesLists = takesLists
    let movable = list?.move == nil ? nil : list.map { ($0, scope) }
    root = Node(
      .elements(elements, scope, Around(style: style, columns: columns, movable: movable)))
  }

  /// The surroundings of a row.
  private struct Around {
    var style: Style
    /// The looks of its table's columns, which give their widths.
    var columns: [ElementLook]?
    /// The innermost list around it whose rows the user can move.
    var movable: (list: DrawnElement, scope: ScopeID)?
  }

  /// The content at a place and the nodes below it.
  ///
  /// A frame doesn't change, so each is looked up once.
  private final class Node {
    enum Content {
      case elements([Element], ScopeID, Around)
      case rows(FrameRows, ScopeID, Around)
      case leaf(DrawnElement, ScopeID, Around)
    }

    let content: Content
    let depth: Int
    let count: Int
    var children: [Int: Node] = [:]
    var box: Box?

    init(_ content: Content, depth: Int = 0) {
      self.content = content
      self.depth = depth
      count =
        switch content {
        case .elements(let elements, _, _): elements.count
        case .rows(let rows, _, _): rows.count
        case .leaf: 0
        }
    }

    var isLeaf: Bool {
      if case .leaf = content { true } else { false }
    }
  }

  // MARK: - Nodes

  private func child(of node: Node, at position: Int) -> Node {
    if let known = node.children[position] { return known }
    var content = content(of: node, at: position)
    let depth = node.depth + 1
    // A deep chain of single elements is flattened into one place.
    while depth > NestingLimit.plain, case .elements(let elements, let scope, let around) = content,
      elements.count == 1
    {
      content = self.content(of: elements[0], in: scope, around: around)
    }
    if NestingLimit.isTooDeep(depth) { content = refused(content, depth: depth) }
    let made = Node(content, depth: depth)
    node.children[position] = made
    return made
  }

  private func content(of node: Node, at position: Int) -> Node.Content {
    switch node.content {
    case .elements(let elements, let scope, let around):
      content(of: elements[position], in: scope, around: around)
    case .rows(let rows, _, let around): content(of: rows[position], around: around)
    case .leaf: node.content
    }
  }

  private func content(
    of element: Element, in scope: ScopeID, around: Around
  ) -> Node.Content {
    switch element.content {
    case .drawn(let drawn): content(of: drawn, in: scope, around: around)
    case .scope(let inner): content(of: inner, around: around)
    case nil: .elements([], scope, around)
    }
  }

  /// Returns the replacement for content that is nested too deeply.
  private func refused(_ content: Node.Content, depth: Int) -> Node.Content {
    switch content {
    case .leaf: return content
    case .elements(_, let scope, var around), .rows(_, let scope, var around):
      around.style = around.style.with(Theme.error)
      let text = Element(kind: .text, text: NestingLimit.refusal(of: nil, depth: depth))
      guard case .drawn(let drawn)? = text.content else { return content }
      return .leaf(drawn, scope, around)
    }
  }

  private func content(of scope: ScopeID, around: Around) -> Node.Content {
    if let rows = builder.frame.rows(of: scope) { return .rows(rows, scope, around) }
    return .elements(builder.frame.elements(of: scope), scope, around)
  }

  private func content(
    of drawn: DrawnElement, in scope: ScopeID, around: Around
  ) -> Node.Content {
    let look = drawn.look
    var inner = around
    inner.style = BoxBuilder.style(look, in: around.style)
    switch drawn.kind {
    case .column where !look.hasSpace, .modified where !look.hasSpace,
      .scrollBox where !look.hasSpace:
      return .elements(drawn.children, scope, inner)
    case .section where !look.hasSpace:
      // The title is a separate row, drawn like that of an empty section.
      let title = Element(kind: ElementFlow.titleKind, text: drawn.text)
      return .elements((drawn.text.isEmpty ? [] : [title]) + drawn.children, scope, inner)
    case .sectionHeader where !look.hasSpace, .sectionFooter where !look.hasSpace:
      inner.style = BoxBuilder.style(of: drawn.kind, in: inner.style)
      return .elements(drawn.children, scope, inner)
    // Without errors there is no line.
    case .errorText where drawn.errors.isEmpty: return .elements([], scope, inner)
    // A list within a list scrolls with it, so that hidden content of both is reached in the same
    // way.
    case .listBox where takesLists || !look.hasSpace, .scrollBox where takesLists:
      if drawn.move != nil { inner.movable = (drawn, scope) }
      return .elements(drawn.children, scope, inner)
    case .table where takesLists || !look.hasSpace:
      inner.columns = builder.columns(of: drawn, in: scope, style: inner.style)
      return .elements(drawn.children, scope, inner)
    default: return .leaf(drawn, scope, around)
    }
  }

  private static let titleKind = ElementKind("section title")

  /// Returns the node at a path; nil if there is none.
  private func node(at steps: some Sequence<Int>) -> Node? {
    var node = root
    for step in steps {
      guard step >= 0, step < node.count else { return nil }
      node = child(of: node, at: step)
    }
    return node
  }

  // MARK: - Places

  func first() -> FlowPath? { firstLeaf(of: root, at: []) }
  func last() -> FlowPath? { lastLeaf(of: root, at: []) }

  private func firstLeaf(of node: Node, at steps: [Int], from: Int = 0) -> FlowPath? {
    if node.isLeaf { return FlowPath(steps: steps) }
    for position in from..<max(from, node.count) {
      if let found = firstLeaf(of: child(of: node, at: position), at: steps + [position]) {
        return found
      }
    }
    return nil
  }

  private func lastLeaf(of node: Node, at steps: [Int], before: Int? = nil) -> FlowPath? {
    if node.isLeaf { return FlowPath(steps: steps) }
    for position in (0..<min(before ?? node.count, node.count)).reversed() {
      if let found = lastLeaf(of: child(of: node, at: position), at: steps + [position]) {
        return found
      }
    }
    return nil
  }

  func next(after place: FlowPath) -> FlowPath? {
    var steps = place.steps
    while let step = steps.popLast() {
      guard let parent = node(at: steps) else { continue }
      if let found = firstLeaf(of: parent, at: steps, from: step + 1) { return found }
    }
    return nil
  }

  func previous(before place: FlowPath) -> FlowPath? {
    var steps = place.steps
    while let step = steps.popLast() {
      guard let parent = node(at: steps) else { continue }
      if let found = lastLeaf(of: parent, at: steps, before: step) { return found }
    }
    return nil
  }

  /// Returns the given place if it still exists.
  ///
  /// If its row is beyond the end now, returns the last place there. If the row at it is now empty,
  /// returns the next place.
  func nearest(to place: FlowPath) -> FlowPath? {
    var node = root
    var steps: [Int] = []
    for step in place.steps {
      if node.isLeaf { break }
      if step < node.count {
        steps.append(step)
        node = child(of: node, at: step)
      } else {
        let here = FlowPath(steps: steps)
        return lastLeaf(of: node, at: steps) ?? next(after: here) ?? previous(before: here)
          ?? first()
      }
    }
    return firstLeaf(of: node, at: steps) ?? next(after: FlowPath(steps: steps)) ?? last()
  }

  // MARK: - Rows by identity

  /// Returns the rows that contain a place, the outermost first.
  func rows(of place: FlowPath) -> [ListRow] {
    var node = root
    var found: [ListRow] = []
    for (depth, step) in place.steps.enumerated() {
      guard step >= 0, step < node.count else { break }
      if case .rows(let rows, let owner, _) = node.content {
        found.append(
          ListRow(scope: rows[step], owner: owner, depth: depth, position: step, rows: rows))
      }
      node = child(of: node, at: step)
    }
    return found
  }

  /// Returns the place in this frame for one in an earlier frame.
  ///
  /// The place follows its rows, and leads to where they were if they are gone.
  ///
  /// - Parameters:
  ///   - place: The place in the earlier frame.
  ///   - rows: The rows that contained it.
  ///   - isPushed: Whether rows that were moved far away themselves aren't followed.
  /// - Returns: The place, and whether all of its rows were found.
  func follow(
    _ place: FlowPath, in rows: [ListRow], ifPushed isPushed: Bool = false
  ) -> (place: FlowPath, isFound: Bool) {
    var (node, steps, depth) = (root, [Int](), 0)
    for row in rows {
      guard row.depth >= depth, row.depth < place.steps.count,
        builder.frame.isPresent(row.scope),
        let list = self.rows(of: row.owner, below: node, along: place.steps[depth..<row.depth]),
        let position = list.rows.position(of: row, ifPushed: isPushed)
      else { return (FlowPath(steps: steps + place.steps[depth...]), false) }
      steps += list.steps + [position]
      node = child(of: list.node, at: position)
      depth = row.depth + 1
    }
    return (FlowPath(steps: steps + place.steps[depth...]), true)
  }

  /// Returns the node of a `ForEach` below another node, without looking into the rows of others.
  ///
  /// - Parameter along: The steps that led there in an earlier frame, which are tried first.
  private func rows(
    of owner: ScopeID, below start: Node, along steps: ArraySlice<Int>
  ) -> (node: Node, rows: FrameRows, steps: [Int])? {
    var known: Node? = start
    for step in steps {
      guard let node = known, case .elements = node.content, step >= 0, step < node.count else {
        known = nil
        break
      }
      known = child(of: node, at: step)
    }
    if let known, case .rows(let rows, owner, _) = known.content {
      return (known, rows, Array(steps))
    }
    var waiting: [(Node, [Int])] = [(start, [])]
    for _ in 0..<1000 {
      guard let (node, steps) = waiting.popLast() else { break }
      switch node.content {
      case .rows(let rows, owner, _): return (node, rows, steps)
      case .elements:
        waiting += (0..<node.count).reversed().map { (child(of: node, at: $0), steps + [$0]) }
      case .rows, .leaf: break
      }
    }
    return nil
  }

  /// Returns the place of an element that isn't further down than a screen is high.
  func place(of focus: FocusedElement) -> FlowPath? {
    var waiting: [(Node, [Int])] = [(root, [])]
    for _ in 0..<2000 {
      guard let (node, steps) = waiting.popLast() else { return nil }
      if node.isLeaf {
        let path = FlowPath(steps: steps)
        if targets(at: path).contains(where: focus.isSame(as:)) { return path }
      }
      let count = if case .rows = node.content { min(node.count, 1000) } else { node.count }
      waiting += (0..<count).reversed().map { (child(of: node, at: $0), steps + [$0]) }
    }
    return nil
  }

  /// Returns the relative position of a place in the list, from 0 to 1: its end if `after` is true,
  /// otherwise its start.
  func fraction(of place: FlowPath, after: Bool) -> Double {
    var node = root
    var (start, length) = (0.0, 1.0)
    for step in place.steps {
      guard node.count > 0, step < node.count else { break }
      length /= Double(node.count)
      start += length * Double(step)
      node = child(of: node, at: step)
    }
    return after ? start + length : start
  }

  // MARK: - Moving rows

  /// Returns the list around a place whose rows the user can move, with the offset of the place's
  /// row among its rows, and their number.
  func movableRow(
    at place: FlowPath
  ) -> (list: DrawnElement, scope: ScopeID, offset: Int, count: Int)? {
    guard case .leaf(_, _, let around)? = node(at: place.steps)?.content,
      let (list, scope) = around.movable
    else { return nil }
    // The rows of a list within a row are further in.
    let (frame, rows) = (builder.frame, list.children)
    for row in self.rows(of: place) {
      if let offset = frame.rowOffset(
        in: rows, { owner, _ in owner == row.owner ? row.position : nil })
      {
        return (list, scope, offset, frame.rowCount(in: rows))
      }
    }
    return nil
  }

  // MARK: - Boxes

  /// Returns the box at a place.
  func box(at place: FlowPath) -> Box {
    guard let node = node(at: place.steps),
      case .leaf(let drawn, let scope, let around) = node.content
    else { return Box(.empty, style: .plain) }
    if let known = node.box { return known }
    let made = makeBox(of: drawn, in: scope, around: around)
    node.box = made
    return made
  }

  private func makeBox(of drawn: DrawnElement, in scope: ScopeID, around: Around) -> Box {
    if drawn.kind == ElementFlow.titleKind { return builder.title(drawn, style: around.style) }
    let box = builder.box(drawn, in: scope, style: around.style)
    return around.columns.map(box.below) ?? box
  }

  func height(of place: FlowPath) -> Int { max(1, box(at: place).height(width: width)) }

  /// Returns the targets at a place that can have the focus, in order.
  func targets(at place: FlowPath) -> [Target] {
    var targets: [Target] = []
    var numbers: [TargetName: Int] = [:]
    func collect(_ box: Box) {
      if let element = box.target?.element, element.isEnabled, let scope = box.target?.scope {
        var target = Target(element, in: scope)
        if let name = target.name {
          target.number = numbers[name, default: 0]
          numbers[name] = target.number + 1
          targets.append(target)
        }
      }
      switch box.content {
      case .row(let boxes, _), .column(let boxes), .cells(let boxes, _): boxes.forEach(collect)
      case .scroll(let column, _): collect(column)
      // A list nested in a row contributes its first target, which leads to the others.
      case .list(let part): targets += part.flow.firstTarget(in: part.key).map { [$0] } ?? []
      default: break
      }
    }
    collect(box(at: place))
    return targets
  }
}
