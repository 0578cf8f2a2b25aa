// Content that covers the screen, such as a help page or a question. A stack of covers needs no
// list: a cover is in the tree where it was written, and the last one that isn't hidden is on top.
//
// State: `FrameContents.covers`, the scopes that contain covers. Resolving a scope adds it to the
// set or removes it.

extension ElementContent {
  /// Covers the screen with other content while `isCovered` is true.
  ///
  /// - The cover takes all input. Keys bound outside of it do nothing. Elements outside of it can't
  ///   be found or used, and none has the focus.
  /// - While covered, this content is ``hidden(_:)``: its state and its tasks are kept.
  /// - Of several covers the topmost takes the input: an inner one before the one around it, a
  ///   later one before an earlier one.
  /// - A renderer draws only the topmost cover; see ``Frame/front``.
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
  ///   - cover: Returns the cover. It isn't called while `isCovered` is false.
  /// - Returns: This content, with the cover over it while `isCovered` is true.
  public func covered(when isCovered: Bool, @ElementBuilder by cover: () -> Element) -> Element {
    let above = isCovered ? Element(kind: .cover, children: [cover()]) : Element(.group([]))
    return Element(.group([hidden(isCovered), above]))
  }
}

extension ElementContent {
  /// Shows a dialog over this content while a binding's value is true.
  ///
  /// It is a cover, as of ``covered(when:by:)``, with a title. `escape` closes it. When it closes,
  /// the focus returns to the element that had it.
  ///
  /// ```swift
  /// Button("Rename", id: "rename") { renames = true }
  ///   .dialog("Rename the list", isPresented: $renames) {
  ///     TextField("Name", text: $name, id: "name")
  ///     Button("Save", id: "save") {
  ///       list.name = name
  ///       renames = false
  ///     }
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - title: The title of the dialog.
  ///   - isPresented: Whether the dialog is shown.
  ///   - content: Returns the content. It isn't called while the dialog isn't shown.
  /// - Returns: This content, with the dialog over it while it is shown.
  public func dialog(
    _ title: String, isPresented: Binding<Bool>, @ElementBuilder content: () -> Element
  ) -> Element {
    let isShown = isPresented.wrappedValue
    var parts: [Element] = []
    if isShown {
      let close = { isPresented.wrappedValue = false }
      parts = [Text(title).style(.title), content().onKey("escape", action: close)]
    }
    let above =
      isShown ? Element(kind: .cover, text: title, children: parts) : Element(.group([]))
    return Element(.group([hidden(isShown), above]))
  }

  /// Asks for a confirmation over this content while a binding's value is true.
  ///
  /// The question is a ``dialog(_:isPresented:content:)`` with two buttons. Both close it, unless the
  /// intent throws. Their ids are their titles.
  ///
  /// ```swift
  /// Button("Delete", id: "delete") { asks = true }
  ///   .confirmation("Delete all \(books.count) books?", isPresented: $asks, confirm: "Delete all") {
  ///     try store.delete(books)
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - isPresented: Whether the question is shown.
  ///   - confirm: The title of the button that runs the intent.
  ///   - cancel: The title of the other button.
  ///   - intent: The intent.
  /// - Returns: This content, with the question over it while it is shown.
  public func confirmation(
    _ question: String, isPresented: Binding<Bool>, confirm: String, cancel: String = "Cancel",
    action intent: @escaping () throws -> Void
  ) -> Element {
    dialog(question, isPresented: isPresented) {
      Row {
        Button(confirm) {
          isPresented.wrappedValue = false
          try intent()
        }
        Button(cancel) { isPresented.wrappedValue = false }
      }
    }
  }
}

/// A cover on screen.
package struct Cover {
  /// The element that contains the content.
  package let element: DrawnElement
  /// The scope that contains the element.
  package let scope: ScopeID
  /// The number of covers below it.
  package let depth: Int
}

extension Frame {
  /// The top-level elements to draw: those of the topmost cover if there is one, otherwise those of
  /// ``root``.
  ///
  /// - Complexity: O(1) without a cover, otherwise O(elements of the scopes around covers).
  public var front: [Element] { cover?.element.children ?? elements(of: root) }

  /// The topmost cover; nil if there is none.
  package var cover: Cover? {
    if contents.covers.isEmpty { return nil }
    let host = isOnScreen ? host : nil
    // A row with a cover, or around one, may wait to be evaluated again, and nothing requests it while
    // it is covered.
    if let host, host.hasPending { for id in contents.covers { host.settle(id) } }
    if contents.covers.isEmpty { return nil }
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
  /// The elements of a scope that can be used; none if the scope is hidden or covered.
  func usableElements(of scope: ScopeID, below cover: Cover?) -> [Element] {
    guard isUsable(scope, below: cover) else { return [] }
    if let cover, cover.scope == scope { return cover.element.children }
    return evaluatedElements(of: scope)
  }

  /// Whether an element of a usable scope isn't covered.
  func isUsable(_ element: DrawnElement, in scope: ScopeID, below cover: Cover?) -> Bool {
    guard let cover, cover.scope == scope else { return true }
    var waiting = cover.element.children
    while let next = waiting.popLast() {
      guard case .drawn(let drawn)? = next.content else { continue }
      if drawn === element { return true }
      waiting += drawn.children
    }
    return false
  }

  /// Whether a scope, or a part of it, is neither hidden nor covered.
  ///
  /// - Complexity: O(depth), plus O(elements of the cover) if there is one.
  func isUsable(_ id: ScopeID, below cover: Cover?) -> Bool {
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
  /// Whether this element contains a scope directly, not within another scope.
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
