package import Signals

/// All that a renderer can see of what a scope shows itself.
package indirect enum ScopeShape: Hashable {
  case scope(ScopeID)
  case drawn(DrawnShape)

  package static func shapes(of elements: [Element]) -> [ScopeShape] {
    elements.compactMap { element in
      switch element.content {
      case .drawn(let drawn): .drawn(DrawnShape(drawn))
      case .scope(let scope): .scope(scope)
      case nil: nil
      }
    }
  }

  package func forEachScope(_ body: (ScopeID) -> Void) {
    switch self {
    case .scope(let scope): body(scope)
    case .drawn(let drawn): for child in drawn.children { child.forEachScope(body) }
    }
  }
}

package struct DrawnShape: Hashable {
  package let kind: ElementKind
  package let id: String?
  package let text: String
  package let value: ElementValue
  package let isEnabled: Bool
  package let errors: [String]
  package let look: ElementLook
  package let inputs: [Int]
  package let children: [ScopeShape]

  package init(_ element: DrawnElement) {
    kind = element.kind
    (id, text, value) = (element.id, element.text, element.value)
    (isEnabled, errors, look) = (element.isEnabled, element.errors, element.look)
    let action =
      switch element.action {
      case .none: 0
      case .tap: 1
      case .asyncTap: 2
      case .text: 3
      case .flag: 4
      case .choice: 5
      case .open: 6
      }
    inputs = [action, element.submit == nil ? 0 : 1, element.move == nil ? 0 : 1]
    children = ScopeShape.shapes(of: element.children)
  }
}

/// Draws only what `changed` names, and holds every frame against what it was told.
///
/// With a `window` it asks for these rows of each `ForEach` alone, and lets go of the others.
package final class CheckingRenderer: Renderer {
  package var window: Range<Int>?
  /// How many rows a `ForEach` has at least that is shown in a window.
  package var windowed = 0
  /// Whether it looks through `changed` as a whole, now and then.
  package var lists = false
  package private(set) var text = ""
  package private(set) var failures: [String] = []
  package private(set) var named = 0
  package private(set) var namedAlike = 0
  private var shapes: [ScopeID: [ScopeShape]] = [:]
  /// What was drawn, of which only the scopes are drawn again that are named.
  private var pieces: [ScopeID: [ScopeShape]] = [:]

  package init() {}

  package func commit(_ new: Frame, replacing old: Frame?) {
    var walk = Walk(renderer: self, frame: new, known: shapes, pieces: pieces)
    walk.visit(new.root, isUnderNew: true)
    if lists {
      let all = Set(new.changed)
      for scope in walk.named where !all.contains(scope) {
        walk.failures.append("\(scope) is missing when all are listed")
      }
      for scope in all where walk.shapes[scope] != nil && !walk.named.contains(scope) {
        walk.failures.append("\(scope) is only named when all are listed")
      }
      let isEmpty = new.changed.isEmpty
      if isEmpty == !all.isEmpty || new.changed.count != all.count {
        walk.failures.append("a wrong count")
      }
    }
    named += walk.named.count
    namedAlike += walk.namedAlike
    failures += walk.failures
    (shapes, pieces) = (walk.shapes, walk.drawn)
    text = ShapeText.lines(pieces[new.root] ?? [], pieces).joined(separator: "\n")
    let fresh = ShapeText.lines(shapes[new.root] ?? [], shapes).joined(separator: "\n")
    if text != fresh { failures.append("drawn from what was kept:\n\(text)\nanew:\n\(fresh)") }
    if window == nil {
      let plain = TextRenderer()
      plain.commit(new, replacing: nil)
      if text != plain.text { failures.append("drawn:\n\(text)\nas text:\n\(plain.text)") }
    } else {
      new.releaseRows()
    }
  }

  private struct Walk {
    package let renderer: CheckingRenderer
    package let frame: Frame
    package let known: [ScopeID: [ScopeShape]]
    package let pieces: [ScopeID: [ScopeShape]]
    package var shapes: [ScopeID: [ScopeShape]] = [:]
    package var drawn: [ScopeID: [ScopeShape]] = [:]
    package var named: Set<ScopeID> = []
    package var namedAlike = 0
    package var failures: [String] = []

    package mutating func visit(_ scope: ScopeID, isUnderNew: Bool) {
      let isNamed = frame.changed.contains(scope)
      let shape = self.shape(of: scope)
      let isWindow =
        renderer.window != nil && (frame.rows(of: scope)?.count ?? -1) >= renderer.windowed
      shapes[scope] = shape
      // The window may have moved.
      drawn[scope] = isNamed || isWindow ? shape : pieces[scope] ?? shape
      if isNamed { named.insert(scope) }
      if let before = known[scope] {
        if before != shape, !isNamed, !isWindow {
          failures.append("\(scope) is not named: \(before) became \(shape)")
        }
        if before == shape, isNamed, !isWindow { namedAlike += 1 }
      } else if !isNamed, !isUnderNew {
        failures.append("\(scope) is new, and neither it nor what it stands in is named")
      }
      let isNew = isNamed || known[scope] == nil || isWindow
      for part in shape { part.forEachScope { visit($0, isUnderNew: isNew) } }
    }

    private func shape(of scope: ScopeID) -> [ScopeShape] {
      guard let window = renderer.window, let rows = frame.rows(of: scope),
        rows.count >= renderer.windowed
      else {
        return ScopeShape.shapes(of: frame.elements(of: scope))
      }
      return window.clamped(to: 0..<rows.count).map { .scope(rows[$0]) }
    }
  }
}

/// The text of shapes, as a `TextRenderer` has it.
package enum ShapeText {
  package static func lines(_ shapes: [ScopeShape], _ scopes: [ScopeID: [ScopeShape]]) -> [String] {
    shapes.flatMap { shape in
      switch shape {
      case .scope(let scope): lines(scopes[scope] ?? [], scopes)
      case .drawn(let drawn): lines(drawn, scopes) + drawn.errors.map { "! \($0)" }
      }
    }
  }

  private static func lines(_ drawn: DrawnShape, _ scopes: [ScopeID: [ScopeShape]]) -> [String] {
    switch (drawn.kind, drawn.value) {
    case (.row, _):
      let line = drawn.children.flatMap { lines([$0], scopes) }.joined(separator: "  ")
      return line.isEmpty ? [] : [line]
    case (.button, _): return ["[\(drawn.text)]"]
    case (_, .text(let text)): return ["\(drawn.text): [\(text)]"]
    case (_, .flag(let isOn)): return ["[\(isOn ? "x" : " ")] \(drawn.text)"]
    default:
      return (drawn.text.isEmpty && drawn.kind != .text ? [] : [drawn.text])
        + lines(drawn.children, scopes)
    }
  }
}
