// The rows of a scroll list, found by their place and made when they are looked at.
//
// A place is a path: which of the list's elements, which row of a `ForEach` there, which element of the row, and so on
// down to something that is drawn as one piece. Sections and columns are gone through, so that a section of a million
// rows costs what is seen of it. Nothing is ever counted but what a `ForEach` knows.

import Signals

/// Where a row stands in a scroll list.
struct FlowPath: Equatable {
  var steps: [Int]
}

/// The rows of one scroll list, in one frame.
///
/// State: `root`, with the nodes below it and the boxes that were made for this frame.
final class ElementFlow: Flow {
  private let builder: BoxBuilder
  private let root: Node
  /// Whether lists within are part of this one also if they say how high they are, as where the whole screen scrolls.
  let takesLists: Bool
  /// The width that rows have; set before heights are asked for.
  var width = 0

  init(
    _ builder: BoxBuilder, _ elements: [Element], _ scope: ScopeID, _ style: Style,
    columns: [ElementLook]?, takesLists: Bool = false
  ) {
    self.builder = builder
    self.takesLists = takesLists
    root = Node(.elements(elements, scope, Around(style: style, columns: columns)))
  }

  /// What a row stands in.
  private struct Around {
    var style: Style
    /// How wide the columns of its table are.
    var columns: [ElementLook]?
  }

  /// What stands at a place, and below it; a frame does not change, so that each is looked up once.
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

  private func child(_ node: Node, _ position: Int) -> Node {
    if let known = node.children[position] { return known }
    var content = content(node, position)
    let depth = node.depth + 1
    // However deep single elements are nested, there is one place for them.
    while depth > Nesting.plain, case .elements(let elements, let scope, let around) = content,
      elements.count == 1
    {
      content = self.content(elements[0], scope, around)
    }
    if Nesting.isTooDeep(depth) { content = refused(content, depth) }
    let made = Node(content, depth: depth)
    node.children[position] = made
    return made
  }

  private func content(_ node: Node, _ position: Int) -> Node.Content {
    switch node.content {
    case .elements(let elements, let scope, let around):
      content(elements[position], scope, around)
    case .rows(let rows, _, let around): content(rows[position], around)
    case .leaf: node.content
    }
  }

  private func content(
    _ element: Element, _ scope: ScopeID, _ around: Around
  ) -> Node.Content {
    switch element.content {
    case .drawn(let drawn): content(drawn, scope, around)
    case .scope(let inner): content(inner, around)
    case nil: .elements([], scope, around)
    }
  }

  /// What stands in the place of what is nested too deep.
  private func refused(_ content: Node.Content, _ depth: Int) -> Node.Content {
    switch content {
    case .leaf: return content
    case .elements(_, let scope, var around), .rows(_, let scope, var around):
      around.style = around.style.with(Theme.error)
      let text = Element(kind: .text, text: Nesting.refusal(nil, depth))
      guard case .drawn(let drawn)? = text.content else { return content }
      return .leaf(drawn, scope, around)
    }
  }

  private func content(_ scope: ScopeID, _ around: Around) -> Node.Content {
    if let rows = builder.frame.rows(of: scope) { return .rows(rows, scope, around) }
    return .elements(builder.frame.elements(of: scope), scope, around)
  }

  private func content(
    _ drawn: DrawnElement, _ scope: ScopeID, _ around: Around
  ) -> Node.Content {
    let look = drawn.look
    var inner = around
    inner.style = BoxBuilder.style(look, in: around.style)
    switch drawn.kind {
    case .column where !look.hasSpace, .modified where !look.hasSpace,
      .scrollBox where !look.hasSpace:
      return .elements(drawn.children, scope, inner)
    case .section where !look.hasSpace:
      // The title is a row of its own: what is drawn of a section that holds nothing.
      let title = Element(kind: ElementFlow.titleKind, text: drawn.text)
      return .elements((drawn.text.isEmpty ? [] : [title]) + drawn.children, scope, inner)
    case .sectionHeader where !look.hasSpace, .sectionFooter where !look.hasSpace:
      inner.style = BoxBuilder.style(of: drawn.kind, in: inner.style)
      return .elements(drawn.children, scope, inner)
    // Nothing is wrong: no line.
    case .errorText where drawn.errors.isEmpty: return .elements([], scope, inner)
    // A list within a list scrolls with it: what is out of sight of either is reached in one way.
    case .listBox where takesLists || !look.hasSpace, .scrollBox where takesLists:
      return .elements(drawn.children, scope, inner)
    case .table where takesLists || !look.hasSpace:
      inner.columns = builder.columns(of: drawn, scope, inner.style)
      return .elements(drawn.children, scope, inner)
    default: return .leaf(drawn, scope, around)
    }
  }

  private static let titleKind = ElementKind("section title")

  /// The node at a path; nil if there is none.
  private func node(at steps: some Sequence<Int>) -> Node? {
    var node = root
    for step in steps {
      guard step >= 0, step < node.count else { return nil }
      node = child(node, step)
    }
    return node
  }

  // MARK: - Places

  func first() -> FlowPath? { firstLeaf(root, []) }
  func last() -> FlowPath? { lastLeaf(root, []) }

  private func firstLeaf(_ node: Node, _ steps: [Int], from: Int = 0) -> FlowPath? {
    if node.isLeaf { return FlowPath(steps: steps) }
    for position in from..<max(from, node.count) {
      if let found = firstLeaf(child(node, position), steps + [position]) { return found }
    }
    return nil
  }

  private func lastLeaf(_ node: Node, _ steps: [Int], before: Int? = nil) -> FlowPath? {
    if node.isLeaf { return FlowPath(steps: steps) }
    for position in (0..<min(before ?? node.count, node.count)).reversed() {
      if let found = lastLeaf(child(node, position), steps + [position]) { return found }
    }
    return nil
  }

  func next(after place: FlowPath) -> FlowPath? {
    var steps = place.steps
    while let step = steps.popLast() {
      guard let parent = node(at: steps) else { continue }
      if let found = firstLeaf(parent, steps, from: step + 1) { return found }
    }
    return nil
  }

  func previous(before place: FlowPath) -> FlowPath? {
    var steps = place.steps
    while let step = steps.popLast() {
      guard let parent = node(at: steps) else { continue }
      if let found = lastLeaf(parent, steps, before: step) { return found }
    }
    return nil
  }

  /// The same place, or where there is none any more the one that came to stand there, else the last; of a row that
  /// holds nothing any more the one after it.
  func nearest(to place: FlowPath) -> FlowPath? {
    var node = root
    var steps: [Int] = []
    for step in place.steps {
      if node.isLeaf { break }
      if step < node.count {
        steps.append(step)
        node = child(node, step)
      } else {
        let here = FlowPath(steps: steps)
        return lastLeaf(node, steps) ?? next(after: here) ?? previous(before: here) ?? first()
      }
    }
    return firstLeaf(node, steps) ?? next(after: FlowPath(steps: steps)) ?? last()
  }

  // MARK: - Rows by identity

  /// The row that a place is in: its scope, and that of the `ForEach` that it is one of.
  func row(of place: FlowPath) -> (scope: ScopeID, rows: ScopeID)? {
    var node = root
    for step in place.steps {
      guard step >= 0, step < node.count else { return nil }
      if case .rows(let rows, let owner, _) = node.content { return (rows[step], owner) }
      node = child(node, step)
    }
    return nil
  }

  /// Where a row stands that stood at a place, if it is not far from there.
  ///
  /// O(distance): rows are only looked for nearby, because looking makes them.
  func find(_ scope: ScopeID, near place: FlowPath, within limit: Int = 64) -> FlowPath? {
    var node = root
    for (depth, step) in place.steps.enumerated() {
      if case .rows(let rows, _, _) = node.content {
        for distance in 0...limit {
          for position in distance == 0 ? [step] : [step - distance, step + distance] {
            guard position >= 0, position < rows.count, rows[position] == scope else { continue }
            let steps = Array(place.steps[..<depth]) + [position]
            return firstLeaf(child(node, position), steps)
          }
        }
        return nil
      }
      guard step >= 0, step < node.count else { return nil }
      node = child(node, step)
    }
    return nil
  }

  /// How far down a place is, from 0 to 1; `after` it, or before.
  func fraction(of place: FlowPath, after: Bool) -> Double {
    var node = root
    var (start, length) = (0.0, 1.0)
    for step in place.steps {
      guard node.count > 0, step < node.count else { break }
      length /= Double(node.count)
      start += length * Double(step)
      node = child(node, step)
    }
    return after ? start + length : start
  }

  // MARK: - Boxes

  /// What is drawn at a place.
  func box(at place: FlowPath) -> Box {
    guard let node = node(at: place.steps),
      case .leaf(let drawn, let scope, let around) = node.content
    else { return Box(.empty, style: .plain) }
    if let known = node.box { return known }
    let made = makeBox(drawn, scope, around)
    node.box = made
    return made
  }

  private func makeBox(_ drawn: DrawnElement, _ scope: ScopeID, _ around: Around) -> Box {
    if drawn.kind == ElementFlow.titleKind { return builder.title(drawn, around.style) }
    let box = builder.box(drawn, scope, around.style)
    return around.columns.map(box.below) ?? box
  }

  func height(of place: FlowPath) -> Int { max(1, box(at: place).height(width: width)) }

  /// What can have the focus at a place, in order.
  func targets(at place: FlowPath) -> [Target] {
    var targets: [Target] = []
    var numbers: [TargetName: Int] = [:]
    func collect(_ box: Box) {
      if let element = box.target?.element, element.isEnabled, let scope = box.target?.scope {
        var target = Target(element, scope)
        if let name = target.name {
          target.number = numbers[name, default: 0]
          numbers[name] = target.number + 1
          targets.append(target)
        }
      }
      switch box.content {
      case .row(let boxes, _), .column(let boxes), .cells(let boxes, _): boxes.forEach(collect)
      case .scroll(let column, _): collect(column)
      // Of a list that stands in a row the first leads on to the others.
      case .list(let part): targets += part.flow.firstTarget(in: part.key).map { [$0] } ?? []
      default: break
      }
    }
    collect(box(at: place))
    return targets
  }
}
