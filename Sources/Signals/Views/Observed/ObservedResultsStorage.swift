// The state of an `@ObservedResults` or `@ObservedSections`, kept for a view.
//
// State: `base`, the query on the store; `present`, the live results or sections made from it;
// `narrowed`, those made with the view's state, each with the number of scopes that used it in
// their last evaluation (the view, and each `ForEach` and row in it); `used`, the keys that each of
// these scopes used; `reading`, the scope under evaluation, with the keys that it used before and
// uses now; `host` and `view`, the host and the view while it is on screen. Entries without uses are
// released. Outside of an evaluation nothing is added to `narrowed`. Only the host's isolation
// touches this state.

/// Live results or sections, with rows of any type.
protocol ObservedLive {
  /// The identity of the live results.
  var source: AnyObject { get }
  /// The current version.
  var version: LiveVersion { get }
  var name: String { get }
}

extension Results: ObservedLive {
  var source: AnyObject { query }
  var version: LiveVersion { LiveVersion(rows: query.rows()) }
  var name: String { query.description }
}

extension Sections: ObservedLive {
  var source: AnyObject { list }
  var version: LiveVersion { list.presentVersion }
  var name: String { list.description }
}

extension Sections.Section: ObservedLive {
  var source: AnyObject { list }
  var version: LiveVersion { list.presentVersion }
  var name: String { list.description }
}

extension SectionList {
  fileprivate var presentVersion: LiveVersion {
    _ = read()
    return version
  }
}

/// A scope under evaluation, with the keys that it used before and uses now.
///
/// Not nested in the generic class, where each use would look up the type.
private struct ScopeReading {
  let scope: ScopeID
  let before: Set<StateQueryKey>
  var now: Set<StateQueryKey> = []
}

/// The state of an `@ObservedResults` or `@ObservedSections`, kept for a view.
final class ObservedResultsStorage<Live: ObservedLive>: PerBodyViewSlot {
  private struct Narrowed {
    let live: Live
    /// The query that `live` was made from, retained so that its address, part of the key, stays
    /// unique.
    let base: AnyObject
    /// The state that the closures have read, in a debug build.
    let reads: ViewStateReads?
    var uses = 0
  }

  var store: Store? {
    didSet { if store !== oldValue { forgetResults() } }
  }
  private weak var host: ViewHost?
  private var view: ScopeID?
  private var base: Query?
  private var present: Live?
  private var narrowed: [StateQueryKey: Narrowed] = [:]
  private var used: [ScopeID: Set<StateQueryKey>] = [:]
  private var reading: ScopeReading?

  // MARK: - Bodies

  func beginBody(of view: Scope) {
    host = view.host
    self.view = view.id
    begin(view)
  }

  func begin(_ scope: Scope) {
    reading = ScopeReading(scope: scope.id, before: used.removeValue(forKey: scope.id) ?? [])
  }

  func finish(_ scope: Scope) -> Bool {
    guard let reading = reading.take() else { return false }
    if !reading.now.isEmpty { used[scope.id] = reading.now }
    release(reading.before)
    return !reading.now.isEmpty
  }

  func forget(_ rows: ScopeID) {
    if let keys = used.removeValue(forKey: rows) { release(keys) }
  }

  /// Breaks a cycle: conditions capture the view that made them, and the view refers to this
  /// object.
  func end() {
    host = nil
    forgetResults()
  }

  private func forgetResults() {
    let released = (base, present, narrowed)
    (base, present, narrowed, used) = (nil, nil, [:], [:])
    withExtendedLifetime(released) {}
  }

  private func release(_ keys: Set<StateQueryKey>) {
    // Conditions hold user values. They are released last, since that may run user code.
    var released: [Narrowed] = []
    for key in keys {
      guard let index = narrowed.index(forKey: key) else { continue }
      narrowed.values[index].uses -= 1
      if narrowed.values[index].uses == 0 { released.append(narrowed.remove(at: index).value) }
    }
    withExtendedLifetime(released) {}
  }

  // MARK: - Results

  /// The query for all results of the store.
  func base(_ source: ObservedSource<Live>) -> Query {
    if let base { return base }
    guard let store else {
      trap("\(source.name()) has no store: outside of a view give it one, `in: store`")
    }
    let made = source.base(store)
    base = made
    return made
  }

  /// The live results or sections made from the base query.
  func present(_ source: ObservedSource<Live>) -> Live {
    if let present { return present }
    let made = source.make(base(source))
    present = made
    return made
  }

  /// Returns the live results or sections that `make` makes with the view's state, unless they are
  /// kept already.
  func narrowed(_ key: StateQueryKey, of base: Query, make: (Query) -> Live) -> Live {
    if let known = narrowed[key] {
      use(key)
      known.reads?.check()
      return known.live
    }
    // Reads in the closure would be dependencies of the first caller only. `on` covers them
    // instead.
    let query = base.ignoringViewState()
    let made = untracked { query.definition.ignoringViewState { make(query) } }
    if reading != nil {
      let reads = query.definition.stateReads
      narrowed[key] = Narrowed(live: made, base: base, reads: reads)
      reads?.isUsed = { [weak self] in self?.isUpToDate(key) ?? false }
      use(key)
    }
    return made
  }

  /// Whether results are on screen, and the screen shows the present state.
  private func isUpToDate(_ key: StateQueryKey) -> Bool {
    guard let host, host.isUpToDate else { return false }
    return (narrowed[key]?.uses ?? 0) > 0
  }

  private func use(_ key: StateQueryKey) {
    guard reading?.now.insert(key).inserted ?? false else { return }
    narrowed[key]?.uses += 1
  }

  func presents(_ source: AnyObject) -> Bool { present?.source === source }

  // MARK: - Rows on screen

  /// The version of live results that is on screen.
  ///
  /// Outside of a view, the current version. Traps, naming the results, if they aren't on screen,
  /// because their offsets never were.
  func shown(_ live: some ObservedLive, group: Int? = nil) -> LiveVersion {
    guard let host else { return Node.withoutReader { live.version } }
    let source = live.source
    let versions = host.renderedVersions
    if let group,
      let shown = versions.version(of: source, group: group, in: host, shownBelow: view)
    {
      return shown
    }
    if let shown = versions.version(of: source, in: host, shownBelow: view) { return shown }
    trap(
      "nothing on screen shows \(live.name) that offsets were given in: give those that the body "
        + "shows, kept in a `let`")
  }

  /// The only live results on screen, of those of the wrapper and those made with the view's state.
  ///
  /// Outside of a view, those of the wrapper. Traps, naming the results, if several are on screen,
  /// because an offset could be one of each.
  func onScreen(_ source: ObservedSource<Live>) -> Live {
    let own = present(source)
    guard let host else { return own }
    // Other views may show the same rows with a wrapper of their own.
    let all = [own] + narrowed.values.map(\.live)
    var shown = onScreen(all, in: host, orElsewhere: false)
    if shown.isEmpty { shown = onScreen(all, in: host, orElsewhere: true) }
    if shown.count > 1 {
      trap(
        "\(shown.count) lists on screen come from \(source.name()): say which has the offsets, "
          + "`in:` it")
    }
    return shown.first?.value ?? own
  }

  /// The live results that are on screen, by their identity.
  private func onScreen(
    _ all: [Live], in host: ViewHost, orElsewhere isElsewhere: Bool
  ) -> [ObjectIdentifier: Live] {
    var shown: [ObjectIdentifier: Live] = [:]
    for live in all
    where host.renderedVersions.version(
      of: live.source, in: host, shownBelow: view, orElsewhere: isElsewhere) != nil
    {
      shown[ObjectIdentifier(live.source)] = live
    }
    return shown
  }
}

/// Identifies results made with a view's state, by the place of the call, the base query and the
/// state.
struct StateQueryKey: Hashable {
  let place: SourcePlace
  let base: ObjectIdentifier
  let state: AnyHashable
}

/// A location in source code.
struct SourcePlace: Hashable {
  private let file: UInt
  private let line: UInt
  private let column: UInt

  init(file: StaticString, line: UInt, column: UInt) {
    // A file literal has one address. Comparing its characters would cost more than finding the
    // results.
    self.file = file.address
    self.line = line
    self.column = column
  }
}
