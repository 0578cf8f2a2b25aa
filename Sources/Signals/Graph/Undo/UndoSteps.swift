// The readable state of a history: whether there are steps, how many, and their labels.
//
// State: `UndoHistory.readers`, created by the first tracked read. As long as no screen shows the
// history, adding a step costs only a test for nil.

extension UndoHistory {
  /// A step that can be undone or redone, as a menu shows it.
  public struct Step: Sendable, Equatable {
    /// The label given to `write(label:)`, or the title of the element whose intent made the step.
    ///
    /// A step of an async intent, or of a key, only has a label from `write(label:)`.
    public let label: String?
    /// The time of the commit since 1970, according to ``Store/now``; nil without a label.
    ///
    /// With Foundation: `Date(timeIntervalSince1970: date / .seconds(1))`.
    public let date: Duration?

    init(_ step: UndoStep) {
      label = step.label?.text
      date = step.label?.date
    }
  }

  /// Whether there is a step to undo; reads are tracked.
  public var canUndo: Bool {
    track(\.undoable)
    return !undoStack.isEmpty
  }

  /// Whether there is a step to redo; reads are tracked.
  public var canRedo: Bool {
    track(\.redoable)
    return !redoStack.isEmpty
  }

  /// The label of the next step to undo; reads are tracked.
  ///
  /// It is nil if the step has no label, or if there is no step.
  ///
  /// ```swift
  /// Button("Undo \(store.history.undoLabel ?? "")") { try store.undo() }.disabled(!store.canUndo)
  /// ```
  public var undoLabel: String? {
    track(\.undoLabel)
    return undoStack.last?.label?.text
  }

  /// The label of the next step to redo; reads are tracked.
  ///
  /// It is nil if the step has no label, or if there is no step.
  public var redoLabel: String? {
    track(\.redoLabel)
    return redoStack.last?.label?.text
  }

  /// The number of steps that can be undone; reads are tracked.
  public var undoCount: Int {
    track(\.undoCount)
    return undoStack.count
  }

  /// The number of steps that can be redone; reads are tracked.
  public var redoCount: Int {
    track(\.redoCount)
    return redoStack.count
  }

  /// The steps that can be undone, the next one first; reads are tracked.
  ///
  /// - Complexity: O(steps).
  public var undoSteps: [Step] {
    track(\.steps)
    return undoStack.steps.map(Step.init)
  }

  /// The steps that can be redone, the next one first; reads are tracked.
  ///
  /// - Complexity: O(steps).
  public var redoSteps: [Step] {
    track(\.steps)
    return redoStack.steps.map(Step.init)
  }

  private func track(_ invalidation: KeyPath<HistoryReaders, SettlingSource<HistoryState>>) {
    guard Node.hasReader else { return }
    let present = readers ?? HistoryReaders(of: self)
    readers = present
    present[keyPath: invalidation].track()
  }
}

extension Store {
  /// Whether there is a step to undo; reads are tracked.
  public var canUndo: Bool { history.canUndo }

  /// Whether there is a step to redo; reads are tracked.
  public var canRedo: Bool { history.canRedo }
}

/// The dependents of one history.
final class HistoryReaders {
  let undoable: SettlingSource<HistoryState>
  let redoable: SettlingSource<HistoryState>
  let undoLabel: SettlingSource<HistoryState>
  let redoLabel: SettlingSource<HistoryState>
  let undoCount: SettlingSource<HistoryState>
  let redoCount: SettlingSource<HistoryState>
  let steps: SettlingSource<HistoryState>
  /// All of these, in an array that isn't made for each commit.
  private let all: [SettlingSource<HistoryState>]

  init(of history: UndoHistory) {
    func source(
      _ name: String, isSame: @escaping (HistoryState, HistoryState) -> Bool
    ) -> SettlingSource<HistoryState> {
      SettlingSource(
        describe: { name },
        hasChanged: { [unowned history] before in
          before.map { !isSame($0, HistoryState(history)) } ?? true
        })
    }
    undoable = source("canUndo") { ($0.undoCount == 0) == ($1.undoCount == 0) }
    redoable = source("canRedo") { ($0.redoCount == 0) == ($1.redoCount == 0) }
    undoLabel = source("undoLabel") { $0.undoLabel == $1.undoLabel }
    redoLabel = source("redoLabel") { $0.redoLabel == $1.redoLabel }
    undoCount = source("undoCount") { $0.undoCount == $1.undoCount }
    redoCount = source("redoCount") { $0.redoCount == $1.redoCount }
    steps = source("the steps of an undo history") { _, _ in false }
    all = [undoable, redoable, undoLabel, redoLabel, undoCount, redoCount, steps]
  }

  /// Whether anything depends on the history.
  var areObserved: Bool { all.contains { $0.isObserved } }

  /// Marks the dependents of a history after it was changed.
  func mark(from before: HistoryState) {
    for source in all { source.mark(from: before) }
  }
}

/// The observable state of a history's stacks.
struct HistoryState {
  let undoCount: Int
  let redoCount: Int
  let undoLabel: String?
  let redoLabel: String?

  init(_ history: UndoHistory) {
    undoCount = history.undoStack.count
    redoCount = history.redoStack.count
    undoLabel = history.undoStack.last?.label?.text
    redoLabel = history.redoStack.last?.label?.text
  }
}
