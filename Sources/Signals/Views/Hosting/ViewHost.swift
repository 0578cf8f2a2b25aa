// Runs a view against a store, and hands frames to a renderer.
//
// Mutable state, and who may touch it:
// - `root` and all below it: Scope.swift and Reconciliation.swift, while a frame is made;
// - `invalid`: the scopes to look at in the next frame; marks add to it, `render` empties it;
// - `isDue`: the clock has allowed the next frame;
// - `scopes`: by id, to find what a renderer asks for; `keyScopes`: those that bind a key (see Keys.swift);
// - `contents`: what the frame on screen holds; each frame has one of its own, that shares its parts;
// - `isMakingFrame`: from the marks to the renderer; `hasNews`, whether something was evaluated for it, or is to be;
// - `pending`: rows, and what stands in them, that were shown and wait for somebody to ask for them;
// - `lastFrame`: what the renderer was given last; `shownFocus`, where the focus was then;
// - `entered`: what users have entered since; see EnteredValues.swift;
// - `bodies`, `lastScope`, `lastPass`: counters; `intents`: the async ones (see AsyncIntents.swift);
// - `life`: what is to run after the frame (see LifeQueue.swift); `focusState`: see Focus.swift;
// - `recorder`: see IntentRecorder.swift; `shown`: see ShownVersions.swift; `repeatedRows`: see RepeatedRows.swift;
// - `drawing`, `crowded`: see ReleasingRows.swift;
// - `gone`, `ended`: scopes and parts of lives that have left the screen, until what they keep is released.
//
// Order of events: a commit marks bodies, which invalidate their scopes; in the hosts' phase of the turn
// the clock allows a frame; invalid scopes are evaluated, parents first; the renderer gets the frame and
// asks for rows, which are evaluated then. What appeared and disappeared runs in a further turn, before what that
// made invalid.
//
// What leaves the screen keeps what is the user's, whose `deinit` may write and ask the host anything. So it is released
// when all that was to be evaluated stands in its place; and when the host goes, after no node of it is left.

/// Runs a view, evaluates again what must be, and hands frames to a renderer.
///
/// - A body is evaluated when the view appears, and when something that it read has changed.
/// - A child view, and each row of a ``ForEach``, is evaluated alone.
/// - Intents are found by the id of their element, and each runs as one transaction.
/// - What views say of their life, as with ``ElementContent/onAppear(_:)``, runs after the frame.
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
  /// Gets the errors of intents that no ``ElementContent/onError(_:)`` handles, before `perform` throws them.
  public var onError: ((any Error) -> Void)?
  /// How many bodies of views and rows were evaluated so far.
  public private(set) var bodies = 0
  /// Whether ``explain(_:)`` has an answer: for each body that runs, what it ran for.
  ///
  /// Off, unless you set it. While it is on, a body costs about a microsecond more for each thing that
  /// it reads, whose value is described.
  public var tracesChanges = false {
    didSet { if tracesChanges != oldValue { traceScopes() } }
  }
  /// Gets, for each body as soon as it has run, what it ran for; setting it switches ``tracesChanges`` on.
  ///
  /// It may only look: a write in it traps, like one in the body. See ``printChanges()``.
  public var onExplanation: ((Explanation) -> Void)? {
    didSet { if onExplanation != nil { tracesChanges = true } }
  }

  let renderer: any Renderer
  let clock: FrameClock
  /// The actor that tasks run on; not retained, because it may own the host.
  let isolation: TaskIsolation?
  /// The same for the code of views; see Workplace.swift.
  let workplace: Workplace?
  let fields = FieldTables()
  private(set) var contents = FrameContents()
  let intents = AsyncIntents()
  let life: LifeQueue
  /// What runs asynchronously; see HostJob.swift.
  let work = HostWork()
  /// Keeps the log of intents, if there is to be one; see IntentRecorder.swift.
  var recorder: IntentRecorder?
  let focusState = FocusState()
  /// What offsets mean.
  let shown = ShownVersions()

  private var root: Scope?
  private var invalid: [Scope] = []
  private var isDue = false
  private(set) var scopes: [ScopeID: Scope] = [:]
  private(set) var keyScopes: Set<ScopeID> = []
  private var isMakingFrame = true
  private var hasNews = true
  private var pending: Set<ScopeID> = []
  private var lastFrame: Frame?
  private var shownFocus: NamedPlace?
  var entered = EnteredValues()
  private var lastScope: UInt64 = 0
  private var lastPass: UInt64 = 0
  private var gone: [Scope] = []
  private var ended: [LifePart] = []
  var drawing: UInt64 = 0
  var crowded: Set<ScopeID> = []
  /// Whose rows have been said to have no ids of their own; see RepeatedRows.swift.
  var repeatedRows: Set<String> = []
  private let watcher = QueuedWatcher(.hosts, name: "a host")

  /// Evaluates a view and hands the first frame to the renderer.
  ///
  /// The host belongs to the isolation domain that makes it, and doesn't keep its actor. `onError` is there
  /// for errors of the first frame already.
  public init(
    _ store: Store, renderer: any Renderer, clock: FrameClock = .immediate,
    onError: ((any Error) -> Void)? = nil,
    isolation: isolated (any Actor)? = #isolation, @ElementBuilder root: @escaping () -> Element
  ) {
    self.store = store
    self.renderer = renderer
    self.clock = clock
    self.onError = onError
    self.isolation = isolation == nil ? nil : TaskIsolation(isolation, "a host")
    workplace = self.isolation.map { Workplace($0) }
    life = LifeQueue { [watcher] in watcher.enqueue() }
    watcher.perform = { [unowned self] in takeTurn() }
    watcher.describe = { [unowned self] in nameInMessages }
    var environment = EnvironmentValues()
    environment.store = store
    environment.setIntents(intents)
    let scope = Scope(self, parent: nil, content: .root(root), environment: environment)
    self.root = scope
    focusState.attach(to: self)
    // What appears takes its turn when the renderer has the frame.
    Node.withoutReader {
      batch {
        evaluate(scope)
        focusState.find(on: self)
        commit(reasserting: [])
        clock.didShowFirst(watcher.order)
      }
    }
  }

  deinit {
    // What is left to run is in no log: nobody could read it.
    recorder = nil
    life.ask = {}
    watcher.cancel()
    clock.forget(watcher.order)
    Node.withoutReader {
      batch {
        gone += root.map { Scope.unmount([$0]) } ?? []
        cancelIntents()
        releaseGone()
      }
      let onError = onError ?? ViewHost.reportUnhandled
      Workplace.run(at: workplace) { [life] in life.finish(onError) }
    }
  }

  // MARK: - Frames

  /// A commit marked something, or the clock ticked.
  private func takeTurn() {
    if !life.isEmpty {
      life.run(on: self)
      // What the intents set off runs before the frame.
      if !invalid.isEmpty || isDue { watcher.enqueue() }
      return
    }
    let mayRender =
      isDue
      || clock.allows(watcher.order) { [weak self] in
        self?.isDue = true
        self?.watcher.enqueue()
      }
    guard mayRender else { return }
    isDue = false
    render()
  }

  /// Evaluates what is invalid and hands a frame to the renderer, if anything changed.
  private func render() {
    isMakingFrame = true
    let shown = contents
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
    if !hasNews, reasserted.isEmpty, focusState.place == shownFocus {
      isMakingFrame = false
      contents = shown
    } else {
      commit(reasserting: reasserted)
    }
  }

  /// Shows nothing from now on: every view disappears, and a frame without any goes to the renderer.
  func removeRoot() {
    guard let root else { return }
    root.content = .root { Element(.group([])) }
    root.isEvaluated = false
    isMakingFrame = true
    contents = FrameContents(after: contents, firstNew: ScopeID(number: lastScope + 1))
    // What disappears takes its turn when the renderer has the frame.
    Node.withoutReader {
      batch {
        evaluate(root)
        commit(reasserting: [])
      }
    }
  }

  /// The host, and the bodies that are to be evaluated or else the first ones, as an endless chain names it.
  private var nameInMessages: String {
    let views = root?.views.map(\.scope) ?? []
    let scopes = invalid.isEmpty ? views : invalid
    let names = Set((scopes.isEmpty ? [root].compactMap(\.self) : scopes).map(\.name)).sorted()
    let more = names.count > 3 ? ["\(names.count - 3) more"] : []
    return names.isEmpty ? "a host" : "a host (\((names.prefix(3) + more).joined(separator: ", ")))"
  }

  /// Whether the renderer has been given what there is to show.
  var isUpToDate: Bool { invalid.isEmpty && life.isEmpty && !isMakingFrame }

  private func commit(reasserting reasserted: Set<ElementID>) {
    let place = focusState.place
    let focus = place == shownFocus ? lastFrame?.focus : place.flatMap(identity(of:))
    shownFocus = place
    let frame = frame(reasserting: reasserted, focus)
    hasNews = false
    isMakingFrame = false
    let old = lastFrame
    lastFrame = frame
    renderer.commit(frame, replacing: old)
    focusState.settle(on: self)
  }

  /// The frame on screen: the renderer's last one, as it is by now.
  public var frame: Frame { frame(reasserting: lastFrame?.reasserted ?? [], lastFrame?.focus) }

  private func frame(reasserting reasserted: Set<ElementID>, _ focus: ElementID?) -> Frame {
    Frame(
      root: root?.id ?? ScopeID(number: 0), reasserted: reasserted, focus: focus,
      contents: contents, host: self)
  }

  /// Asks for a turn, which makes a frame if there is anything new to show.
  func askForTurn() { watcher.enqueue() }

  /// The focus has come to stand somewhere else than the last frame says.
  func showFocus() { if focusState.place != shownFocus { askForTurn() } }

  // MARK: - Evaluation

  /// Evaluates a scope and what it holds, parents first, however deep without nesting.
  ///
  /// It is a batch, so that nothing propagates before everything is in its place.
  private func evaluate(_ first: Scope) {
    Workplace.run(at: workplace) {
      batch {
        evaluateAll(from: first)
        releaseGone()
      }
    }
  }

  private func evaluateAll(from first: Scope) {
    var waiting = [first]
    while let scope = waiting.popLast() {
      guard scope.isMounted else { continue }
      if scope.isStale {
        // Met again only because what surrounds it has changed: it waits for a renderer.
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
      // Rows that are the same are no frame; elements that look the same may do something else.
      if isMakingFrame, scope.looksDifferent || scope.rows == nil { hasNews = true }
      if scope.looksDifferent { contents.note(scope.id) }
      if let rows = scope.rows {
        contents.setRows(rows.shown, of: scope.id)
      } else {
        contents[scope.id] = scope.elements
      }
    }
  }

  /// The elements of a scope, evaluated now if nobody has asked before.
  func elements(of id: ScopeID) -> [Element] {
    settle(id).map { $0.rows?.elements ?? $0.elements } ?? []
  }

  /// Evaluates what has to be before a scope can be shown; nil if it is not on screen.
  @discardableResult
  func settle(_ id: ScopeID) -> Scope? {
    guard let scope = scopes[id] else { return nil }
    while scope.isMounted, let first = scope.firstToEvaluate {
      Node.withoutReader { evaluate(first) }
    }
    return scope.isMounted ? scope : nil
  }

  /// Evaluates what was shown and waits for somebody to ask for it.
  func settleAll() {
    while let next = pending.first { settle(next) }
  }

  /// Whether something that was shown waits for somebody to ask for it.
  var hasPending: Bool { !pending.isEmpty }

  /// The elements of a scope, none if it is a row that nobody has asked for.
  func evaluatedElements(of id: ScopeID, inOrder: Bool = false) -> [Element] {
    guard let scope = scopes[id], scope.isEvaluated else { return [] }
    guard let rows = scope.rows else { return scope.elements }
    return inOrder ? rows.knownElements : rows.knownRows.map { Element(.scope($0.id)) }
  }

  /// Some scopes, and all that they stand in.
  func withAncestors(_ ids: Set<ScopeID>) -> Set<ScopeID> {
    var all: Set<ScopeID> = []
    for id in ids {
      var scope = scopes[id]
      while let present = scope, all.insert(present.id).inserted { scope = present.parent }
    }
    return all
  }

  /// The rows of a scope that is a `ForEach`, mounted and evaluated as far as that goes.
  func rows(of id: ScopeID) -> RowList? { settle(id)?.rows }

  // MARK: - What scopes tell

  func nextScopeID() -> ScopeID {
    lastScope += 1
    return ScopeID(number: lastScope)
  }

  func remember(_ scope: Scope) { scopes[scope.id] = scope }

  func note(_ scope: Scope, bindsKeys: Bool) {
    if bindsKeys { keyScopes.insert(scope.id) } else { keyScopes.remove(scope.id) }
  }

  func note(_ scope: Scope, holdsCovers: Bool) {
    if holdsCovers {
      contents.covers.insert(scope.id)
    } else {
      contents.covers.remove(scope.id)
    }
  }

  func nextPass() -> UInt64 {
    lastPass += 1
    return lastPass
  }

  /// Something that a body read may have changed.
  func invalidate(_ scope: Scope) {
    invalid.append(scope)
    watcher.enqueue()
  }

  /// A row, or something in one, is to be evaluated when somebody asks for it.
  func expect(_ scope: Scope) {
    if isMakingFrame { hasNews = true }
    guard !scope.isPending else { return }
    scope.isPending = true
    pending.insert(scope.id)
  }

  /// A `ForEach` has dropped rows that its frame doesn't need.
  func didRelease(_ rows: RowVersion, of list: Scope) { contents.setRows(rows, of: list.id) }

  // MARK: - The end of scopes

  /// Takes scopes and all below them off the screen.
  func unmount(_ leaving: [Scope]) {
    let all = Scope.unmount(leaving)
    for scope in all { forget(scope) }
    gone += all
  }

  /// Ends parts whose modifiers have left the screen.
  func end(_ parts: [LifePart]) { ended += parts }

  /// Releases what has left the screen, when nothing is under way in the host.
  func releaseGone() {
    while !gone.isEmpty || !ended.isEmpty {
      let (scopes, parts) = (gone, ended)
      (gone, ended) = ([], [])
      for part in parts { life.end(part) }
      for scope in scopes { scope.release(life) }
    }
  }

  private func forget(_ scope: Scope) {
    scopes[scope.id] = nil
    if !keyScopes.isEmpty { keyScopes.remove(scope.id) }
    if scope.isPending { pending.remove(scope.id) }
    contents.forget(scope.id)
    if !contents.covers.isEmpty { contents.covers.remove(scope.id) }
    crowded.remove(scope.id)
    shown.forget(scope)
  }
}
