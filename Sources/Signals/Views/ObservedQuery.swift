// What an `@ObservedResults` keeps for a view.
//
// State: `present`, the results of the store; `narrowed`, those of `where(on:)`, and `used`, which of
// them the view and each `ForEach` and row in it used when it last ran; `reader`, which of these runs;
// `shown`, the versions that they saw, which is what offsets mean until the next of them runs; `isBound`,
// whether there is a body at all: else nothing is kept. Rows show nothing of the results by themselves, and
// there are many: what they use is dropped with the next body.

/// What an `@ObservedResults` keeps for a view.
final class ObservedQuery<Element: Object>: SweptSlot {
  var store: Store? {
    didSet { if store !== oldValue { forgetResults() } }
  }
  private var present: Results<Element>?
  private var narrowed: [NarrowedKey: Results<Element>] = [:]
  private var used: [ScopeID: Set<NarrowedKey>] = [:]
  private var reader: ScopeID?
  private var shown: [ObjectIdentifier: Tree<QueryRow>] = [:]
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
    for results in narrowed.values { note(results) }
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

  func results(_ make: (Store) -> Results<Element>) -> Results<Element> {
    if let present { return present }
    guard let store else { trap("@ObservedResults of \(Element.self) has no store: give it one") }
    let made = make(store)
    present = made
    return made
  }

  func narrowed(
    _ key: NarrowedKey, from results: Results<Element>, _ isIncluded: @escaping (Element) -> Bool
  ) -> Results<Element> {
    guard isBound else { return results.where(isIncluded) }
    if let reader { used[reader, default: []].insert(key) }
    if let known = narrowed[key] { return known }
    let made = results.where(isIncluded)
    narrowed[key] = made
    return made
  }

  /// The rows that the last body saw, or the present ones if none did.
  func shown(_ results: Results<Element>) -> Tree<QueryRow> {
    shown[ObjectIdentifier(results.query)] ?? Node.withoutReader { results.query.rows() }
  }

  private func note(_ results: Results<Element>) {
    shown[ObjectIdentifier(results.query)] = Node.withoutReader { results.query.rows() }
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
