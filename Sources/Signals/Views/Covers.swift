// Content that covers the screen: a help page, a question. A stack of them needs no list of its own: a cover stands in
// the tree where it was written, and the last one that is not hidden is on top.
//
// State: `FrameContents.covers`, the scopes that hold covers; resolving a scope adds and removes it.

extension ElementContent {
  /// Covers the screen with other content while `isCovered` is true.
  ///
  /// - The cover takes all input: keys bound outside of it do nothing, elements outside of it can't be found or used,
  ///   and none has the focus.
  /// - This content is ``hidden(_:)`` meanwhile: its state and its tasks live on.
  /// - Of several covers the topmost takes the input: an inner one before the one it stands in, a later one before an
  ///   earlier one.
  /// - A renderer draws the topmost cover alone; see ``Frame/front``.
  ///
  /// ```swift
  /// BookList()
  ///   .covered(when: showsHelp) {
  ///     HelpPage().onKey("escape") { showsHelp = false }
  ///   }
  ///   .onKey("d") { try removeSelected() }  // not while the help page is shown
  /// ```
  ///
  /// - Parameters:
  ///   - isCovered: Whether the cover is shown.
  ///   - cover: Makes the cover; it is not called while `isCovered` is false.
  public func covered(when isCovered: Bool, @ElementBuilder by cover: () -> Element) -> Element {
    let above = isCovered ? Element(kind: .cover, children: [cover()]) : Element(.group([]))
    return Element(.group([hidden(isCovered), above]))
  }
}

extension ElementKind {
  /// Content that covers the screen, one element below the other.
  public static let cover = ElementKind("cover")
}

/// A cover on screen.
package struct Cover {
  /// What holds the content.
  package let element: DrawnElement
  /// The scope that it stands in.
  package let scope: ScopeID
  /// The number of covers below it.
  package let depth: Int
}

extension Frame {
  /// The elements to draw, from the top: those of the topmost cover if there is one, else those of ``root``.
  ///
  /// - Complexity: O(1) without a cover, else O(elements of the scopes around covers).
  public var front: [Element] { cover?.element.children ?? elements(of: root) }

  /// The topmost cover; nil without one.
  package var cover: Cover? {
    if contents.covers.isEmpty { return nil }
    let host = isOnScreen ? host : nil
    let holders = host?.withAncestors(contents.covers)
    func elements(of scope: ScopeID) -> [(Element, ScopeID)] {
      let elements =
        if let host, let holders {
          holders.contains(scope) ? host.evaluatedElements(of: scope, among: holders) : []
        } else { contents[scope] ?? [] }
      return elements.reversed().map { ($0, scope) }
    }
    var found: Cover?
    var waiting = elements(of: root)
    while let (element, scope) = waiting.popLast() {
      switch element.content {
      case .drawn(let drawn):
        if drawn.kind == .cover {
          found = Cover(element: drawn, scope: scope, depth: found.map { $0.depth + 1 } ?? 0)
        }
        waiting += drawn.children.reversed().map { ($0, scope) }
      case .scope(let inner): waiting += elements(of: inner)
      case nil: break
      }
    }
    return found
  }
}

extension ViewHost {
  /// The elements of a scope that can be used: none if it is hidden or covered.
  func usableElements(of scope: ScopeID, below cover: Cover?) -> [Element] {
    guard stands(scope, below: cover) else { return [] }
    if let cover, cover.scope == scope { return cover.element.children }
    return evaluatedElements(of: scope)
  }

  /// Whether a scope, or a part of it, is neither hidden nor covered.
  ///
  /// - Complexity: O(depth), and with a cover O(elements of it).
  func stands(_ id: ScopeID, below cover: Cover?) -> Bool {
    var scope = scopes[id]
    var isBelow = cover == nil || cover?.scope == id
    while let present = scope {
      if present.isHidden { return false }
      if let cover, present.parent?.id == cover.scope, !isBelow {
        isBelow = cover.element.holds(present.id)
      }
      scope = present.parent
    }
    return isBelow
  }
}

extension DrawnElement {
  /// Whether a scope stands in this element, not in a scope below it.
  fileprivate func holds(_ scope: ScopeID) -> Bool {
    var waiting = children
    while let element = waiting.popLast() {
      switch element.content {
      case .scope(scope): return true
      case .drawn(let drawn): waiting += drawn.children
      case .scope, nil: break
      }
    }
    return false
  }
}
