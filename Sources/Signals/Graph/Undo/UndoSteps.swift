// The readable state of a history: whether there are steps, how many, and their labels.
//
// Each value has readers of its own: a button that shows `canUndo` isn't evaluated again for another
// step. As long as no screen shows the history, adding a step costs only a test for nil.

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
    track(.canUndo)
    return !undoStack.isEmpty
  }

  /// Whether there is a step to redo; reads are tracked.
  public var canRedo: Bool {
    track(.canRedo)
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
    track(.undoLabel)
    return undoStack.last?.label?.text
  }

  /// The label of the next step to redo; reads are tracked.
  ///
  /// It is nil if the step has no label, or if there is no step.
  public var redoLabel: String? {
    track(.redoLabel)
    return redoStack.last?.label?.text
  }

  /// The number of steps that can be undone; reads are tracked.
  public var undoCount: Int {
    track(.undoCount)
    return undoStack.count
  }

  /// The number of steps that can be redone; reads are tracked.
  public var redoCount: Int {
    track(.redoCount)
    return redoStack.count
  }

  /// The steps that can be undone, the next one first; reads are tracked.
  ///
  /// - Complexity: O(steps).
  public var undoSteps: [Step] {
    track(.steps)
    return undoStack.steps.map(Step.init)
  }

  /// The steps that can be redone, the next one first; reads are tracked.
  ///
  /// - Complexity: O(steps).
  public var redoSteps: [Step] {
    track(.steps)
    return redoStack.steps.map(Step.init)
  }

  private func track(_ value: HistoryReaders.Value) {
    guard Node.hasReader else { return }
    let present = readers ?? HistoryReaders(of: self)
    readers = present
    present.source(of: value).track()
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
  /// A value of a history that can be read under tracking.
  enum Value: String {
    case canUndo, canRedo, undoLabel, redoLabel, undoCount, redoCount
    case steps = "the steps of an undo history"
  }

  private unowned let history: UndoHistory
  /// The sources of the values that were ever read under tracking.
  private var sources: [(value: Value, source: SettlingSource<HistoryState>)] = []

  init(of history: UndoHistory) { self.history = history }

  /// Returns the source of a value.
  func source(of value: Value) -> SettlingSource<HistoryState> {
    if let present = sources.first(where: { $0.value == value }) { return present.source }
    let source = SettlingSource<HistoryState>(
      describe: { value.rawValue },
      hasChanged: { [unowned history] before in
        before.map { !$0.isSame(as: HistoryState(history), in: value) } ?? true
      })
    sources.append((value, source))
    return source
  }

  /// Whether anything depends on the history.
  var areObserved: Bool { sources.contains { $0.source.isObserved } }

  /// Marks the dependents of a history after it was changed.
  func mark(from before: HistoryState) {
    for (_, source) in sources { source.mark(from: before) }
  }
}

/// The observable state of a history's stacks.
struct HistoryState {
  private let undoCount: Int
  private let redoCount: Int
  private let undoLabel: String?
  private let redoLabel: String?

  init(_ history: UndoHistory) {
    undoCount = history.undoStack.count
    redoCount = history.redoStack.count
    undoLabel = history.undoStack.last?.label?.text
    redoLabel = history.redoStack.last?.label?.text
  }

  /// Whether a value is the same in another state of the history.
  ///
  /// The steps count as changed whenever the stacks were.
  func isSame(as other: HistoryState, in value: HistoryReaders.Value) -> Bool {
    switch value {
    case .canUndo: (undoCount == 0) == (other.undoCount == 0)
    case .canRedo: (redoCount == 0) == (other.redoCount == 0)
    case .undoLabel: undoLabel == other.undoLabel
    case .redoLabel: redoLabel == other.redoLabel
    case .undoCount: undoCount == other.undoCount
    case .redoCount: redoCount == other.redoCount
    case .steps: false
    }
  }
}
