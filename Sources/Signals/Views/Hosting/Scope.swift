// One evaluated piece of a screen: a view, a row, the root.
//
// Mutable state, and who may touch it:
// - `content`, `environment`: what is evaluated, and in what; Reconciliation.swift replaces them when
//   the parent was evaluated;
// - `slots`, `sweeps`: what the view's wrappers keep, by offset, and what of it wants to be told after
//   each body; `visited`: which of those of the view around keep something for a `ForEach` or row;
//   `surroundings`: what the view's `@Environment` wrappers share;
// - `views`: the scopes inside, in the order of the body; Reconciliation.swift;
// - `rows`: what a scope of a `ForEach` has instead (see RowList.swift);
// - `lives`: what the modifiers of the body keep that speak of its life; LifePart.swift;
// - `rowHash`: set once, by RowVersion.swift;
// - `owner`, `parent`: nil once the scope has left the screen; the host is there as long as they are;
// - `mark`: the pass in which the parent last met this scope, or of a row, the drawing that last asked for it;
// - `fields`: what is known of the view's type, once it was evaluated;
// - `isEvaluated`, `isResolved`: whether the body, and what it built, are as they should be, apart from
//   what `node` knows: the body as an observer of the graph, made at the first evaluation;
// - `built`, `elements`: what the last body built, and the same with children replaced by scopes; `replaced`, what the
//   body before it built, until the evaluation is over;
// - `isShown`: whether `elements` or `rows` were ever set; `looksDifferent`: whether they looked different before the
//   last time;
// - `isPending`: the host has it among those that were shown and wait to be asked for;
// - `bindsKeys`, `holdsCovers`: whether a key is bound in `elements`, or a cover stands there, which the host then knows;
// - `isHidden`: whether it stands in hidden content of its parent; Reconciliation.swift;
// - `made`: the effects that the last body made;
// - `trace`: why the body ran last, while the host traces that, or since the body asked for it;
//   `printsChanges`: the body that runs has asked for it (see ViewInspection.swift).
//
// Order of events at the end: every scope that leaves gives up its node, so that nothing evaluates any more; then the
// host forgets them; then what they keep is released, which is user code that may write and ask the host anything.

/// Names a scope within its host, for ever.
public struct ScopeID: Hashable, Comparable, Sendable {
  let number: UInt64

  /// Orders by creation.
  public static func < (lhs: ScopeID, rhs: ScopeID) -> Bool { lhs.number < rhs.number }
}

/// One evaluated piece of a screen: a view, a row, the root; it keeps what the wrappers of its view need.
///
/// A scope lasts as long as its identity: where it stands, the type of its view, and the user's id if
/// there is one. A host makes scopes and drops them; renderers know them by their ``ScopeID``.
@safe
public final class Scope {
  enum Content {
    case root(() -> Element)
    case view(any View)
    /// A `ForEach`.
    case rows(RowSource)
    /// A row of one, made from this.
    case row(Any)
    /// Content of the view around it.
    case part(ElementPart)
  }

  private typealias Storage = Cell<Unmanaged<Scope>?>

  let id: ScopeID
  private unowned var owner: ViewHost?
  /// Nil for the root, and once the scope has left the screen.
  private(set) unowned var parent: Scope?
  let depth: Int
  var content: Content
  var environment: EnvironmentValues { didSet { surroundings?.values = environment } }
  var slots: [Int: AnyObject] = [:]
  var sweeps: [any SweptSlot] = []
  private var visited: [any SweptSlot] = []
  private(set) var surroundings: Surroundings?
  var views: [PlacedView] = []
  private(set) var rows: RowList?
  var lives: [PlacedPart] = []
  var mark: UInt64 = 0
  /// By which a row is found among those of its `ForEach`.
  var rowHash = 0
  private var built = Element(.group([]))
  private var replaced: Element?
  private var isShown = false
  private(set) var looksDifferent = true
  var isPending = false
  private(set) var elements: [Element] = []
  var isEvaluated = false
  var isResolved = false
  private var fields: FieldTable?
  private var made: [any Cancellable] = []
  private(set) var isMounted = true
  private(set) var node: NodePointer?
  var trace: ScopeTrace?
  private var printsChanges = false
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
    case .part(let part): "a \(part.role) of \(parent?.name ?? "a host")"
    }
  }

  /// Rows are evaluated when a renderer asks for them, everything else at once.
  var isLazy: Bool {
    if case .row = content { true } else { false }
  }

  /// Whether this is a body of the user's, rather than the data of a `ForEach` or the text of an element.
  var isBody: Bool {
    switch content {
    case .root, .view, .row: true
    case .rows: false
    case .part(let part): part.role != .section
    }
  }

  /// Whether its body has made effects.
  var hasEffects: Bool { !made.isEmpty }

  /// Whether the body has to run.
  var isStale: Bool {
    guard isEvaluated, let node = unsafe node else { return true }
    return unsafe Node.isStale(node)
  }

  /// Whether something that this scope stands in has to be evaluated before it: a row that nobody has
  /// asked for yet, which may not hold it any more.
  var waitsForParent: Bool {
    var scope = parent
    while let present = scope {
      if !present.isEvaluated { return true }
      scope = present.parent
    }
    return false
  }

  /// What has to be evaluated first before this scope can be shown, if anything.
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

  /// What the view's `@Environment` wrappers share.
  func bindSurroundings() -> Surroundings {
    if let surroundings { return surroundings }
    let made = Surroundings(environment)
    surroundings = made
    return made
  }

  // MARK: - Evaluation

  /// Runs the body.
  func evaluate() {
    isEvaluated = true
    isResolved = false
    let node = unsafe self.node ?? makeNode()
    unsafe self.node = unsafe node
    if host.tracesChanges, trace == nil { trace = unsafe ScopeTrace(node, hasRun: false) }
    // What the last evaluation left may be the user's, and write when it goes: not while the body runs.
    host.shown.forget(self)
    let view = viewRead
    if view === self { surroundings?.forgetReads() } else { view?.beginReading(of: self) }
    unsafe Node.evaluate(node)
    view?.finishReading(of: self)
    replaced = nil
  }

  private func makeNode() -> NodePointer {
    let scope = unsafe Unmanaged.passUnretained(self)
    return unsafe Storage.make([.observer, .watcher, .pure], scope) { node, event in
      guard let scope = unsafe Storage.payload(of: node).pointee else { return false }
      switch event {
      case .evaluate: unsafe scope._withUnsafeGuaranteedRef { $0.evaluateBody() }
      case .marked: unsafe scope._withUnsafeGuaranteedRef { $0.host.invalidate($0) }
      case .describe:
        unsafe Turn.current.pointee.description = unsafe scope._withUnsafeGuaranteedRef { $0.name }
      case .inspect:
        var inspection = Inspection(kind: .view)
        inspection.owner = unsafe scope._withUnsafeGuaranteedRef { $0 }
        return Node.tell(inspection)
      case .settle, .perform, .read, .readMember, .readPath, .destroy: break
      }
      return false
    }
  }

  private func evaluateBody() {
    for effect in made { effect.cancel() }
    made = []
    printsChanges = false
    var effects: [any Cancellable] = []
    Owner.collect(into: &effects) { host.shown.read(by: self) { evaluateContent() } }
    made = effects
    if let trace {
      trace.didRun()
      if printsChanges, let last = trace.changes.last { print(last) }
      host.didTrace(trace)
    }
  }

  private func evaluateContent() {
    switch content {
    case .view(let view):
      surroundings?.isReading = true
      build(body(of: view))
      surroundings?.isReading = false
    case .root(let content): build(content())
    case .rows(let source): read(source)
    case .row(let value):
      guard case .rows(let source)? = parent?.content else { return }
      build(source.make(value))
    case .part(let part): build(part.make())
    }
  }

  private func build(_ element: Element) {
    replaced = built
    built = element
  }

  /// Prints what the body that runs now runs for, as soon as it has run.
  func printChanges() {
    guard let node = unsafe node else { return }
    printsChanges = true
    if trace == nil { trace = unsafe ScopeTrace(node, hasRun: node.pointee.run > 1) }
  }

  private func read(_ source: RowSource) {
    let data = source.read()
    if let repeated = data.firstRepeat {
      host.report(repeated.id, at: repeated.positions, of: name)
    }
    if let rows { rows.didRead(data) } else { rows = RowList(self, source, data) }
  }

  /// The view whose wrappers this reads through: its own, or that around it.
  private var viewRead: Scope? {
    var scope: Scope? = self
    while let present = scope {
      switch present.content {
      case .view: return present
      case .root: return nil
      case .rows, .row, .part: scope = present.parent
      }
    }
    return nil
  }

  /// Prepares the wrappers of this view for rows that read through them.
  private func beginReading(of rows: Scope) {
    surroundings?.isReading = true
    for slot in sweeps { slot.begin(rows) }
  }

  /// Has the wrappers of this view drop what the evaluation of its body, or of its rows, did not use.
  private func finishReading(of scope: Scope) {
    surroundings?.isReading = false
    if scope === self {
      for slot in sweeps { _ = slot.finish(self) }
    } else if !sweeps.isEmpty {
      scope.visited = sweeps.filter { $0.finish(scope) }
    }
  }

  private func body<Body: View>(of view: Body) -> Element {
    var copy = view
    Slot(scope: self, offset: 0).bind(table(of: Body.self).wrappers, in: &copy)
    return copy.body
  }

  /// The fields of the view, which is always of one type.
  func table<Body: View>(of type: Body.Type) -> FieldTable {
    if let fields { return fields }
    let table = host.fields.table(of: type)
    fields = table
    return table
  }

  /// The name of a property of the view, for messages.
  func nameOfField(at offset: Int) -> String? {
    guard case .view(let view) = content, let fields else { return nil }
    return fields.path(to: offset, in: host.fields).map { "\(type(of: view)).\($0)" }
  }

  /// Whether what the parent made has the same inputs as what it made before.
  func hasSameInputs(_ new: Content) -> Bool {
    switch (content, new) {
    case (.view, .view(let view)): hasSameInputs(view)
    case (.rows(let old), .rows(let new)): old === new
    case (.part(let old), .part(let new)): old === new
    default: false
    }
  }

  /// Whether a view that the parent made has the same inputs as the one before it.
  private func hasSameInputs(_ new: any View) -> Bool {
    guard isEvaluated, case .view(let old) = content else { return false }
    func compare<Body: View>(_ old: Body) -> Bool {
      (new as? Body).map { table(of: Body.self).isSame(old, $0) } ?? false
    }
    return compare(old)
  }

  /// Puts the scopes of what the body built in place; the answer are the children to look at next.
  func resolve() -> [Scope] {
    isResolved = true
    let isFirst = !isShown
    isShown = true
    if let rows, case .rows(let source) = content {
      let toVisit = rows.show(by: source)
      looksDifferent = isFirst || rows.hasChanged
      return toVisit
    }
    var resolution = Resolution(scope: self, pass: host.nextPass())
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

  /// Takes scopes and all below them off the screen, and returns them; nothing of them is evaluated any more.
  ///
  /// No user code runs before ``release(_:)``.
  static func unmount(_ leaving: [Scope]) -> [Scope] {
    var gone: [Scope] = []
    var waiting = leaving
    while let scope = waiting.popLast() {
      guard scope.isMounted else { continue }
      // The host may be the one that goes: it can be let go of, and not asked.
      scope.isMounted = false
      scope.owner = nil
      for view in scope.views { waiting.append(view.scope) }
      waiting += scope.rows?.knownRows ?? []
      if let node = unsafe scope.node {
        unsafe scope.node = nil
        unsafe Node.dispose(node)
      }
      gone.append(scope)
    }
    for scope in gone { scope.parent = nil }
    return gone
  }

  /// Releases what a scope that has left the screen keeps.
  func release(_ life: LifeQueue) {
    let effects = made
    trace = nil
    let released = (views, rows, slots, sweeps, built, elements, content, lives, visited)
    (views, rows, made, slots, sweeps, lives, visited) = ([], nil, [], [:], [], [], [])
    // An old frame may keep the scope of a row, but not what it was made from.
    content = .row(())
    (built, elements) = (Element(.group([])), [])
    for placed in released.7 { life.end(placed.part) }
    for effect in effects { effect.cancel() }
    for slot in released.8 { slot.forget(id) }
    for slot in released.3 { slot.end() }
    withExtendedLifetime(released) {}
  }
}

/// What a slot keeps for each body.
protocol SweptSlot: AnyObject {
  /// Rows inside of the view are about to be evaluated.
  func begin(_ rows: Scope)
  /// The body has run, or the rows: drops what was not used, and tells whether it keeps something for these.
  func finish(_ scope: Scope) -> Bool
  /// Rows that it keeps something for have left the screen.
  func forget(_ rows: ScopeID)
  /// Drops everything: the view has left the screen.
  func end()
}
