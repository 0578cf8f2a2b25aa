// From scopes to their paths, and back. Nothing of this is kept: it is made on demand.

extension Scope {
  /// What names this scope in the one around it.
  var step: String {
    guard let parent else { return "" }
    switch content {
    case .row(let value):
      guard let row = parent.rows?.shown.scopes.row(of: self) else { return "" }
      return row.name(value)
    case .view(let view): return parent.place(of: self)?.name("\(type(of: view))") ?? ""
    case .rows: return parent.place(of: self)?.name("ForEach") ?? ""
    case .part(let part): return parent.place(of: self)?.name("\(part.role)") ?? ""
    case .root: return ""
    }
  }

  private func place(of child: Scope) -> Place? { views.first { $0.scope === child }?.place }

  /// Where it stands, from the whole screen on; O(depth).
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
  /// The scope that a path leads to; nil if there is none, or several have one name, and one may not be taken for another.
  func scope(at path: ScopePath) -> Scope? {
    var scope = scopes[frame.root]
    for step in path.steps {
      guard let present = scope else { return nil }
      if let rows = rows(of: present.id) {
        scope = rows.row(named: step)
      } else {
        let found = present.views.filter { $0.scope.step == step }
        if found.count > 1 { reportNames(step, in: present) }
        scope = found.count == 1 ? found[0].scope : nil
      }
    }
    return scope
  }

  /// The element that an identity names, and its scope.
  func found(_ id: ElementID) -> FoundElement? {
    guard let scope = scope(at: id.scope) else { return nil }
    var found: FoundElement?
    ElementNames.forEach(in: elements(of: scope.id)) { element, name in
      if name == id.name { found = FoundElement(element: element, scope: scope.id) }
    }
    return found
  }

  /// Where an element stands that is on screen as it is.
  func found(_ element: DrawnElement) -> FoundElement? {
    var scope: ScopeID?
    frame.forEachEvaluated { if $0 === element { scope = $1 } }
    return scope.map { FoundElement(element: element, scope: $0) }
  }

  /// What names an element that was found.
  func identity(of found: FoundElement) -> ElementID? {
    identity(of: NamedPlace(scope: found.scope, name: found.name(on: self)))
  }

  /// What names an element in a place.
  func identity(of place: NamedPlace) -> ElementID? {
    scopes[place.scope].map { ElementID(scope: $0.path, name: place.name) }
  }

  private func reportNames(_ step: String, in scope: Scope) {
    report(step, of: scope.name)
  }
}

/// Where an element stands in this process: its scope, and what it is called there.
struct NamedPlace: Hashable {
  let scope: ScopeID
  let name: String
}

/// An element on screen, and where it is.
struct FoundElement {
  let element: DrawnElement
  let scope: ScopeID

  /// What it is called in its scope.
  func name(on host: ViewHost) -> String {
    var found = ""
    ElementNames.forEach(in: host.evaluatedElements(of: scope)) { other, name in
      if other === element { found = name }
    }
    return found
  }
}

extension Frame {
  /// Where a scope stands; nil once it has left the screen.
  ///
  /// - Complexity: O(depth), and for each of the scopes around it O(views beside it), or O(log n) of n rows.
  public func path(of scope: ScopeID) -> ScopePath? { host?.scopes[scope]?.path }

  /// What is drawn in a scope, parents before what they hold, each with its identity; of the scopes in it nothing.
  ///
  /// A scope that has left the screen has none. Elements of one id are told apart by their order, which is said once
  /// to standard error: give each an id of its own, made of a key.
  ///
  /// - Complexity: O(elements of the scope), and that of ``path(of:)``.
  public func namedElements(of scope: ScopeID) -> [(id: ElementID, element: DrawnElement)] {
    guard let path = path(of: scope) else { return [] }
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

  /// The element of an identity, if it is on screen; rows that nobody has asked for are made for that.
  ///
  /// - Complexity: O(elements of its scope), and of each ``ForEach`` around it O(rows) after its data have changed.
  public func element(_ id: ElementID) -> DrawnElement? { host?.found(id)?.element }

  /// The scope at a path, if it is on screen.
  ///
  /// - Complexity: That of ``element(_:)``.
  public func scope(at path: ScopePath) -> ScopeID? { host?.scope(at: path)?.id }
}
