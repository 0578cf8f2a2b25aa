// From what a body built to what a frame holds: child views and rows get scopes, found again by identity.

extension Scope {
  /// Resolves what the body built; children that it did not build again are unmounted.
  func reconcile(_ built: Element) {
    host.sweep += 1
    let sweep = host.sweep
    var resolution = Resolution(scope: self, sweep: sweep)
    elements = resolution.resolve(built, [], environment)
    let swept = children.filter { $0.value.mark != sweep }
    for (identity, child) in swept {
      children[identity] = nil
      child.unmount(host.forget)
    }
    for child in resolution.toEvaluate where child.isMounted && child.isStale { child.evaluate() }
  }

  /// The child of an identity, made if it is new; the second value says whether its inputs differ.
  fileprivate func child(
    _ identity: Identity, _ content: Content, _ environment: EnvironmentValues
  ) -> (scope: Scope, differs: Bool) {
    guard let child = children[identity] else {
      let child = Scope(host, parent: self, content: content, environment: environment)
      children[identity] = child
      return (child, true)
    }
    let differs = !child.hasSameInputs(content)
    child.content = content
    child.adopt(environment)
    return (child, differs)
  }

  private func hasSameInputs(_ new: Content) -> Bool {
    guard case .view(let old) = content, case .view(let new) = new else { return false }
    func compare<Body: View>(_ old: Body) -> Bool {
      (new as? Body).map { host.fields.isSame(old, $0) } ?? false
    }
    return compare(old)
  }

  /// Takes over an environment; whoever read a value that differs is evaluated again.
  private func adopt(_ new: EnvironmentValues) {
    guard !environment.isSame(as: new) else { return }
    environment = new
    guard isEvaluated else { return }
    if environmentReads.values.allSatisfy({ $0(new) }) {
      reconcile(built)
      host.keep(self)
    } else {
      host.invalidate(self, inputsDiffer: true)
    }
  }
}

/// One pass over what a body built.
private struct Resolution {
  let scope: Scope
  let sweep: Int
  /// Views are evaluated with their parent, rows when they are asked for.
  var toEvaluate: [Scope] = []

  mutating func resolve(
    _ element: Element, _ path: [Int], _ environment: EnvironmentValues, key: AnyHashable? = nil
  ) -> [Element] {
    switch element.storage {
    case .drawn(let drawn):
      let isEnabled = drawn.isEnabled && environment.isEnabled
      if drawn.children.isEmpty, isEnabled == drawn.isEnabled { return [element] }
      let children = resolve(drawn.children, path, environment)
      return [Element(.drawn(drawn.with(isEnabled: isEnabled, children: children)))]
    case .group(let elements): return resolve(elements, path, environment)
    case .branch(let branch, let elements):
      return resolve(elements, path + [-1 - branch], environment)
    case .identified(let id, let elements):
      return elements.flatMap { resolve($0, path, environment, key: id) }
    case .environment(let change, let elements):
      return resolve(elements, path, environment.changed(by: change))
    case .view(let view):
      let identity = Identity(path: path, type: ObjectIdentifier(type(of: view)), key: key)
      return [place(identity, .view(view), environment, isRow: false)]
    case .rows(let source):
      return source.rows.map { row in
        let identity = Identity(path: path, type: nil, key: AnyHashable(row.id))
        return place(identity, .closure(row.content), environment, isRow: true)
      }
    case .scope: return [element]
    }
  }

  private mutating func resolve(
    _ elements: [Element], _ path: [Int], _ environment: EnvironmentValues
  ) -> [Element] {
    var resolved: [Element] = []
    resolved.reserveCapacity(elements.count)
    for (position, element) in elements.enumerated() {
      resolved += resolve(element, path + [position], environment)
    }
    return resolved
  }

  private mutating func place(
    _ identity: Identity, _ content: Scope.Content, _ environment: EnvironmentValues, isRow: Bool
  ) -> Element {
    let (child, differs) = scope.child(identity, content, environment)
    child.mark = sweep
    if differs { scope.host.invalidate(child, inputsDiffer: true) }
    if !isRow { toEvaluate.append(child) }
    return Element(.scope(child.id))
  }
}
