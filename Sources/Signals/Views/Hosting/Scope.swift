// One evaluated piece of a screen: a view, a row, or the root.
//
// State, touched only in the host's isolation domain:
// - `content`, `environment`: what is evaluated, and with which environment. Reconciliation.swift
//   replaces them after the parent was evaluated.
// - `slots`: the values that the view's wrappers keep, by offset; `perBodySlots`: the slots that
//   are notified after each body. `visited`, for a `ForEach` or a row: the slots of the enclosing
//   view that keep something for it.
// - `environmentReads`: the state that the view's `@Environment` wrappers share.
// - `views`: the child scopes, in the order of the body; see Reconciliation.swift.
// - `rows`: the rows of a `ForEach`, which has no `views`; see ForEachList.swift.
// - `lifecycleNodes`: the state of the lifecycle modifiers in the body; see LifecycleNode.swift.
// - `rowHash`: set once, by ForEachVersion.swift.
// - `owner`, `parent`: nil once the scope has left the screen. The host is alive as long as they
//   are set.
// - `isMounted`: whether the scope is on screen.
// - `mark`: the pass in which the parent last found this scope; for a row, the drawing that last
//   requested it.
// - `fields`: the field table of the view's type, once the view was evaluated.
// - `isEvaluated`, `isResolved`: whether the body and the elements it built are up to date, apart
//   from changes that only `node` knows. `node`: the body as an observer of the graph, made at the
//   first evaluation.
// - `built`: what the last body built; `elements`: the same with children replaced by scopes.
//   `replaced`: what the previous body built, until the evaluation is over.
// - `isShown`: whether `elements` or `rows` were ever set. `looksDifferent`: whether their look
//   changed the last time that they were set.
// - `isPending`: whether the scope is in the host's `pending`.
// - `bindsKeys`, `holdsCovers`: whether `elements` contain a key binding or a cover. The host is
//   notified of changes.
// - `isHidden`: whether the scope is in hidden content of its parent; see Reconciliation.swift.
// - `made`: the effects that the last body made.
// - `trace`: why the body last ran, while the host traces changes; see ViewInspection.swift.
//
// Order of events when scopes leave the screen: all of them first dispose of their nodes, so that
// nothing in them is evaluated again. Then the host removes them. Then the objects that they keep
// are released, which may run user code that writes and queries the host.

/// One evaluated piece of a screen, with the state of its view's wrappers: a view, a row, or the
/// root.
///
/// A scope exists as long as its identity, which is its place, the type of its view, and the user's
/// id if there is one. A host makes and drops scopes. Renderers refer to them by ``ScopeID``.
@safe
final class Scope {
  enum Content {
    case root(() -> Element)
    case view(any View)
    /// A `ForEach`.
    case rows(ForEachSource)
    /// A row of a `ForEach`, with the value that it is created from.
    case row(Any)
    /// Content of the enclosing view that is evaluated separately.
    case separate(SeparateContent)
  }

  private typealias Storage = NodeBox<Unretained<Scope>?>

  let id: ScopeID
  private unowned var owner: ViewHost?
  /// Nil for the root, and once the scope has left the screen.
  private(set) unowned var parent: Scope?
  let depth: Int
  var content: Content
  var environment: EnvironmentValues { didSet { environmentReads?.values = environment } }
  var slots: [Int: AnyObject] = [:]
  var perBodySlots: [any PerBodyViewSlot] = []
  private var visited: [any PerBodyViewSlot] = []
  private(set) var environmentReads: EnvironmentReads?
  var views: [PlacedItem<Scope>] = []
  private(set) var rows: ForEachList?
  var lifecycleNodes: [PlacedItem<LifecycleNode>] = []
  var mark: UInt64 = 0
  /// The hash by which a row is found among the rows of its `ForEach`.
  var rowHash = 0
  private var built = Element(.group([]))
  private var replaced: Element?
  private var isShown = false
  private(set) var looksDifferent = true
  var isPending = false
  private(set) var elements: [Element] = []
  var isEvaluated = false
  var isResolved = false
  var fields: FieldTable?
  private var made: [any Cancellable] = []
  private(set) var isMounted = true
  private(set) var node: NodePointer?
  var trace: ScopeTrace?
  private var bindsKeys = false
  private var holdsCovers = false
  var isHidden = false

  init(_ host: ViewHost, parent: Scope?, content: Content, environment: EnvironmentValues) {
    owner = host
    self.parent = parent
    self.content = content
    self.environment = environment
    id = host.nextScopeID()
    depth = (parent?.depth ?? -1) + 1
    host.remember(self)
  }

  /// The host that shows the scope.
  var host: ViewHost {
    guard let owner else { trap("a view or row was used after it has left the screen") }
    return owner
  }

  var name: String {
    switch content {
    case .view(let view): "the body of \(type(of: view))"
    case .root: "the root of a host"
    case .rows: "the rows of \(parent?.name ?? "a host")"
    case .row: "a row of \(parent?.parent?.name ?? "a host")"
    case .separate(let part): "a \(part.role) of \(parent?.name ?? "a host")"
    }
  }

  /// Whether the scope is only evaluated when a renderer requests it, as rows are; others are
  /// evaluated immediately.
  var isLazy: Bool {
    if case .row = content { true } else { false }
  }

  /// Whether this is a user's body, rather than the data of a `ForEach` or the text of an element.
  var isBody: Bool {
    switch content {
    case .root, .view, .row: true
    case .rows: false
    case .separate(let part): part.role != .section
    }
  }

  /// Whether the last evaluation of the body created effects.
  var hasEffects: Bool { !made.isEmpty }

  /// Whether the body has to run.
  var isStale: Bool {
    guard isEvaluated, let node else { return true }
    return Node.isStale(node)
  }

  /// Whether an ancestor has to be evaluated before this scope.
  ///
  /// That is a row that hasn't been requested yet, and that may no longer contain this scope.
  var waitsForParent: Bool {
    var scope = parent
    while let present = scope {
      if !present.isEvaluated { return true }
      scope = present.parent
    }
    return false
  }

  /// The outermost scope that has to be evaluated before this scope can be shown, if there is any.
  var firstToEvaluate: Scope? {
    guard !isEvaluated || host.hasPending else { return nil }
    var first = isEvaluated ? nil : self
    var scope = parent
    while let present = scope {
      if !present.isEvaluated { first = present }
      scope = present.parent
    }
    return first
  }

  /// Returns the state that the view's `@Environment` wrappers share.
  func bindEnvironmentReads() -> EnvironmentReads {
    if let environmentReads { return environmentReads }
    let made = EnvironmentReads(environment)
    environmentReads = made
    return made
  }

  // MARK: - Evaluation

  /// Runs the body.
  func evaluate() {
    isEvaluated = true
    isResolved = false
    let node = self.node ?? makeNode()
    self.node = node
    if host.tracesChanges, trace == nil { trace = ScopeTrace(node, hasRun: false) }
    // Releasing the last evaluation's values may run user code that writes, so it must not happen
    // while the body runs.
    host.renderedVersions.forget(self)
    let view = viewRead
    if view === self { environmentReads?.forgetReads() } else { view?.beginReading(of: self) }
    Node.evaluate(node)
    view?.finishReading(of: self)
    replaced = nil
  }

  private func makeNode() -> NodePointer {
    let scope = Unretained(self)
    return Storage.make([.reader, .observer, .pure], scope) { node, event in
      guard let scope = Storage.payload(of: node).pointee else { return false }
      switch event {
      case .evaluate: scope.withInstance { $0.evaluateBody() }
      case .marked: scope.withInstance { $0.host.invalidate($0) }
      case .describe(let name):
        name.pointee = scope.withInstance { $0.name }
      case .inspect(let place):
        place.pointee.kind = .view
        place.pointee.owner = scope.instance
      default: break
      }
      return false
    }
  }

  private func evaluateBody() {
    for effect in made { effect.cancel() }
    made = []
    var effects: [any Cancellable] = []
    Owner.collect(into: &effects) { host.renderedVersions.read(by: self) { evaluateContent() } }
    made = effects
    if let trace {
      trace.didRun()
      host.didTrace(trace)
    }
  }

  private func evaluateContent() {
    switch content {
    case .view(let view):
      environmentReads?.isReading = true
      build(body(of: view))
      environmentReads?.isReading = false
    case .root(let content): build(content())
    case .rows(let source): read(source)
    case .row(let value):
      guard case .rows(let source)? = parent?.content else { return }
      build(source.make(value, self))
    case .separate(let part): build(part.make())
    }
  }

  private func build(_ element: Element) {
    replaced = built
    built = element
  }

  private func read(_ source: ForEachSource) {
    let data = source.read()
    if let repeated = data.firstRepeat {
      host.report(repeated.id, at: repeated.positions, of: name)
    }
    if let rows { rows.didRead(data) } else { rows = ForEachList(self, source: source, data: data) }
  }

  /// The view whose wrappers this scope reads: itself, or the view around it.
  private var viewRead: Scope? {
    var scope: Scope? = self
    while let present = scope {
      switch present.content {
      case .view: return present
      case .root: return nil
      case .rows, .row, .separate: scope = present.parent
      }
    }
    return nil
  }

  /// Prepares the wrappers of this view for rows that read them.
  private func beginReading(of rows: Scope) {
    environmentReads?.isReading = true
    for slot in perBodySlots { slot.begin(rows) }
  }

  /// Makes the wrappers of this view drop values that the evaluation of its body, or of its rows,
  /// didn't use.
  private func finishReading(of scope: Scope) {
    environmentReads?.isReading = false
    if scope === self {
      for slot in perBodySlots { _ = slot.finish(self) }
    } else if !perBodySlots.isEmpty {
      scope.visited = perBodySlots.filter { $0.finish(scope) }
    }
  }

  private func body<Body: View>(of view: Body) -> Element {
    var copy = view
    ViewSlot(scope: self, offset: 0).bind(table(of: Body.self).wrappers, in: &copy)
    return copy.body
  }

  /// Creates and updates the scopes of the elements that the body built, and returns the children
  /// to visit next.
  func resolve() -> [Scope] {
    isResolved = true
    let isFirst = !isShown
    isShown = true
    if let rows, case .rows(let source) = content {
      let toVisit = rows.show(by: source)
      looksDifferent = isFirst || rows.hasChanged
      return toVisit
    }
    var resolution = ReconciliationPass(scope: self, pass: host.nextPass())
    let old = elements
    elements = resolution.elements(of: built)
    if let busy = host.intents.busyElements(of: id) {
      elements = ElementNames.marking(busy, in: elements)
    }
    looksDifferent = isFirst || !Element.lookSame(old, elements)
    if resolution.bindsKeys != bindsKeys {
      bindsKeys = resolution.bindsKeys
      host.note(self, bindsKeys: bindsKeys)
    }
    if resolution.holdsCovers != holdsCovers {
      holdsCovers = resolution.holdsCovers
      host.note(self, holdsCovers: holdsCovers)
    }
    return resolution.finish()
  }

  // MARK: - The end

  /// Takes scopes and all their descendants off the screen, and returns them all.
  ///
  /// They are no longer evaluated. No user code runs before ``release(_:)``.
  static func unmount(_ leaving: [Scope]) -> [Scope] {
    var unmounted: [Scope] = []
    var waiting = leaving
    while let scope = waiting.popLast() {
      guard scope.isMounted else { continue }
      // The host may be in its `deinit`: the reference to it can be dropped, but not used.
      scope.isMounted = false
      scope.owner = nil
      for view in scope.views { waiting.append(view.item) }
      waiting += scope.rows?.knownRows ?? []
      if let node = scope.node {
        scope.node = nil
        Node.dispose(node)
      }
      unmounted.append(scope)
    }
    for scope in unmounted { scope.parent = nil }
    return unmounted
  }

  /// Releases the objects that a scope which has left the screen keeps.
  func release(_ lifecycle: LifecycleQueue) {
    let effects = made
    trace = nil
    let released = (
      views, rows, slots, perBodySlots, built, elements, content, lifecycleNodes, visited
    )
    (views, rows, made, slots, perBodySlots, lifecycleNodes, visited) = (
      [], nil, [], [:], [], [], []
    )
    // An old frame may keep the scope of a row, but not the value it was created from.
    content = .row(())
    (built, elements) = (Element(.group([])), [])
    for child in released.7 { lifecycle.end(child.item) }
    for effect in effects { effect.cancel() }
    for slot in released.8 { slot.forget(id) }
    for slot in released.3 { slot.end() }
    withExtendedLifetime(released) {}
  }
}
