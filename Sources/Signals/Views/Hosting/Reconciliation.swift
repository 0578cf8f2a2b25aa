// Turns the elements that a body built into the elements that a frame holds. Child views,
// `ForEach`es and parts get scopes. A later pass finds a scope again by its position, its type, and
// the user's id if there is one.

internal import CSignalsThread

/// One pass over the elements that a body built.
struct ReconciliationPass {
  private let scope: Scope
  private let pass: UInt64
  private var path: [Step] = []
  private var oldViews: PreviousItems<Scope>
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
    oldViews = PreviousItems(scope.views)
    lifecycle = LifecyclePass(scope.lifecycleNodes)
    scope.views = []
    scope.views.reserveCapacity(oldViews.items.count)
  }

  mutating func elements(of element: Element) -> [Element] {
    var elements: [Element] = []
    append(element, to: &elements, in: scope.environment)
    return elements
  }

  /// Unmounts the children that weren't found again, and returns the children to visit next.
  func finish() -> [Scope] {
    if !lifecycle.isEmpty {
      scope.host.end(lifecycle.nodes(missingIn: pass))
      scope.lifecycleNodes = lifecycle.nodes
    }
    for view in oldViews.items where view.item.mark != pass { scope.host.unmount([view.item]) }
    return toVisit
  }

  // MARK: - Elements

  private mutating func append(
    _ element: Element, to resolved: inout [Element], in environment: EnvironmentValues
  ) {
    switch element.storage {
    case .drawn(let drawn): resolved.append(self.drawn(drawn, of: element, in: environment))
    case .group(let elements): append(elements, to: &resolved, in: environment)
    case .branch(let branch, let elements):
      path.append(.branch(branch))
      append(elements, to: &resolved, in: environment)
      path.removeLast()
    case .hidden(let isHidden, let elements):
      if !isHidden { return append(elements, to: &resolved, in: environment) }
      var hidden: [Element] = []
      let isHiddenAround = self.isHidden
      self.isHidden = true
      append(elements, to: &hidden, in: environment)
      self.isHidden = isHiddenAround
      resolved.append(Element(.hidden(true, hidden)))
    case .placeholder(let content):
      if let content = content.hosted { append(content, to: &resolved, in: environment) }
    case .scope: resolved.append(element)
    }
  }

  private mutating func append(
    _ content: HostContent.Storage, to resolved: inout [Element],
    in environment: EnvironmentValues
  ) {
    switch content {
    case .identified(let id, let elements):
      path.append(.id(id))
      append(elements, to: &resolved, in: environment)
      path.removeLast()
    case .environment(let change, let elements):
      append(elements, to: &resolved, in: environment.changed(by: change))
    case .lifecycle(let modifier, let elements):
      let below = lifecycle.resolve(
        modifier, at: path, in: scope, pass: pass, environment: environment)
      append(elements, to: &resolved, in: below)
    case .view(let view):
      resolved.append(child(.view(view), type: type(of: view), in: environment))
    case .rows(let source):
      resolved.append(child(.rows(source), type: ForEach.self, in: environment))
    case .separate(let part):
      resolved.append(child(.separate(part), type: SeparateContent.self, in: environment))
    case .key(let binding):
      bindsKeys = true
      resolved.append(Element(.key(binding.inheriting(from: environment, in: scope))))
    }
  }

  private mutating func append(
    _ elements: [Element], to resolved: inout [Element], in environment: EnvironmentValues
  ) {
    for position in elements.indices {
      path.append(.position(position))
      append(elements[position], to: &resolved, in: environment)
      path.removeLast()
    }
  }

  private mutating func drawn(
    _ drawn: DrawnElement, of element: Element, in environment: EnvironmentValues
  ) -> Element {
    if drawn.kind == .cover { holdsCovers = true }
    let isEnabled = drawn.isEnabled && environment.isEnabled
    let handler = drawn.isActive ? environment.errorHandler : nil
    if signals_stack_is_full() { trapDepth(drawn) }
    if drawn.children.isEmpty, isEnabled == drawn.isEnabled, handler === drawn.handler,
      !drawn.isBusy
    {
      return element
    }
    var children: [Element] = []
    append(drawn.children, to: &children, in: environment)
    return Element(
      .drawn(
        drawn.with(isEnabled: isEnabled, isBusy: false, handler: handler, children: children)))
  }

  /// Nested elements nest on the stack, as the closures that made them did.
  private func trapDepth(_ drawn: DrawnElement) -> Never {
    trap(
      "the stack is full while the elements of \(scope.name) are put in place: they are nested "
        + "\(path.count / 2) deep, at last in a \(drawn.name)")
  }

  // MARK: - Views

  private mutating func child(
    _ content: Scope.Content, type: Any.Type, in environment: EnvironmentValues
  ) -> Element {
    let type = ObjectIdentifier(type)
    guard let known = oldViews.take(type, at: path) else {
      let child = Scope(scope.host, parent: scope, content: content, environment: environment)
      child.mark = pass
      child.isHidden = isHidden
      scope.views.append(PlacedItem(path: path, type: type, item: child))
      toVisit.append(child)
      return Element(.scope(child.id))
    }
    let child = known.item
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
