// What an `@ObservedResults` keeps for a view.
//
// State: `present`, the results of the store; `narrowed`, those of `where(on:)`, and `used`, which of
// them the body that runs, or ran last, has used; `shown`, the versions that it saw, which is what
// offsets mean until the next body; `isBound`, whether there is a body at all: else nothing is kept.

/// What an `@ObservedResults` keeps for a view.
final class ObservedQuery<Element: Object>: SweptSlot {
  var store: Store? {
    didSet { if store !== oldValue { forgetResults() } }
  }
  private var present: Results<Element>?
  private var narrowed: [NarrowedKey: Results<Element>] = [:]
  private var used: Set<NarrowedKey> = []
  private var shown: [ObjectIdentifier: Tree<QueryRow>] = [:]
  private var isBound = false

  func beginBody() {
    isBound = true
    shown = [:]
    used = []
  }

  func sweep() {
    if narrowed.count > used.count { narrowed = narrowed.filter { used.contains($0.key) } }
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
    used = []
    shown = [:]
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
    used.insert(key)
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
