// A debug-build warning about state that a closure of `where(on:)` reads and `on:` doesn't determine.
//
// Order of events: a closure reads the state of a view, which is noted with its value. The state is
// written, and the frame is made. If results that were made with the old value are still on screen,
// `on:` hasn't told the two values apart, and the screen is behind.

/// The state of views that the closures of one set of results have read.
final class ViewStateReads {
  /// The reads of the closures that are running, in a debug build.
  enum Current: ThreadContextKey {
    static var defaultValue: ViewStateReads? { nil }
  }

  private struct Read {
    let name: String
    /// Whether the state has another value than at the first read.
    let hasChanged: () -> Bool
  }

  private var reads: [ObjectIdentifier: Read] = [:]
  private var observer: PhaseObserver?
  private var hasWarned = false
  /// Whether the results are on screen, and the screen shows the present state.
  var isUsed: () -> Bool = { false }

  /// Notes that the running closures read a state.
  static func note<Value>(_ signal: Signal<Value>) {
    #if DEBUG
      guard let reads = ThreadContext[Current.self] else { return }
      reads.add(signal)
    #endif
  }

  /// Notes that a state is about to be written.
  static func willWrite(_ state: AnyObject) {
    #if DEBUG
      ViewStateReaders.of(state).forEach { $0.request() }
    #endif
  }

  private func add<Value>(_ signal: Signal<Value>) {
    let id = ObjectIdentifier(signal)
    // Values that can't be compared can't be told from their successors.
    guard reads[id] == nil, let value = signal.peek() as? any Equatable else { return }
    reads[id] = Read(name: Node.name(of: signal.node)) { [weak signal] in
      guard let signal else { return false }
      return !ViewStateReads.isEqual(value, signal.peek())
    }
    ViewStateReaders.add(self, to: signal)
  }

  private static func isEqual<Value: Equatable>(_ value: Value, _ other: Any) -> Bool {
    (other as? Value).map { ValueEquality.areEqual(value, $0) } ?? false
  }

  /// Checks after everything that follows from the write.
  private func request() {
    if hasWarned { return }
    let observer = observer ?? PhaseObserver(.afterwards, name: "a check of where(on:)")
    self.observer = observer
    observer.perform = { [unowned self] in if isUsed() { check() } }
    observer.enqueue()
  }

  /// Warns if a state has changed since the closures first read it.
  func check() {
    guard !hasWarned, let changed = reads.values.first(where: { $0.hasChanged() }) else { return }
    hasWarned = true
    DebugWarnings.write(
      """
      the closure of where(on:) or results(on:) reads \(changed.name), which has changed, and `on:` \
      is the same as before: the results don't follow it; add it to `on:`
      """)
  }
}

/// The reads to check when a state is written, by state; empty in a release build.
private enum ViewStateReaders: ThreadContextKey {
  struct Register {
    var reads: [ObjectIdentifier: [WeakReads]] = [:]
    /// The number of states at which those without reads are removed: twice as many as remained.
    var limit = 64
  }

  struct WeakReads { weak var reads: ViewStateReads? }

  static var defaultValue: Register { Register() }

  static func add(_ reads: ViewStateReads, to state: AnyObject) {
    var register = ThreadContext[ViewStateReaders.self]
    if register.reads.count >= register.limit {
      register.reads = register.reads.filter { $0.value.contains { $0.reads != nil } }
      register.limit = max(64, 2 * register.reads.count)
    }
    let present = register.reads[ObjectIdentifier(state), default: []].filter { $0.reads != nil }
    register.reads[ObjectIdentifier(state)] = present + [WeakReads(reads: reads)]
    ThreadContext[ViewStateReaders.self] = register
  }

  static func of(_ state: AnyObject) -> [ViewStateReads] {
    ThreadContext[ViewStateReaders.self].reads[ObjectIdentifier(state)]?.compactMap(\.reads) ?? []
  }
}
