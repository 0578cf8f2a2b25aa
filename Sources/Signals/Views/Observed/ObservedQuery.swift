// What an `@ObservedResults` or `@ObservedSections` keeps for a view.
//
// State: `present`, the results of the store; `narrowed`, those of `where(on:)`, and `used`, which of
// them the view and each `ForEach` and row in it used when it last ran; `reader`, which of these runs;
// `shown`, the versions that they saw, which is what offsets mean until the next of them runs; `isBound`,
// whether there is a body at all: else nothing is kept. Rows show nothing of the results by themselves, and
// there are many: what they use is dropped with the next body.

/// Live results or sections, of which a version can be kept.
protocol ObservedLive {
  associatedtype Version
  /// Who is the same live result.
  var identity: ObjectIdentifier { get }
  /// The present version.
  var version: Version { get }
}

extension Results: ObservedLive {
  var identity: ObjectIdentifier { ObjectIdentifier(query) }
  var version: Tree<QueryRow> { query.rows() }
}

/// What a wrapper of live results keeps for a view.
final class ObservedQuery<Live: ObservedLive>: SweptSlot {
  var store: Store? {
    didSet { if store !== oldValue { forgetResults() } }
  }
  private var present: Live?
  private var narrowed: [NarrowedKey: Live] = [:]
  private var used: [ScopeID: Set<NarrowedKey>] = [:]
  private var reader: ScopeID?
  private var shown: [ObjectIdentifier: Live.Version] = [:]
  private var isBound = false

  func beginBody(of view: Scope) {
    isBound = true
    shown = [:]
    begin(view)
  }

  func begin(_ scope: Scope) {
    reader = scope.id
    if !used.isEmpty { used[scope.id] = nil }
  }

  func finish(_ scope: Scope) {
    reader = nil
    if scope.isLazy { return }
    dropUnused(on: scope.host)
    // The rows that a body has shown are on screen, however it reads them.
    for live in narrowed.values { note(live) }
    if let present { note(present) }
  }

  /// The conditions hold the view that made them, and with it this object.
  func end() {
    isBound = false
    forgetResults()
  }

  private func forgetResults() {
    present = nil
    narrowed = [:]
    used = [:]
    shown = [:]
  }

  private func dropUnused(on host: ViewHost) {
    if narrowed.isEmpty { return }
    used = used.filter { host.scopes[$0.key] != nil }
    let needed = used.values.reduce(into: Set()) { $0.formUnion($1) }
    if narrowed.count > needed.count { narrowed = narrowed.filter { needed.contains($0.key) } }
  }

  /// The results of the store; `wrapper` names who has none.
  func results(_ wrapper: String, _ make: (Store) -> Live) -> Live {
    if let present { return present }
    guard let store else { trap("\(wrapper) has no store: give it one") }
    let made = make(store)
    present = made
    return made
  }

  /// Results narrowed by a condition, made if this body is the first to use it.
  func narrowed(_ key: NarrowedKey, _ make: () -> Live) -> Live {
    guard isBound else { return make() }
    if let reader { used[reader, default: []].insert(key) }
    if let known = narrowed[key] { return known }
    let made = make()
    narrowed[key] = made
    return made
  }

  /// The version that the last body saw, or the present one if none did.
  func shown(_ live: Live) -> Live.Version {
    shown[live.identity] ?? Node.withoutReader { live.version }
  }

  private func note(_ live: Live) {
    shown[live.identity] = Node.withoutReader { live.version }
  }
}

/// Tells the narrowed results of a body apart: by where they are declared and the state they use.
struct NarrowedKey: Hashable {
  private let file: UInt
  private let line: UInt
  private let column: UInt
  private let state: AnyHashable

  init(file: StaticString, line: UInt, column: UInt, state: AnyHashable) {
    // One literal, one address: comparing its characters would cost more than finding the results.
    self.file = unsafe file.hasPointerRepresentation ? UInt(bitPattern: file.utf8Start) : 0
    self.line = line
    self.column = column
    self.state = state
  }
}
