// References to elements and keys on screen, and finding what they refer to.

/// Refers to an element on screen, or to a key that content on screen is bound to.
///
/// A string literal refers to the element with that id.
///
/// ```swift
/// try host.perform("borrow-\(book.isbn)")
/// try host.perform(.id(line), with: .text("Emma"))
/// try host.perform(.key("d"))
/// ```
public enum ElementReference: ExpressibleByStringInterpolation {
  /// The only element on screen with an id.
  ///
  /// Rows that no renderer has requested are only evaluated and searched if no other element has
  /// the id.
  case id(String)
  /// The element with an identity, which finds elements that have no id or share it with others.
  case identity(ElementID)
  /// An element of the frame on screen, as long as the view around it isn't evaluated again.
  ///
  /// It also finds elements that have no id or share it with others.
  case element(DrawnElement)
  /// The innermost enabled content on screen that a key is bound to; see
  /// `ElementContent.onKey(_:action:)`.
  case key(KeyPress)

  /// Creates a reference to the element with an id.
  public init(stringLiteral id: String) { self = .id(id) }
}

/// An element on screen, and its scope.
struct FoundElement {
  let element: DrawnElement
  let scope: ScopeID

  /// Returns the name of the element in its scope.
  func name(on host: ViewHost) -> String {
    var found = ""
    ElementNames.forEach(in: host.evaluatedElements(of: scope)) { other, name in
      if other === element { found = name }
    }
    return found
  }

  /// Returns the place of the element.
  func location(on host: ViewHost) -> ElementLocation {
    ElementLocation(scope: scope, name: name(on: host))
  }
}

extension ViewHost {
  /// Returns the element on screen with an id.
  ///
  /// Rows that no renderer has requested are only evaluated and searched if no other element has
  /// the id.
  ///
  /// - Returns: The element, as in the frame on screen.
  /// - Throws: ``HostError/noElement(_:nearest:)`` if there is none, ``HostError/hidden(_:)`` if it
  ///   is hidden or covered, and ``HostError/ambiguousElement(_:among:)`` if there are several.
  public func element(_ id: String) throws -> DrawnElement { try find(id).element }

  /// Finds what a reference refers to.
  ///
  /// - Throws: ``HostError``, if it isn't on screen, or can't be told from others.
  func find(_ reference: ElementReference) throws -> IntentSource {
    switch reference {
    case .id(let id): return .element(try find(id))
    case .identity(let id):
      guard let found = found(id) else { throw HostError.gone(id.description) }
      let cover = frame.cover
      guard isUsable(found.scope, below: cover),
        isUsable(found.element, in: found.scope, below: cover)
      else { throw HostError.hidden(id.description) }
      return .element(found)
    case .element(let element):
      guard let found = found(element) else { throw HostError.gone(element) }
      return .element(found)
    case .key(let key): return .key(try usableBinding(of: key))
    }
  }

  private func find(_ id: String) throws -> FoundElement {
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

  /// Finds an element of the frame on screen in a scope.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the scope doesn't show it, or is hidden or covered.
  /// - Complexity: O(elements of the scope), plus O(depth).
  func find(_ element: DrawnElement, in scope: ScopeID) throws -> IntentSource {
    var waiting =
      scopes[scope]?.waitsForParent == false
      ? usableElements(of: scope, below: frame.cover) : []
    while let next = waiting.popLast() {
      guard case .drawn(let drawn)? = next.content else { continue }
      if drawn === element { return .element(FoundElement(element: element, scope: scope)) }
      waiting += drawn.children
    }
    throw HostError.gone(element)
  }
}

extension HostError {
  fileprivate static func gone(_ element: DrawnElement) -> HostError {
    .gone(element.id ?? element.name)
  }
}
