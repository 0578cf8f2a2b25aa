// Runs a view against a store, and hands frames to a renderer.
//
// Mutable state, and who may touch it:
// - `root` and all below it: Scope.swift and Reconciliation.swift, while a frame is made;
// - `invalid`: the scopes to look at in the next frame; marks add to it, `render` empties it;
// - `contents`: the elements of every evaluated scope, a persistent version of which is in each frame;
// - `scopes`: by id, to find what a renderer asks for;
// - `lastFrame`, `changed`: what the renderer was given last, and what differs since;
// - `bodies`: the statistics.
//
// Order of events: a commit marks bodies, which invalidate their scopes; in the hosts' phase of the turn
// the clock gives a frame; invalid scopes are evaluated, parents first; the renderer gets the frame and
// asks for rows, which are evaluated then.

/// Runs a view, evaluates again what must be, and hands frames to a renderer.
///
/// - A body is evaluated when the view appears, and when something that it read has changed.
/// - A child view, and each row of a ``ForEach``, is evaluated alone.
/// - Intents are found by the id of their element, and each runs as one transaction.
/// - When the host goes, everything that it made goes.
///
/// ```swift
/// let renderer = TextRenderer()
/// let host = ViewHost(store, renderer: renderer) { LibraryScreen(library: library) }
/// try host.perform("borrow-0441569595")
/// print(renderer.text)
/// ```
public final class ViewHost {
  /// The store that intents write to, and that `@ObservedResults` reads.
  public let store: Store
  /// Gets the errors that intents throw, before `perform` throws them.
  public var onError: ((any Error) -> Void)?
  /// How many bodies of views and rows were evaluated so far.
  public private(set) var bodies = 0

  let renderer: any Renderer
  let clock: FrameClock
  let isolation: (any Actor)?
  let fields = FieldTables()
  var sweep = 0
  /// Whether an async intent is under way.
  var isBusy = false

  private var root: Scope?
  private var invalid: [Scope] = []
  private var contents = Tree<FrameEntry>()
  private var scopes: [ScopeID: Scope] = [:]
  private var changed: Set<ScopeID> = []
  private var lastFrame: Frame?
  private var lastScope: UInt64 = 0
  private let watcher = QueuedWatcher(.hosts, name: "a host")

  /// Evaluates a view and hands the first frame to the renderer.
  ///
  /// The host belongs to the isolation domain that makes it.
  public init(
    _ store: Store, renderer: any Renderer, clock: FrameClock = .immediate,
    isolation: isolated (any Actor)? = #isolation, @ElementBuilder root: @escaping () -> Element
  ) {
    self.store = store
    self.renderer = renderer
    self.clock = clock
    self.isolation = isolation
    var environment = EnvironmentValues()
    environment.store = store
    watcher.perform = { [unowned self] in
      self.clock.request(self.watcher.order) { [weak self] in self?.render() }
    }
    let scope = Scope(self, parent: nil, content: .closure(root), environment: environment)
    self.root = scope
    scope.evaluate()
    commit()
  }

  deinit { root?.unmount { _ in } }

  // MARK: - Frames

  /// Evaluates what is invalid and hands a frame to the renderer, if anything changed.
  func render() {
    let scopes = invalid.sorted { ($0.depth, $0.id) < ($1.depth, $1.id) }
    invalid = []
    for scope in scopes
    where unsafe scope.isMounted && scope.isEvaluated && Node.isStale(scope.node) {
      if scope.isLazy {
        scope.isEvaluated = false
        changed.insert(scope.id)
      } else {
        scope.evaluate()
      }
    }
    if !changed.isEmpty { commit() }
  }

  private func commit() {
    guard let root else { return }
    let frame = Frame(root: root.id, changed: changed, contents: contents, host: self)
    changed = []
    let old = lastFrame
    lastFrame = frame
    renderer.commit(frame, replacing: old)
  }

  /// The frame on screen.
  public var frame: Frame {
    Frame(root: root?.id ?? ScopeID(number: 0), changed: [], contents: contents, host: self)
  }

  // MARK: - What scopes tell

  func nextScopeID() -> ScopeID {
    lastScope += 1
    return ScopeID(number: lastScope)
  }

  func didEvaluate(_ scope: Scope) {
    bodies += 1
    scopes[scope.id] = scope
  }

  /// A body may have to run, because of what it read or because its inputs differ.
  func invalidate(_ scope: Scope, inputsDiffer: Bool = false) {
    if inputsDiffer {
      scope.isEvaluated = false
      scopes[scope.id] = scope
      changed.insert(scope.id)
      if !scope.isLazy, scope.parent?.isEvaluated == true { return }
    } else {
      invalid.append(scope)
      watcher.enqueue()
    }
  }

  /// Keeps the elements of a scope for the frames to come.
  func keep(_ scope: Scope) {
    changed.insert(scope.id)
    let entry = FrameEntry(scope: scope.id, elements: scope.elements)
    let position = contents.lowerBound { $0.scope < scope.id }
    if position < contents.count, contents[position].scope == scope.id {
      contents.replace(at: position, with: entry)
    } else {
      contents.insert(entry, at: position)
    }
  }

  func forget(_ scope: Scope) {
    scopes[scope.id] = nil
    changed.remove(scope.id)
    let position = contents.lowerBound { $0.scope < scope.id }
    if position < contents.count, contents[position].scope == scope.id {
      contents.remove(at: position)
    }
  }

  /// The elements of a scope, evaluated now if nobody has asked before.
  func elements(of id: ScopeID) -> [Element]? {
    guard let scope = scopes[id] else { return nil }
    if !scope.isEvaluated {
      scope.evaluate()
      changed.remove(id)
    }
    return scope.elements
  }
}
