// What an `@ObservedResults` or `@ObservedSections` keeps for a view.
//
// State: `base`, the results of the store, and `present`, what is shown of them; `narrowed`, what is made with the
// view's state, each with the number of scopes that used it when they last ran: the view, each `ForEach` and row in
// it. `used` has what each of them used; `reading`, which of them runs, what it used before and uses now. What
// nobody uses any more goes. `host` has the view on its screen; without one nothing is kept.

/// Live results or sections, whatever their rows are shown as.
protocol ObservedLive {
  /// Who is the same live result.
  var source: AnyObject { get }
  /// The present version.
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

/// What a scope that runs has used so far, and what it had used before.
///
/// Not in the generic class, where each use would look the type up.
private struct ScopeReading {
  let scope: ScopeID
  let before: Set<NarrowedKey>
  var now: Set<NarrowedKey> = []
}

/// What a wrapper of live results keeps for a view.
final class ObservedQuery<Live: ObservedLive>: SweptSlot {
  private struct Narrowed {
    let live: Live
    /// What it was made of, so that its address stays its own.
    let base: AnyObject
    var uses = 0
  }

  var store: Store? {
    didSet { if store !== oldValue { forgetResults() } }
  }
  private weak var host: ViewHost?
  private var base: Query?
  private var present: Live?
  private var narrowed: [NarrowedKey: Narrowed] = [:]
  private var used: [ScopeID: Set<NarrowedKey>] = [:]
  private var reading: ScopeReading?

  // MARK: - Bodies

  func beginBody(of view: Scope) {
    host = view.host
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

  /// The conditions hold the view that made them, and with it this object.
  func end() {
    host = nil
    forgetResults()
  }

  private func forgetResults() {
    let released = (base, present, narrowed)
    (base, present, narrowed, used) = (nil, nil, [:], [:])
    withExtendedLifetime(released) {}
  }

  private func release(_ keys: Set<NarrowedKey>) {
    // Conditions own what is the user's: it goes when nothing is under way here.
    var released: [Narrowed] = []
    for key in keys {
      guard let index = narrowed.index(forKey: key) else { continue }
      narrowed.values[index].uses -= 1
      if narrowed.values[index].uses == 0 { released.append(narrowed.remove(at: index).value) }
    }
    withExtendedLifetime(released) {}
  }

  // MARK: - Results

  /// The results of the store.
  func base(_ source: ObservedSource<Live>) -> Query {
    if let base { return base }
    guard let store else {
      trap("\(source.name()) has no store: outside of a view give it one, `in: store`")
    }
    let made = source.base(store)
    base = made
    return made
  }

  /// What is shown of them.
  func present(_ source: ObservedSource<Live>) -> Live {
    if let present { return present }
    let made = source.make(base(source))
    present = made
    return made
  }

  /// What is made of a base with the view's state, unless it is kept already.
  func narrowed(_ key: NarrowedKey, of base: Query, _ make: (Query) -> Live) -> Live {
    if let known = narrowed[key] {
      use(key)
      return known.live
    }
    // Reads in the closure would be dependencies of whoever comes first: `on` stands for them.
    let made = untracked { make(base.ignoringViewState()) }
    if reading != nil {
      narrowed[key] = Narrowed(live: made, base: base)
      use(key)
    }
    return made
  }

  private func use(_ key: NarrowedKey) {
    guard reading?.now.insert(key).inserted ?? false else { return }
    narrowed[key]?.uses += 1
  }

  // MARK: - What is on screen

  /// The version of a live result that is on screen; outside of a view, and if nothing shows it, the present one.
  ///
  /// What neither is on screen nor was given by this wrapper can't mean what somebody saw: it traps by `name`.
  func shown(_ live: some ObservedLive, group: Int? = nil) -> LiveVersion {
    guard let host else { return Node.withoutReader { live.version } }
    let source = live.source
    if let group, let shown = host.shown.version(of: source, group: group, in: host) {
      return shown
    }
    if let shown = host.shown.version(of: source, in: host) { return shown }
    if present?.source !== source, !narrowed.contains(where: { $0.value.live.source === source }) {
      trap(
        "nothing on screen shows \(live.name) that offsets were given in: give those that the body "
          + "shows, kept in a `let`")
    }
    return Node.withoutReader { live.version }
  }
}

/// Tells what is made with the state of a view apart: by where that is declared, what it is made of, and the state.
struct NarrowedKey: Hashable {
  private let file: UInt
  private let line: UInt
  private let column: UInt
  private let base: ObjectIdentifier
  private let state: AnyHashable

  init(_ place: SourcePlace, _ base: Query, _ state: some Hashable) {
    // One literal, one address: comparing its characters would cost more than finding the results.
    file = unsafe place.file.hasPointerRepresentation ? UInt(bitPattern: place.file.utf8Start) : 0
    line = place.line
    column = place.column
    self.base = ObjectIdentifier(base)
    self.state = AnyHashable(state)
  }
}

/// Where something is written in the source.
struct SourcePlace {
  let file: StaticString
  let line: UInt
  let column: UInt
}
