// Runs a view against a store, and hands frames to a renderer.
//
// State, touched only in the host's isolation domain:
// - `root` and its descendants: changed by Scope.swift and Reconciliation.swift while a frame is
//   made.
// - `invalid`: the scopes to look at in the next frame. Marks add to it, `render` empties it.
// - `isDue`: whether the clock has allowed the next frame.
// - `scopes`: by id, to find those that a renderer requests. `keyScopes`: the scopes that bind a
//   key; see KeyBinding.swift.
// - `contents`: the contents of the frame on screen. Each frame has its own; they share unchanged
//   parts.
// - `isMakingFrame`: true from the marks to the call of the renderer. `hasNews`: whether something
//   was evaluated for the frame, or has to be.
// - `pending`: rows and their descendants that were shown, became stale, and wait to be requested.
// - `lastFrame`: the frame that the renderer was given last; `shownFocus`: where the focus was
//   then.
// - `entered`: the values that users have entered since; see EnteredValues.swift.
// - `bodies`, `lastScope`, `lastPass`: counters. `intents`: the async intents; see
//   AsyncIntents.swift.
// - `lifecycle`: the code to run after the frame; see LifecycleQueue.swift. `focusState`: see
//   Focus.swift. `addressState`: see Navigation.swift.
// - `observers`, `onHeldIntent`: see IntentObserver.swift. `repeatedRows`: see RepeatedRows.swift.
//
// Order of events: a commit marks bodies, which invalidate their scopes. In the hosts' phase of the
// turn, the clock allows a frame. Invalid scopes are evaluated, parents first. The renderer gets
// the frame and requests rows, which are evaluated then. Intents of content that appeared or
// disappeared run in a further turn, before the scopes that they invalidate are evaluated.
//
// Scopes that leave the screen keep the user's objects, whose `deinit` may write and query the
// host. So they are released once everything that had to be evaluated is in place, and in the
// host's own `deinit` once it has no nodes left.

/// Runs a view, re-evaluates the parts whose dependencies change, and hands frames to a renderer.
///
/// - A body is evaluated when its view appears, and when something that it read has changed.
/// - Each child view, and each row of a ``ForEach``, is evaluated separately.
/// - Intents are found by the id of their element. Each runs as one transaction.
/// - Lifecycle intents, such as those of ``ElementContent/onAppear(_:)``, run after the frame.
/// - Releasing the host releases everything that it made.
///
/// ```swift
/// let renderer = TextRenderer()
/// let host = ViewHost(store, renderer: renderer) { LibraryScreen(library: library) }
/// try host.perform("borrow-0441569595")
/// print(renderer.text)
/// ```
public final class ViewHost {
  /// The store that intents write to and `@ObservedResults` reads.
  public let store: Store
  /// Called with the errors of intents that no ``ElementContent/onError(_:)`` handles, before
  /// `perform` throws them.
  public var onError: ((any Error) -> Void)?
  /// The number of bodies of views and rows evaluated so far.
  public private(set) var bodies = 0
  /// Whether the host records why each body runs, for ``explain(_:)``; `false` by default.
  ///
  /// While it is on, each body costs about a microsecond more per dependency, because the value of
  /// each is described.
  public var tracesChanges = false {
    didSet { if tracesChanges != oldValue { traceScopes() } }
  }
  /// Called after each body with the reasons why it ran; setting it turns ``tracesChanges`` on.
  ///
  /// The closure may only read: a write in it traps, as in the body.
  ///
  /// ```swift
  /// host.onExplanation = { print($0) }
  /// // the body of BookRow ran because of Book.title of #12: "Ema" → "Emma"
  /// ```
  public var onExplanation: ((Explanation) -> Void)? {
    didSet { if onExplanation != nil { tracesChanges = true } }
  }

  /// Called with each async intent that is started, instead of running it; nil by default.
  ///
  /// The intent does no work, but is busy until ``HeldIntent/end(throwing:)``: a test shows the busy
  /// screen without a network, and a replay ends the intent where the log does. It needs no actor.
  /// Intents that `performAsync` runs aren't held.
  ///
  /// ```swift
  /// var held: [HeldIntent] = []
  /// host.onHeldIntent = { held.append($0) }
  /// try host.start("load")
  /// print(renderer.text)  // the busy screen
  /// held[0].end(throwing: URLError(.timedOut))
  /// ```
  public var onHeldIntent: ((HeldIntent) -> Void)?

  /// See `intentObservers`.
  var observers: [any IntentObserver] = []
  let renderer: any Renderer
  let clock: FrameClock
  /// The actor that tasks run on; not retained, because it may own the host.
  let isolation: TaskIsolation?
  /// The same actor for the synchronous code of views; see CurrentActor.swift.
  let currentActor: CurrentActor?
  let fields = FieldTables()
  var contents = FrameContents()
  let intents = AsyncIntents()
  let lifecycle: LifecycleQueue
  /// The asynchronous work under way; see HostJob.swift.
  let work = HostWork()
  let focusState = FocusState()
  let addressState = AddressState()
  /// The versions of rows on screen, to which offsets refer.
  let renderedVersions = RenderedVersions()

  private var root: Scope?
  var invalid: [Scope] = []
  private var isDue = false
  var scopes: [ScopeID: Scope] = [:]
  var keyScopes: Set<ScopeID> = []
  var isMakingFrame = true
  var hasNews = true
  var pending: Set<ScopeID> = []
  private var lastFrame: Frame?
  private var shownFocus: ElementLocation?
  /// Whether rows have other names in the next frame, and with them perhaps the focus.
  var hasRenamedRows = false
  var entered = EnteredValues()
  var lastScope: UInt64 = 0
  var lastPass: UInt64 = 0
  /// Scopes that have left the screen, until they are released.
  var unmountedScopes: [Scope] = []
  /// Lifecycle nodes whose modifiers have left the screen, until they are released.
  var endedNodes: [LifecycleNode] = []
  /// The number of drawings that renderers have reported; see ViewHost+RowRelease.swift.
  var drawingNumber: UInt64 = 0
  /// The `ForEach`es with more rows than their limit; see ViewHost+RowRelease.swift.
  var oversizedLists: Set<ScopeID> = []
  /// The sources of rows for which repeated ids were reported; see RepeatedRows.swift.
  var repeatedRows: Set<String> = []
  let observer = PhaseObserver(.hosts, name: "a host")

  /// Creates a host, evaluates its view and hands the first frame to the renderer.
  ///
  /// The host belongs to the isolation domain that makes it, and doesn't retain its actor. Without
  /// an actor, tasks of views don't run, and async intents only run in their caller's task.
  /// `onError` is the initial ``onError``, and also gets errors of the first frame.
  ///
  /// - Parameters:
  ///   - store: The store that the views' wrappers use, by way of the environment.
  ///   - renderer: Draws the frames. The host retains it.
  ///   - clock: Determines when a frame is made after a commit.
  ///   - onError: The initial ``onError``, which also gets the errors of the first frame.
  ///   - isolation: The actor that tasks and async intents run on; by default, that of the caller.
  ///   - root: Returns the view. It is evaluated again whenever something that it read has changed.
  public init(
    _ store: Store, renderer: any Renderer, clock: FrameClock = .immediate,
    onError: ((any Error) -> Void)? = nil,
    isolation: isolated (any Actor)? = #isolation, @ElementBuilder root: @escaping () -> Element
  ) {
    self.store = store
    self.renderer = renderer
    self.clock = clock
    self.onError = onError
    self.isolation = isolation == nil ? nil : TaskIsolation(isolation, of: "a host")
    currentActor = self.isolation.map { CurrentActor($0) }
    lifecycle = LifecycleQueue { [observer] in observer.enqueue() }
    observer.perform = { [unowned self] in takeTurn() }
    observer.name = { [unowned self] in nameInMessages }
    var environment = EnvironmentValues()
    environment.store = store
    environment.setIntents(intents)
    let scope = Scope(self, parent: nil, content: .root(root), environment: environment)
    self.root = scope
    focusState.attach(to: self)
    // Intents of content that appears run after the renderer has the frame.
    Node.withoutReader {
      batch {
        evaluate(scope)
        focusState.find(on: self)
        commit(reasserting: [])
        clock.didShowFirst(observer.order)
      }
    }
  }

  deinit {
    // The code that still runs isn't observed, because the host can no longer be used.
    intentObservers = []
    lifecycle.ask = {}
    observer.cancel()
    clock.forget(observer.order)
    Node.withoutReader {
      batch {
        unmountedScopes += root.map { Scope.unmount([$0]) } ?? []
        cancelIntents()
        releaseUnmounted()
        intents.removeAll()
      }
      let onError = onError ?? ViewHost.reportUnhandled
      CurrentActor.run(on: currentActor) { [lifecycle] in lifecycle.finish(onError) }
    }
  }

  // MARK: - Frames

  /// Runs when a commit marked something, or the clock ticked.
  private func takeTurn() {
    if !lifecycle.isEmpty {
      lifecycle.run(on: self)
      // Writes of the intents propagate before the frame is made.
      if !invalid.isEmpty || isDue { observer.enqueue() }
      return
    }
    let mayRender =
      isDue
      || clock.allows(observer.order) { [weak self] in
        self?.isDue = true
        self?.observer.enqueue()
      }
    guard mayRender else { return }
    isDue = false
    render()
  }

  /// Evaluates the invalid scopes, and hands a frame to the renderer if anything changed.
  private func render() {
    isMakingFrame = true
    let previous = contents
    contents = FrameContents(after: contents, firstNew: ScopeID(number: lastScope + 1))
    let scopes = invalid.sorted { ($0.depth, $0.id) < ($1.depth, $1.id) }
    invalid = []
    for scope in scopes
    where scope.isMounted && scope.isEvaluated && (scope.isStale || !scope.isResolved) {
      if scope.waitsForParent || scope.isLazy && scope.isStale {
        scope.isEvaluated = false
        expect(scope)
      } else {
        evaluate(scope)
      }
    }
    let reasserted = takeReasserted()
    focusState.find(on: self)
    if !hasNews, reasserted.isEmpty, focusState.location == shownFocus {
      isMakingFrame = false
      contents = previous
    } else {
      commit(reasserting: reasserted)
    }
  }

  /// Shows an empty frame from now on: every view disappears.
  func removeRoot() {
    guard let root else { return }
    root.content = .root { Element(.group([])) }
    root.isEvaluated = false
    isMakingFrame = true
    contents = FrameContents(after: contents, firstNew: ScopeID(number: lastScope + 1))
    // Intents of content that disappears run after the renderer has the frame.
    Node.withoutReader {
      batch {
        evaluate(root)
        commit(reasserting: [])
      }
    }
  }

  /// The name of the host in messages about endless chains, with its invalid bodies, or else its
  /// first bodies.
  private var nameInMessages: String {
    let views = root?.views.map(\.item) ?? []
    let scopes = invalid.isEmpty ? views : invalid
    let names = Set((scopes.isEmpty ? [root].compactMap(\.self) : scopes).map(\.name)).sorted()
    let more = names.count > 3 ? ["\(names.count - 3) more"] : []
    return names.isEmpty ? "a host" : "a host (\((names.prefix(3) + more).joined(separator: ", ")))"
  }

  /// Whether the renderer has been given everything there is to show.
  package var isUpToDate: Bool { invalid.isEmpty && lifecycle.isEmpty && !isMakingFrame }

  private func commit(reasserting reasserted: Set<ElementID>) {
    let location = focusState.location
    let isSame = location == shownFocus && !hasRenamedRows
    let focus = isSame ? lastFrame?.focus : location.flatMap(identity(of:))
    (contents.hasRenamedRows, hasRenamedRows) = (hasRenamedRows, false)
    shownFocus = location
    let frame = frame(reasserting: reasserted, focus)
    hasNews = false
    isMakingFrame = false
    let old = lastFrame
    lastFrame = frame
    renderer.commit(frame, replacing: old)
    focusState.settle(on: self)
  }

  /// The frame on screen: the last one given to the renderer, with the rows evaluated since.
  public var frame: Frame { frame(reasserting: lastFrame?.reasserted ?? [], lastFrame?.focus) }

  private func frame(reasserting reasserted: Set<ElementID>, _ focus: ElementID?) -> Frame {
    Frame(
      root: root?.id ?? ScopeID(number: 0), reasserted: reasserted, focus: focus,
      contents: contents, host: self)
  }

  /// Requests a turn, which makes a frame if there is anything new to show.
  func askForTurn() { observer.enqueue() }

  /// Requests a frame if the focus has moved since the last one.
  func showFocus() { if focusState.location != shownFocus { askForTurn() } }

  // MARK: - Evaluation

  /// Evaluates a scope and its descendants, parents first, without recursion.
  ///
  /// It is a batch, so that nothing propagates before all scopes are in place.
  private func evaluate(_ first: Scope) {
    CurrentActor.run(on: currentActor) {
      batch {
        evaluateAll(from: first)
        releaseUnmounted()
      }
    }
  }

  private func evaluateAll(from first: Scope) {
    var waiting = [first]
    while let scope = waiting.popLast() {
      guard scope.isMounted else { continue }
      if scope.isStale {
        // This row was reached only because its environment changed. It waits for a renderer.
        if scope.isLazy, scope !== first { continue }
        if scope.isBody { bodies += 1 }
        if scope.isPending {
          scope.isPending = false
          pending.remove(scope.id)
        }
        scope.evaluate()
      } else if scope.isResolved {
        continue
      }
      guard scope.isMounted else { continue }
      waiting += scope.resolve().reversed()
      // A `ForEach` with the same rows needs no frame. Elements that look the same may have other
      // actions, so they do.
      if isMakingFrame, scope.looksDifferent || scope.rows == nil { hasNews = true }
      if scope.looksDifferent { contents.note(scope.id) }
      if let rows = scope.rows {
        contents.setRows(rows.shown, of: scope.id)
      } else {
        contents[scope.id] = scope.elements
      }
    }
  }

  /// Returns the elements of a scope, evaluating it if it wasn't requested before.
  func elements(of id: ScopeID) -> [Element] {
    settle(id).map { $0.rows?.elements ?? $0.elements } ?? []
  }

  /// Evaluates everything that a scope needs before it can be shown.
  ///
  /// - Returns: The scope; `nil` if it isn't on screen.
  @discardableResult
  func settle(_ id: ScopeID) -> Scope? {
    guard let scope = scopes[id] else { return nil }
    while scope.isMounted, let first = scope.firstToEvaluate {
      Node.withoutReader { evaluate(first) }
    }
    return scope.isMounted ? scope : nil
  }

  /// Evaluates all scopes that were shown and wait to be requested.
  func settleAll() {
    while let next = pending.first { settle(next) }
  }

  /// Whether any scope that was shown waits to be requested.
  var hasPending: Bool { !pending.isEmpty }

  /// Returns the elements of a scope, without evaluating it: none for a row that wasn't requested.
  func evaluatedElements(of id: ScopeID, inOrder: Bool = false) -> [Element] {
    guard let scope = scopes[id], scope.isEvaluated else { return [] }
    guard let rows = scope.rows else { return scope.elements }
    return inOrder ? rows.knownElements : rows.knownRows.map { Element(.scope($0.id)) }
  }

  /// Returns the given scopes and all their ancestors.
  func withAncestors(_ ids: Set<ScopeID>) -> Set<ScopeID> {
    var all: Set<ScopeID> = []
    for id in ids {
      var scope = scopes[id]
      while let present = scope, all.insert(present.id).inserted { scope = present.parent }
    }
    return all
  }

  /// Returns the rows of a `ForEach` scope, after evaluating everything that it needs.
  func rows(of id: ScopeID) -> ForEachList? { settle(id)?.rows }
}
