// Turns the elements that a body built into the elements that a frame holds. Child views,
// `ForEach`es and parts get scopes. A later pass finds a scope again by its position, its type, and
// the user's id if there is one.
//
// A body usually builds the same children in the same order. So each child is first looked for
// after the one that was found before it, and only then among all the others.

internal import CSignalsThread

/// One step on the path from a body to a child: a position, a branch of a condition, or an id.
struct Step: Hashable {
  let number: Int
  let key: AnyHashable?

  static func position(_ number: Int) -> Step { Step(number: number, key: nil) }
  static func branch(_ number: Int) -> Step { Step(number: -1 - number, key: nil) }
  static func id(_ id: AnyHashable) -> Step { Step(number: 0, key: id) }
}

/// The identity of a child view among its siblings.
struct ChildIdentity: Hashable {
  let path: [Step]
  let type: ObjectIdentifier
}

/// A child view and its identity.
struct ChildScope {
  let identity: ChildIdentity
  let scope: Scope
}

/// One pass over the elements that a body built.
struct ReconciliationPass {
  private let scope: Scope
  private let pass: UInt64
  private var path: [Step] = []
  private let oldViews: [ChildScope]
  private var nextView = 0
  private var viewIndex: [ChildIdentity: Int]?
  private var lifecycle: LifecyclePass
  /// The children to visit next, in order.
  ///
  /// Their rows are left to the renderer, unless they only have to be resolved.
  private var toVisit: [Scope] = []
  /// Whether the pass found a key binding.
  private(set) var bindsKeys = false
  /// Whether the pass found a cover.
  private(set) var holdsCovers = false
  private var isHidden = false

  init(scope: Scope, pass: UInt64) {
    self.scope = scope
    self.pass = pass
    oldViews = scope.views
    lifecycle = LifecyclePass(scope.lifecycleNodes)
    scope.views = []
    scope.views.reserveCapacity(oldViews.count)
  }

  mutating func elements(of element: Element) -> [Element] {
    var elements: [Element] = []
    append(element, to: &elements, scope.environment)
    return elements
  }

  /// Unmounts the children that weren't found again, and returns the children to visit next.
  func finish() -> [Scope] {
    if !lifecycle.isEmpty {
      scope.host.end(lifecycle.gone(pass))
      scope.lifecycleNodes = lifecycle.nodes
    }
    for view in oldViews where view.scope.mark != pass { scope.host.unmount([view.scope]) }
    return toVisit
  }

  // MARK: - Elements

  private mutating func append(
    _ element: Element, to resolved: inout [Element], _ environment: EnvironmentValues
  ) {
    switch element.storage {
    case .drawn(let drawn): resolved.append(self.drawn(drawn, element, environment))
    case .group(let elements): append(elements, to: &resolved, environment)
    case .branch(let branch, let elements):
      path.append(.branch(branch))
      append(elements, to: &resolved, environment)
      path.removeLast()
    case .identified(let id, let elements):
      path.append(.id(id))
      append(elements, to: &resolved, environment)
      path.removeLast()
    case .environment(let change, let elements):
      append(elements, to: &resolved, environment.changed(by: change))
    case .lifecycle(let modifier, let elements):
      let below = lifecycle.resolve(modifier, at: path, in: scope, pass: pass, environment)
      append(elements, to: &resolved, below)
    case .hidden(let isHidden, let elements):
      if !isHidden { return append(elements, to: &resolved, environment) }
      var hidden: [Element] = []
      let isHiddenAround = self.isHidden
      self.isHidden = true
      append(elements, to: &hidden, environment)
      self.isHidden = isHiddenAround
      resolved.append(Element(.hidden(true, hidden)))
    case .view(let view):
      resolved.append(child(.view(view), ObjectIdentifier(type(of: view)), environment))
    case .rows(let source):
      resolved.append(child(.rows(source), ObjectIdentifier(ForEach.self), environment))
    case .separate(let part):
      resolved.append(child(.separate(part), ObjectIdentifier(SeparateContent.self), environment))
    case .key(let binding):
      bindsKeys = true
      resolved.append(Element(.key(binding.standing(in: environment))))
    case .scope: resolved.append(element)
    }
  }

  private mutating func append(
    _ elements: [Element], to resolved: inout [Element], _ environment: EnvironmentValues
  ) {
    for position in elements.indices {
      path.append(.position(position))
      append(elements[position], to: &resolved, environment)
      path.removeLast()
    }
  }

  private mutating func drawn(
    _ drawn: DrawnElement, _ element: Element, _ environment: EnvironmentValues
  ) -> Element {
    if drawn.kind == .cover { holdsCovers = true }
    let isEnabled = drawn.isEnabled && environment.isEnabled
    let handler = drawn.isActive ? environment.errorHandler : nil
    if signals_stack_is_full() { trapDepth(drawn) }
    if drawn.children.isEmpty, isEnabled == drawn.isEnabled, handler === drawn.handler {
      return element
    }
    var children: [Element] = []
    append(drawn.children, to: &children, environment)
    return Element(.drawn(drawn.with(isEnabled: isEnabled, handler: handler, children: children)))
  }

  /// Nested elements nest on the stack, as the closures that made them did.
  private func trapDepth(_ drawn: DrawnElement) -> Never {
    trap(
      "the stack is full while the elements of \(scope.name) are put in place: they are nested "
        + "\(path.count / 2) deep, at last in a \(drawn.name)")
  }

  // MARK: - Views

  private mutating func child(
    _ content: Scope.Content, _ type: ObjectIdentifier, _ environment: EnvironmentValues
  ) -> Element {
    guard let known = takeView(type) else {
      let child = Scope(scope.host, parent: scope, content: content, environment: environment)
      child.mark = pass
      child.isHidden = isHidden
      scope.views.append(ChildScope(identity: ChildIdentity(path: path, type: type), scope: child))
      toVisit.append(child)
      return Element(.scope(child.id))
    }
    let child = known.scope
    child.mark = pass
    child.isHidden = isHidden
    scope.views.append(known)
    if !child.hasSameInputs(content) {
      child.trace?.note(child.changedInputs(content))
      child.isEvaluated = false
    }
    // Releasing the old content may run user code that queries the host, so it happens after the
    // assignment.
    let replaced = child.content
    child.content = content
    withExtendedLifetime(replaced) {}
    child.adopt(environment)
    toVisit.append(child)
    return Element(.scope(child.id))
  }

  /// Returns the child view that was in this place, if it had this type.
  private mutating func takeView(_ type: ObjectIdentifier) -> ChildScope? {
    if nextView < oldViews.count {
      let expected = oldViews[nextView]
      if expected.identity.type == type, expected.identity.path == path {
        nextView += 1
        return expected
      }
    } else if oldViews.isEmpty {
      return nil
    }
    let index = viewIndex ?? ReconciliationPass.index(oldViews)
    viewIndex = index
    guard let found = index[ChildIdentity(path: path, type: type)] else { return nil }
    nextView = found + 1
    return oldViews[found]
  }

  private static func index(_ views: [ChildScope]) -> [ChildIdentity: Int] {
    var index: [ChildIdentity: Int] = [:]
    index.reserveCapacity(views.count)
    for position in views.indices { index[views[position].identity] = position }
    return index
  }
}

extension Scope {
  /// Takes over an environment.
  ///
  /// If the scope read a value that differs, its body is evaluated again. Otherwise the scope is
  /// only resolved again, which passes the environment on to its children.
  func adopt(_ new: EnvironmentValues) {
    guard !environment.isSame(as: new) else { return }
    environment = new
    isResolved = false
    if let environmentReads, !environmentReads.readsAreUnchanged {
      trace?.note([.named("the environment")])
      isEvaluated = false
    }
  }
}
