// Conversion of scopes to paths and back. Nothing is stored: paths are made on demand.

extension Scope {
  /// The name of this scope within its parent.
  var step: String {
    guard let parent else { return "" }
    switch content {
    case .row(let value):
      guard let shown = parent.rows?.shown, let row = shown.scopes.row(of: self) else { return "" }
      return shown.data.name(of: row, value)
    case .view(let view): return parent.identity(of: self)?.name("\(type(of: view))") ?? ""
    case .rows: return parent.identity(of: self)?.name("ForEach") ?? ""
    case .separate(let part): return parent.identity(of: self)?.name("\(part.role)") ?? ""
    case .root: return ""
    }
  }

  private func identity(of child: Scope) -> ItemIdentity? {
    views.first { $0.item === child }?.identity
  }

  /// The path from the whole screen to this scope; O(depth).
  var path: ScopePath {
    var steps: [String] = []
    var scope = self
    while let parent = scope.parent {
      steps.append(scope.step)
      scope = parent
    }
    return ScopePath(steps: steps.reversed())
  }
}

extension ViewHost {
  /// Returns the scope at a path.
  ///
  /// - Returns: The scope; nil if there is none, or if several have the same name, because one must
  ///   not be mistaken for another.
  func scope(at path: ScopePath) -> Scope? {
    var scope = scopes[frame.root]
    for step in path.steps {
      guard let present = scope else { return nil }
      if let rows = rows(of: present.id) {
        scope = rows.row(named: step)
      } else {
        let found = present.views.filter { $0.item.step == step }
        if found.count > 1 { reportNames(step, in: present) }
        scope = found.count == 1 ? found[0].item : nil
      }
    }
    return scope
  }

  /// Returns the element with an identity, and its scope.
  func found(_ id: ElementID) -> FoundElement? {
    guard let scope = scope(at: id.scope) else { return nil }
    var found: FoundElement?
    ElementNames.forEach(in: elements(of: scope.id)) { element, name in
      if name == id.name { found = FoundElement(element: element, scope: scope.id) }
    }
    return found
  }

  /// Returns an element's scope, if the element is on screen unchanged.
  func found(_ element: DrawnElement) -> FoundElement? {
    var scope: ScopeID?
    frame.forEachEvaluated { if $0 === element { scope = $1 } }
    return scope.map { FoundElement(element: element, scope: $0) }
  }

  /// Returns the identity of an element that was found.
  func identity(of found: FoundElement) -> ElementID? {
    identity(of: found.location(on: self))
  }

  /// Returns the identity of an element in a place.
  func identity(of location: ElementLocation) -> ElementID? {
    scopes[location.scope].map { ElementID(scope: $0.path, name: location.name) }
  }

  private func reportNames(_ step: String, in scope: Scope) {
    report(step, of: scope.name)
  }
}

/// The place of an element in this process: its scope, and its name there.
struct ElementLocation: Hashable {
  let scope: ScopeID
  let name: String
}

extension Frame {
  /// Returns the path of a scope.
  ///
  /// - Returns: The path; `nil` once the scope has left the screen.
  /// - Complexity: O(depth). For each of the scopes around it, also O(views beside it), or O(log
  ///   *n*) if it is one of *n* rows.
  public func path(of scope: ScopeID) -> ScopePath? { host?.scopes[scope]?.path }

  /// Returns the elements that are drawn in a scope, each with its identity, parents before their
  /// children.
  ///
  /// Elements of nested scopes aren't included. Elements with the same id are told apart by their
  /// order, which is reported once on standard error: give each a unique id, made from a key.
  ///
  /// - Returns: The elements; an empty array if the scope has left the screen.
  /// - Complexity: O(elements of the scope), and that of ``path(of:)``.
  public func namedElements(of scope: ScopeID) -> [(id: ElementID, element: DrawnElement)] {
    path(of: scope).map { namedElements(of: scope, at: $0) } ?? []
  }

  /// Returns the elements that are drawn in a scope whose path is known.
  package func namedElements(
    of scope: ScopeID, at path: ScopePath
  ) -> [(id: ElementID, element: DrawnElement)] {
    var named: [(id: ElementID, element: DrawnElement)] = []
    ElementNames.forEach(in: elements(of: scope)) { element, name in
      if element.id != nil, name.utf8.contains(UInt8(ascii: "~")), let host,
        let scope = host.scopes[scope]
      {
        host.report(element.id ?? "", of: scope.name)
      }
      named.append((ElementID(scope: path, name: name), element))
    }
    return named
  }

  /// Returns the element with an identity, making rows that weren't requested before if necessary.
  ///
  /// - Returns: The element; `nil` if it isn't on screen.
  /// - Complexity: O(elements of its scope). For each ``ForEach`` around it, also O(rows) if the
  ///   data have changed since the last call.
  public func element(_ id: ElementID) -> DrawnElement? { host?.found(id)?.element }

  /// Returns the element that has the place of an element of an older frame: it has the same name in
  /// the same scope.
  ///
  /// - Returns: The element; `nil` if the frame has no such element, or if it is hidden or covered.
  /// - Complexity: O(elements of the scope), plus O(depth).
  package func counterpart(
    of element: DrawnElement, in scope: ScopeID, from old: Frame
  ) -> DrawnElement? {
    let cover = cover
    guard let host, host.isUsable(scope, below: cover) else { return nil }
    let present = elements(of: scope)
    var wanted: String?
    ElementNames.forEach(in: old.elements(of: scope)) { if $0 === element { wanted = $1 } }
    var found: DrawnElement?
    ElementNames.forEach(in: present) { other, name in
      if other === element || found == nil && name == wanted { found = other }
    }
    guard let found, host.isUsable(found, in: scope, below: cover) else { return nil }
    return found
  }

  /// Returns the scope at a path, making rows that weren't requested before if necessary.
  ///
  /// - Returns: The scope; `nil` if it isn't on screen.
  /// - Complexity: That of ``element(_:)``.
  public func scope(at path: ScopePath) -> ScopeID? { host?.scope(at: path)?.id }
}
