// Steps that can be undone and redone.
//
// Order of events. A sealed commit is pushed onto `undoStack` and clears `redoStack` (`keep`). An
// undo takes a step off one stack. When its transaction is sealed, its own journal is pushed onto
// the other stack; if it fails, the step is put back (Store+Undo.swift).
//
// Invariants:
// - `joinReasons` counts why a commit may join the last step: the history combines commits,
//   `latest` is set, each open group, and each `coalescing(_:_:)` under way. For the store's own
//   history, each of them makes a write need a transaction (`Store.fullWriteReasons`), because the path
//   without one only pushes steps.
// - Steps dropped by the stacks are released once the stacks are consistent and the commit is
//   sealed. Releasing a step releases the objects that it has deleted, whose deinitializers may
//   write, undo, or clear or release this history. The store owns the history for `Store.undo()`.

/// Undo and redo for the commits of a store, or for those of given origins.
///
/// Each store has one, ``Store/history``. Create others to undo the commits of chosen origins, or to
/// combine commits in another way.
///
/// - A history records the commits made after its creation, except for its own undos and redos and
///   for commits with `undoable: false`. To another history, an undo is a commit with the origin
///   ``Origin/undo``.
/// - Deleted objects come back as the same instances: the history retains them.
/// - An undo is one commit, all or nothing, with the origin ``Origin/undo``; a redo has
///   ``Origin/redo``. In an intent or a `write` it is part of that transaction.
/// - Recording a new commit clears the redo stack.
/// - Later writes that aren't in the history may conflict with a step, which ``undo(onConflict:)``
///   reports. These are the writes with `undoable: false` and, with `origins`, those of all other
///   origins.
/// - A step of several commits has the last label that one of them was given.
///
/// A history keeps at most `limit` steps, with old values and deleted objects but no copies of the
/// graph. Recording a commit is O(1), with `origins` O(writes). A commit with `undoable: false` is
/// O(writes). Recording ends when the history or its store is deallocated.
///
/// ```swift
/// store.history.group {
///   note.title = "Plan"
///   note.text = "Buy milk"
/// }
/// try store.history.undo()
/// ```
public final class UndoHistory {
  /// The direction in which a step is taken.
  enum Direction { case undo, redo }

  /// The edit with which the next commit is compared.
  private enum Latest {
    case group
    case key(String, Origin?)
    case edit(CoalescedEdit)
  }

  /// The store, until the store or the history is deallocated.
  private var storage: Unretained<Store>?
  private let origins: Set<Origin>?
  private let coalescing: Coalescing
  private let hasPaused: () -> Bool
  private let limit: Int
  // Unchecked because every undoable write passes here; no user code runs within an access.

  /// The steps that can be undone, the latest last.
  @safe @exclusivity(unchecked) private(set) var undoStack: UndoStack
  /// The steps that can be redone, the latest undone last.
  @safe @exclusivity(unchecked) private(set) var redoStack: UndoStack
  /// The edit with which the next commit is compared, to join the last step; nil after an undo and
  /// at the start and end of a group.
  private var latest: Latest? {
    didSet {
      if (latest == nil) != (oldValue == nil) { joinReasons += latest == nil ? -1 : 1 }
    }
  }
  /// The number of open groups.
  private var groups = 0
  /// The key of the innermost `coalescing(_:_:)`.
  private var key: String?
  /// The number of reasons for which a commit may join the last step.
  @safe @exclusivity(unchecked) private(set) var joinReasons: Int {
    didSet {
      // Every other history makes writes need a transaction anyway.
      guard let store = storage?.instance, store.history === self else { return }
      store.fullWriteReasons += joinReasons - oldValue
    }
  }
  /// The dependents of the history; created by the first tracked read.
  @safe @exclusivity(unchecked) var readers: HistoryReaders?

  /// Creates a history that records the commits of a store from now on.
  ///
  /// Traps if `limit` isn't positive.
  ///
  /// - Parameters:
  ///   - store: The store, which the history doesn't retain.
  ///   - limit: The maximum number of steps; the oldest are dropped.
  ///   - origins: The origins whose commits are recorded, or nil for all commits.
  ///   - coalescing: The rule by which commits are combined into one step.
  public init(
    _ store: Store, limit: Int = 100, origins: Set<Origin>? = nil, coalescing: Coalescing = .never
  ) {
    if limit <= 0 { trap("UndoHistory(limit: \(limit)): it would keep nothing") }
    storage = Unretained(store)
    self.limit = limit
    self.origins = origins
    self.coalescing = coalescing
    hasPaused = coalescing.makeTimer()
    undoStack = UndoStack(limit: limit)
    redoStack = UndoStack(limit: limit)
    joinReasons = coalescing.kind == .never ? 0 : 1
    store.add(self)
  }

  /// Creates the history that a store owns; the store then calls `enter(_:)`.
  init(ownWithLimit limit: Int, coalescing: Coalescing) {
    self.limit = limit
    storage = nil
    origins = nil
    self.coalescing = coalescing
    hasPaused = coalescing.makeTimer()
    undoStack = UndoStack(limit: limit)
    redoStack = UndoStack(limit: limit)
    joinReasons = coalescing.kind == .never || limit == 0 ? 0 : 1
  }

  deinit { storage?.instance.remove(self) }

  /// Undoes the latest step, under the rules of ``Store/undo(onConflict:)``.
  ///
  /// With `origins`, later commits of other origins are treated like those with `undoable: false`.
  ///
  /// - Parameter policy: What happens to a property that was written after the step.
  /// - Returns: The conflicts that `.theirs` or `.mine` has resolved, in the order of the step.
  /// - Throws: The errors of ``Store/undo(onConflict:)``; nothing has changed then.
  /// - Complexity: O(changes undone).
  @discardableResult
  public func undo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    guard let store = storage?.instance else { throw StoreError.nothingToUndo }
    return try store.take(.undo, of: self, onConflict: policy)
  }

  /// Redoes the latest undone step, under the rules of ``Store/redo(onConflict:)``.
  ///
  /// - Parameter policy: What happens to a property that was written after the undo.
  /// - Returns: The conflicts that `.theirs` or `.mine` has resolved, in the order of the step.
  /// - Throws: The errors of ``Store/redo(onConflict:)``; nothing has changed then.
  /// - Complexity: O(changes).
  @discardableResult
  public func redo(onConflict policy: ConflictPolicy = .fail) throws -> ConflictReport {
    guard let store = storage?.instance else { throw StoreError.nothingToRedo }
    return try store.take(.redo, of: self, onConflict: policy)
  }

  /// Removes all steps from the history.
  public func removeAll() {
    latest = nil
    changing { history in
      Scheduler.deferRelease(history.undoStack.removeAll())
      history.dropRedo()
    }
    Scheduler.release()
  }

  // MARK: - Grouping

  /// Combines all commits in `body` into one step; groups can be nested.
  ///
  /// If `body` throws, the commits made before that are a step.
  ///
  /// - Parameter body: The closure that makes the commits.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func group<Result>(_ body: () throws -> Result) rethrows -> Result {
    if groups == 0 { latest = nil }
    groups += 1
    joinReasons += 1
    defer {
      joinReasons -= 1
      groups -= 1
      if groups == 0 { latest = nil }
    }
    return try body()
  }

  /// Combines the commits in `body` with the commits immediately before that have the same key and
  /// origin.
  ///
  /// In an intent or a `write` it applies to the whole commit.
  ///
  /// ```swift
  /// history.coalescing("slider") { page.width = width }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the commits.
  ///   - body: The closure that makes the commits.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func coalescing<Result>(
    _ key: String, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = self.key
    self.key = key
    joinReasons += 1
    defer {
      joinReasons -= 1
      self.key = outer
    }
    let result = try body()
    storage?.instance.transaction?.coalescingKeys[ObjectIdentifier(self)] = key
    return result
  }

  // MARK: - Steps of the store

  /// Called by the store that owns the history, before its first commit.
  func enter(_ store: Store) {
    storage = Unretained(store)
    store.fullWriteReasons += joinReasons
  }

  /// Called when the store is deallocated.
  func leave() { storage = nil }

  /// Whether the history records commits of an origin.
  private func covers(_ origin: Origin?) -> Bool {
    guard let origins else { return true }
    return origin.map(origins.contains) ?? false
  }

  /// Whether the fast path for single entries can't be used, because the history is observed or a
  /// commit may join the previous step.
  var needsWholeCommits: Bool { joinReasons > 0 || isObserved }

  /// Whether anything depends on the readable state of the history.
  var isObserved: Bool { readers?.areObserved ?? false }

  /// Records a sealed commit; the release of steps dropped for it is deferred.
  ///
  /// - Parameters:
  ///   - step: The step of the commit.
  ///   - written: The number of entries of the step that rules didn't write.
  ///   - origin: The origin of the commit.
  ///   - key: The key that `coalescing(_:_:)` gave the commit.
  func keep(_ step: UndoStep, written: Int, origin: Origin?, key: String?) {
    guard limit > 0, covers(origin) else { return }
    if origins != nil || needsWholeCommits || key != nil {
      return keepSlowly(step, written: written, origin: origin, key: key ?? self.key)
    }
    var step = step
    keep(&step)
    if !step.isNothing { Scheduler.deferRelease(step) }
  }

  /// Pushes a step, and sets `step` to the step that was dropped for it, or to no step.
  @inline(__always)
  func keep(_ step: inout UndoStep) {
    if !redoStack.isEmpty { dropRedo() }
    undoStack.push(&step)
  }

  @inline(never)
  private func dropRedo() {
    if !redoStack.isEmpty { Scheduler.deferRelease(redoStack.removeAll()) }
  }

  private func keepSlowly(_ step: UndoStep, written: Int, origin: Origin?, key: String?) {
    let step = origins == nil ? step : step.rememberingPresent()
    let paused = hasPaused()
    var joins = false
    var next: Latest?
    var continued: CoalescedEdit?
    if groups > 0 {
      if case .group = latest { joins = true }
      next = .group
    } else if let key {
      if case .key(key, origin) = latest { joins = !paused }
      next = .key(key, origin)
    } else if coalescing.kind != .never,
      let edit = CoalescedEdit(step.entries.prefix(written), origin: origin)
    {
      if case .edit(let before) = latest, !paused {
        continued = coalescing.continuing(before, by: edit)
        joins = continued != nil
      }
      next = .edit(edit)
    } else {
      next = nil
    }
    // A group is one step in any case.
    if joins, groups == 0, let last = undoStack.last {
      joins = last.isContinued(by: step, written: written)
    }
    if joins, let continued { next = .edit(continued) }
    let isContinued = joins && undoStack.last?.isContinued(by: step, written: .max) ?? true
    changing { history in
      history.dropRedo()
      if joins {
        let next = isContinued ? step : step.notingRules(after: written)
        history.undoStack.join(next, isContinued: isContinued)
      } else {
        history.undoStack.append(step)
      }
    }
    latest = next
  }

  /// Notes the writes of a commit that isn't a step with the next steps to undo and redo, because
  /// the values it wrote are kept.
  func recordInterveningWrites(_ entries: UndoStep.Entries) {
    // With `origins` each step stores the values that it left.
    guard origins == nil, !undoStack.isEmpty || !redoStack.isEmpty else { return }
    let left = InterveningWrites(entries)
    if left.isEmpty { return }
    undoStack.changeLast { $0.note(left) }
    redoStack.changeLast { $0.note(left) }
  }

  /// The next step to undo or redo.
  func next(_ direction: Direction) -> UndoStep? {
    direction == .undo ? undoStack.last : redoStack.last
  }

  /// Removes the next step to undo or redo.
  func removeNext(_ direction: Direction) {
    latest = nil
    changing { history in
      switch direction {
      case .undo: history.undoStack.dropLast()
      case .redo: history.redoStack.dropLast()
      }
    }
  }

  /// Puts back a step whose transaction failed, or pushes the inverse of a step that was taken.
  func putBack(_ step: UndoStep, to direction: Direction) {
    latest = nil
    changing { history in
      switch direction {
      case .undo: history.undoStack.append(step)
      case .redo: history.redoStack.append(step)
      }
    }
  }

  /// The number of steps.
  var stepCounts: StepCounts {
    StepCounts(
      undo: undoStack.count, redo: redoStack.count,
      places: [undoStack.place, redoStack.place])
  }

  /// Describes each broken invariant.
  var brokenInvariants: [String] {
    undoStack.brokenInvariants.map { "\($0) to undo" }
      + redoStack.brokenInvariants.map { "\($0) to redo" }
  }

  /// Whether other origins, whose commits the history doesn't record, may write the same
  /// properties.
  var isShared: Bool { origins != nil }

  /// Changes the stacks, and marks their dependents.
  private func changing(_ change: (UndoHistory) -> Void) {
    guard let readers, readers.areObserved else { return change(self) }
    let before = HistoryState(self)
    change(self)
    readers.mark(from: before)
  }
}

/// The number of steps that a history has to undo and to redo.
package struct StepCounts: Equatable, CustomStringConvertible {
  let undo: Int
  let redo: Int
  /// The positions of the stacks, which also change with a push onto a full stack.
  let places: [Int]

  /// Both numbers.
  package var description: String { "\(undo) and \(redo) steps" }
}

extension Store {
  /// The steps of the store's own history, and then of each other history that records its commits.
  package var stepCounts: [StepCounts] {
    var all = [history.stepCounts]
    for index in histories.indices { all.append(histories[index].instance.stepCounts) }
    return all
  }
}
