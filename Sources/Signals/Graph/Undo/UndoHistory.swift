// Steps that can be undone and redone.
//
// Mutable state, and who may touch it:
// - `undoStack`, `redoStack`: steps, the latest last. A sealed commit is added to the first and empties the
//   second (`keep`); an undo takes a step off one, and when its transaction is sealed its own log goes onto
//   the other (Undoing.swift), or the step back if it fails;
// - `latest`: what the next commit is compared with, to become a part of the last step; nil after an undo
//   and at the ends of groups;
// - `readers`: what depends on the stacks (UndoSteps.swift);
// - `groups`: how many are open; `key`: the one given by the innermost `coalescing(_:_:)`;
// - `storage`: the store, until it or the history goes.
//
// What the stacks drop is released when they are whole, and the commit is sealed: with a step go the objects that it
// has deleted, and their ends may write, undo, or forget this history.
// The store has a history of its own for `Store.undo()`, which nobody else reaches and which it owns.

/// Undo and redo for the commits of a store, or for those of some origins.
///
/// - It keeps the commits from its creation on; those with `undoable: false`, and undos, are not in it.
/// - Deleted objects come back as the same instances: the history holds them.
/// - An undo is one commit, all or nothing, of origin ``Origin/undo``; a redo of ``Origin/redo``. In an
///   intent or a `write` it is part of that.
/// - A commit that belongs here, and is no undo, ends what can be redone.
/// - With `origins`, what other origins have written is not the step's; without, what was written with
///   `undoable: false`. ``undo(onConflict:)`` reports where that stands in the way of a step.
/// - A step that was made of several commits has the last label that one of them was given.
///
/// It keeps at most `limit` steps, and in them old values and deleted objects, no copies of the graph.
/// Keeping a commit is O(1), with `origins` O(writes); a commit with `undoable: false` costs O(writes). When it goes, or its store does, it is over.
///
/// ```swift
/// let history = UndoHistory(store, coalescing: .typing)
/// note.text += "a"
/// note.text += "b"
/// try history.undo()
/// ```
public final class UndoHistory {
  /// Which way a step is taken.
  enum Direction { case undo, redo }

  /// What the next commit is compared with.
  private enum Latest {
    case group
    case key(String, Origin?)
    case edit(CoalescedEdit)
  }

  private unowned(unsafe) var storage: Store?
  private let origins: Set<Origin>?
  private let coalescing: Coalescing
  private let hasPaused: () -> Bool
  private let limit: Int
  // Unchecked because every write that can be undone passes here; no user code runs within an access.
  @safe @exclusivity(unchecked) private(set) var undoStack: UndoStack
  @safe @exclusivity(unchecked) private(set) var redoStack: UndoStack
  private var latest: Latest?
  private var groups = 0
  private var key: String?
  /// What is read of it; made by the first read.
  @safe @exclusivity(unchecked) var readers: HistoryReaders?

  /// Begins to keep the commits of a store, of all or of some origins, as at most `limit` steps.
  ///
  /// `coalescing` says which commits become one step.
  public init(
    _ store: Store, limit: Int = 100, origins: Set<Origin>? = nil, coalescing: Coalescing = .never
  ) {
    if limit <= 0 { trap("UndoHistory(limit: \(limit)): it would keep nothing") }
    unsafe storage = store
    self.limit = limit
    self.origins = origins
    self.coalescing = coalescing
    hasPaused = coalescing.makeTimer()
    undoStack = UndoStack(limit: limit)
    redoStack = UndoStack(limit: limit)
    store.add(self)
  }

  /// Creates the history that a store has for its own `undo()`.
  init(ownWithLimit limit: Int, coalescing: Coalescing) {
    self.limit = limit
    unsafe storage = nil
    origins = nil
    self.coalescing = coalescing
    hasPaused = coalescing.makeTimer()
    undoStack = UndoStack(limit: limit)
    redoStack = UndoStack(limit: limit)
  }

  deinit { unsafe storage?.remove(self) }

  /// Undoes the latest step; see ``Store/undo(onConflict:)``.
  ///
  /// With `origins`, what others have written since is what was not written by these.
  ///
  /// - Returns: The conflicts that `.theirs` and `.mine` have decided, in the order of the step.
  /// - Throws: What ``Store/undo(onConflict:)`` does; then nothing changes.
  /// - Complexity: O(changes undone).
  @discardableResult
  public func undo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    guard let store = unsafe storage else { throw StoreError.nothingToUndo }
    return try store.take(.undo, of: self, policy)
  }

  /// Does the latest step that was undone again; see ``Store/redo(onConflict:)``.
  ///
  /// - Returns: The conflicts that `.theirs` and `.mine` have decided, in the order of the step.
  /// - Throws: What ``Store/redo(onConflict:)`` does; then nothing changes.
  /// - Complexity: O(changes).
  @discardableResult
  public func redo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    guard let store = unsafe storage else { throw StoreError.nothingToRedo }
    return try store.take(.redo, of: self, policy)
  }

  /// Forgets everything.
  public func removeAll() {
    latest = nil
    changing { history in
      Turn.leave(history.undoStack.removeAll())
      history.dropRedo()
    }
    Turn.letGo()
  }

  // MARK: - Grouping

  /// Makes one step of all commits in `body`.
  ///
  /// If `body` throws, what it has committed before is a step.
  public func group<Result>(_ body: () throws -> Result) rethrows -> Result {
    beginGroup()
    defer { endGroup() }
    return try body()
  }

  /// Makes one step of all commits until the matching ``endGroup()``; groups nest in each other.
  public func beginGroup() {
    if groups == 0 { latest = nil }
    groups += 1
  }

  /// Ends a group; traps without one.
  public func endGroup() {
    if groups == 0 { trap("UndoHistory.endGroup() without beginGroup()") }
    groups -= 1
    if groups == 0 { latest = nil }
  }

  /// Makes one step of the commits in `body` and those right before of the same key and origin.
  ///
  /// In an intent or a `write` it is about the whole of that commit.
  ///
  /// ```swift
  /// history.coalescing("slider") { page.width = width }
  /// ```
  public func coalescing<Result>(
    _ key: String, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = self.key
    self.key = key
    defer { self.key = outer }
    let result = try body()
    unsafe storage?.transaction?.coalescingKey = key
    return result
  }

  // MARK: - What the store does

  /// The store is going.
  func leave() { unsafe storage = nil }

  /// Whether a commit of an origin belongs here.
  private func covers(_ origin: Origin?) -> Bool {
    guard let origins else { return true }
    return origin.map(origins.contains) ?? false
  }

  /// Whether a step is more than a record: somebody has read whether there are any, or it may join the one before.
  var needsWholeCommits: Bool {
    isCoalescing || (readers?.areObserved ?? false)
  }

  /// Whether a commit may be a part of the step before it.
  var isCoalescing: Bool { coalescing.kind != .never }

  /// Adds a sealed commit; what is dropped for it is left to the next release.
  func keep(_ step: UndoStep, _ origin: Origin?, key: String?) {
    guard limit > 0, covers(origin) else { return }
    if origins != nil || needsWholeCommits || groups > 0 || key != nil || self.key != nil {
      return keepSlowly(step, origin, key ?? self.key)
    }
    latest = nil
    var step = step
    keep(&step)
    if !step.isNothing { Turn.leave(step) }
  }

  /// Adds a commit as a step, and leaves in its place the one that is dropped for it, or no step.
  @inline(__always)
  func keep(_ step: inout UndoStep) {
    if !redoStack.isEmpty { dropRedo() }
    undoStack.push(&step)
  }

  @inline(never)
  private func dropRedo() {
    if !redoStack.isEmpty { Turn.leave(redoStack.removeAll()) }
  }

  private func keepSlowly(_ step: UndoStep, _ origin: Origin?, _ key: String?) {
    let step = origins == nil ? step : step.rememberingPresent()
    let paused = hasPaused()
    var joins = false
    let next: Latest?
    if groups > 0 {
      if case .group = latest { joins = true }
      next = .group
    } else if let key {
      if case .key(key, origin) = latest { joins = !paused }
      next = .key(key, origin)
    } else if coalescing.kind != .never, let edit = CoalescedEdit(step, origin) {
      if case .edit(let before) = latest {
        joins = !paused && coalescing.joins(edit, after: before)
      }
      next = .edit(edit)
    } else {
      next = nil
    }
    let isContinued = joins && undoStack.last?.isContinued(by: step) ?? true
    changing { history in
      history.dropRedo()
      if joins {
        history.undoStack.join(step, isContinued: isContinued)
      } else {
        history.undoStack.append(step)
      }
    }
    latest = next
  }

  /// Notes what a commit that is no step has written, at the steps that are next: what it left stays.
  func noteOthers(_ records: UndoStep.Records) {
    // With origins each step knows what it left.
    guard origins == nil, !undoStack.isEmpty || !redoStack.isEmpty else { return }
    let left = OthersWrites(records)
    if left.isEmpty { return }
    undoStack.changeLast { $0.note(left) }
    redoStack.changeLast { $0.note(left) }
  }

  /// The step that would be taken next.
  func next(_ direction: Direction) -> UndoStep? {
    direction == .undo ? undoStack.last : redoStack.last
  }

  /// Takes it off.
  func removeNext(_ direction: Direction) {
    latest = nil
    changing { history in
      switch direction {
      case .undo: history.undoStack.dropLast()
      case .redo: history.redoStack.dropLast()
      }
    }
  }

  /// Puts back a step whose transaction failed, or the inverse of one that was taken.
  func putBack(_ step: UndoStep, _ direction: Direction) {
    latest = nil
    changing { history in
      switch direction {
      case .undo: history.undoStack.append(step)
      case .redo: history.redoStack.append(step)
      }
    }
  }

  /// How many steps it has.
  var stepCounts: StepCounts {
    StepCounts(
      undo: undoStack.count, redo: redoStack.count,
      places: [undoStack.place, redoStack.place])
  }

  /// Names each invariant that is broken.
  var brokenInvariants: [String] {
    undoStack.brokenInvariants.map { "\($0) to undo" }
      + redoStack.brokenInvariants.map { "\($0) to redo" }
  }

  /// Whether others write what it has written, and keep it.
  var isShared: Bool { origins != nil }

  /// Changes the stacks, and marks what has read of them.
  private func changing(_ change: (UndoHistory) -> Void) {
    guard let readers, readers.areObserved else { return change(self) }
    let before = HistoryState(self)
    change(self)
    readers.mark(self, before)
  }
}

/// How many steps a history has, to undo and to redo.
package struct StepCounts: Equatable, CustomStringConvertible {
  let undo: Int
  let redo: Int
  /// A history that is full has as many as before when it is given one more.
  let places: [Int]

  /// Both numbers.
  package var description: String { "\(undo) and \(redo) steps" }
}

extension Store {
  /// The steps of the store's own history, and then of each other that keeps its commits.
  package var stepCounts: [StepCounts] {
    var all = [history.stepCounts]
    for index in histories.indices { all.append(unsafe histories[index].history.stepCounts) }
    return all
  }
}
