// What a history keeps of commits: their logs, which hold the objects, and so bring the same ones back.

/// A property of an object, as a key.
struct PropertyKey: Hashable {
  let object: ObjectIdentifier
  let offset: Int

  init(_ object: Object, _ offset: Int) {
    self.object = ObjectIdentifier(object)
    self.offset = offset
  }
}

/// What one step did: a commit, or several that are undone together.
enum UndoStep {
  typealias Records = ContiguousArray<TransactionLog.Record>

  /// As most commits of views do: one write.
  case one(TransactionLog.Record)
  case many(Records)
  /// Beside others that write too, or with a label.
  case full(FullStep)

  /// No step.
  static var nothing: UndoStep { .many([]) }

  /// Whether it is no step.
  var isNothing: Bool {
    if case .many(let records) = self { records.isEmpty } else { false }
  }

  /// Takes the records of a sealed log.
  init(_ log: inout TransactionLog) {
    if log.records.count == 1 {
      self = .one(log.removeLast())
    } else {
      self = .many(log.takeRecords())
    }
  }

  init(_ records: ArraySlice<TransactionLog.Record>) { self = .many(Records(records)) }

  var records: Records {
    switch self {
    case .one(let record): [record]
    case .many(let records): records
    case .full(let step):
      step.parts.count == 1 ? step.parts[0].records : Records(step.parts.flatMap(\.records))
    }
  }

  /// What was done in a row, each time.
  var parts: [FullStep.Part] {
    switch self {
    case .full(let step): step.parts
    case .one, .many: [FullStep.Part(records: records)]
    }
  }

  /// The label and the date, if it has any.
  var label: StepLabel? {
    if case .full(let step) = self { step.label } else { nil }
  }

  /// The step with a label, unless that is nil.
  func labeled(_ label: StepLabel?) -> UndoStep {
    guard let label else { return self }
    return .full(FullStep(parts: parts, label: label))
  }

  /// The step, a sealed commit, with what each property that it wrote has now.
  func rememberingPresent() -> UndoStep {
    .full(FullStep(parts: parts.map { $0.rememberingPresent() }, label: label))
  }

  /// Whether what it wrote was as it left it when a commit was made.
  ///
  /// This compares values of the user's, and so is asked before a history is changed.
  func isContinued(by commit: UndoStep) -> Bool {
    guard case .full(let step) = self, let last = step.parts.last, let next = commit.parts.first
    else { return true }
    return last.isContinued(by: next)
  }

  /// Adds the commit that was made after it, and leaves what neither needs to the next release; a label of that counts.
  ///
  /// Amortised O(`next`), if this is the only one.
  mutating func append(_ next: UndoStep, isContinued: Bool) {
    if case .full = next { return appendParts(next, isContinued) }
    switch self {
    case .one(let first):
      // Of the same property the older value counts; nothing else can have happened in between.
      if case .one(let second) = next, first.isSameProperty(as: second) {
        return Turn.leave(second)
      }
      self = .many([first] + next.records)
    case .many(var records):
      self = .nothing
      records.append(contentsOf: next.records)
      self = .many(records)
    case .full: appendParts(next, isContinued)
    }
  }

  private mutating func appendParts(_ next: UndoStep, _ isContinued: Bool) {
    var step = FullStep(parts: parts, label: next.label ?? label)
    self = .nothing
    for part in next.parts { step.append(part, isContinued: isContinued) }
    self = .full(step)
    Turn.leave(next)
  }

  /// Notes what others have written since.
  mutating func note(_ others: OthersWrites) {
    var step = FullStep(parts: parts, label: label)
    self = .nothing
    step.parts[step.parts.count - 1].note(others)
    self = .full(step)
  }

  /// What others have written since, for the step before this one.
  var others: OthersWrites? {
    guard case .full(let step) = self else { return nil }
    var others = OthersWrites()
    for part in step.parts.reversed() {
      var part = part
      part.note(others)
      others = part.others
    }
    return others.isEmpty ? nil : others
  }
}
