// The commits that a history keeps: their logs retain the objects, so that undo brings the same
// ones back.
//
// Invariant: `mayHaveSteps` is set in the objects of all entries.

/// A property of an object, as a dictionary key.
///
/// It retains the object, whose address another one would get otherwise.
struct PropertyKey: Hashable {
  let object: Object
  let offset: Int

  init(_ object: Object, at offset: Int) {
    self.object = object
    self.offset = offset
  }
}

/// The entries of one step: a commit, or several that are undone together.
enum UndoStep {
  typealias Entries = ContiguousArray<Journal.Entry>

  /// One write, like most commits of views.
  case one(Journal.Entry)
  case many(Entries)
  /// A step with a label, or with the values that it left in properties that other commits may have
  /// written since.
  case composite(CompositeStep)

  /// No step.
  static var nothing: UndoStep { .many([]) }

  /// Whether it is the empty step.
  var isNothing: Bool {
    if case .many(let entries) = self { entries.isEmpty } else { false }
  }

  /// Takes the entries of a sealed journal.
  init(_ journal: inout Journal) {
    for entry in journal.entries { entry.object.mayHaveSteps = true }
    if journal.entries.count == 1 {
      self = .one(journal.removeLast())
    } else {
      self = .many(journal.takeEntries())
    }
  }

  init(_ entries: ArraySlice<Journal.Entry>) {
    for entry in entries { entry.object.mayHaveSteps = true }
    self = .many(Entries(entries))
  }

  var entries: Entries {
    switch self {
    case .one(let entry): [entry]
    case .many(let entries): entries
    case .composite(let step):
      step.parts.count == 1 ? step.parts[0].entries : Entries(step.parts.flatMap(\.entries))
    }
  }

  /// The runs of commits without conflicting writes of other commits in between.
  var parts: [CompositeStep.Part] {
    switch self {
    case .composite(let step): step.parts
    case .one, .many: [CompositeStep.Part(entries: entries)]
    }
  }

  /// The label with its date, if the step has one.
  var label: StepLabel? {
    if case .composite(let step) = self { step.label } else { nil }
  }

  /// The step with a label; the same step if `label` is nil.
  func labeled(_ label: StepLabel?) -> UndoStep {
    guard let label else { return self }
    return .composite(CompositeStep(parts: parts, label: label))
  }

  /// The step of a sealed commit, with the current value of each property that it wrote.
  func rememberingPresent() -> UndoStep {
    .composite(CompositeStep(parts: parts.map { $0.rememberingPresent() }, label: label))
  }

  /// The step of a sealed commit, with the properties that only rules wrote.
  ///
  /// - Parameter written: The number of entries that rules didn't write.
  func notingRules(after written: Int) -> UndoStep {
    var parts = parts
    let entries = parts[0].entries
    parts[0].byRules = Set(entries.dropFirst(written).compactMap(\.key))
      .subtracting(entries.prefix(written).compactMap(\.key))
    return .composite(CompositeStep(parts: parts, label: label))
  }

  /// Whether the properties that the step wrote still had the values that it left when `commit` was
  /// made, as far as the first `written` entries of the commit are concerned.
  ///
  /// This compares user values, which runs user code, so it is called before a history is changed.
  func isContinued(by commit: UndoStep, written: Int) -> Bool {
    guard case .composite(let step) = self, let last = step.parts.last,
      let next = commit.parts.first
    else { return true }
    return last.isContinued(by: next.entries.prefix(written))
  }

  /// Appends the commit that follows.
  ///
  /// Its label, if it has one, replaces the step's. The release of unneeded entries is deferred.
  ///
  /// - Complexity: Amortized O(`next`) if the step is uniquely referenced.
  mutating func append(_ next: UndoStep, isContinued: Bool) {
    if case .composite = next { return appendParts(next, isContinued: isContinued) }
    if case .one(let first) = self, case .one(let second) = next, first.isSameProperty(as: second) {
      return Scheduler.deferRelease(second)
    }
    if case .composite = self { return appendParts(next, isContinued: isContinued) }
    var entries = entries
    self = .nothing
    entries.append(commit: next.entries)
    self = .many(entries)
  }

  private mutating func appendParts(_ next: UndoStep, isContinued: Bool) {
    var step = CompositeStep(parts: parts, label: next.label ?? label)
    self = .nothing
    for part in next.parts { step.append(part, isContinued: isContinued) }
    self = .composite(step)
    Scheduler.deferRelease(next)
  }

  /// Notes the intervening writes after this step.
  mutating func note(_ others: InterveningWrites) {
    var step = CompositeStep(parts: parts, label: label)
    self = .nothing
    step.parts[step.parts.count - 1].note(others)
    self = .composite(step)
  }

  /// The intervening writes to note with the step before this one; nil if there are none.
  var others: InterveningWrites? {
    guard case .composite(let step) = self else { return nil }
    var others = InterveningWrites()
    for part in step.parts.reversed() {
      var part = part
      part.note(others)
      others = part.others
    }
    return others.isEmpty ? nil : others
  }
}

extension UndoStep.Entries {
  /// Appends the entries of the commit that follows.
  ///
  /// If it has written the same properties and nothing else, the older values count, and its entries aren't needed.
  /// Their release is deferred.
  mutating func append(commit next: Self) {
    if count == next.count, zip(self, next).allSatisfy({ $0.isSameProperty(as: $1) }) {
      Scheduler.deferRelease(next)
    } else {
      append(contentsOf: next)
    }
  }
}
