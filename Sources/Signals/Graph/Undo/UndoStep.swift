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
  func labelled(_ label: StepLabel?) -> UndoStep {
    guard let label else { return self }
    return .full(FullStep(parts: parts, label: label))
  }

  /// The step, a sealed commit, with what each property that it wrote has now.
  func rememberingPresent() -> UndoStep {
    .full(FullStep(parts: parts.map { $0.rememberingPresent() }, label: label))
  }

  /// Adds what was done after it, and leaves what neither needs to the next release; a label of that counts.
  ///
  /// Amortised O(`next`), if this is the only one.
  mutating func append(_ next: UndoStep) {
    if case .full = next { return appendParts(next) }
    switch self {
    case .one(let first):
      // Of the same property the older value counts; nothing else can have happened in between.
      if case .one(let second) = next, first.isSameProperty(as: second) {
        return Turn.leave(second)
      }
      self = .many([first] + next.records)
    case .many(var records):
      self = .many([])
      records.append(contentsOf: next.records)
      self = .many(records)
    case .full: appendParts(next)
    }
  }

  private mutating func appendParts(_ next: UndoStep) {
    var step = FullStep(parts: parts, label: next.label ?? label)
    self = .many([])
    for part in next.parts { step.append(part) }
    self = .full(step)
    Turn.leave(next)
  }

  /// Notes what others have written since.
  mutating func note(_ others: OthersWrites) {
    var step = FullStep(parts: parts, label: label)
    self = .many([])
    step.parts[step.parts.count - 1].note(others)
    self = .full(step)
  }

  /// What others have written since, for the step before this one.
  fileprivate var others: OthersWrites? {
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

/// The latest steps, as many as are to be kept.
///
/// A step that it drops is the caller's, who releases it when everything is whole: with it may go what writes to
/// the same store, and so adds a step. State: a ring of `slots`, of which `count` are in use, ending before `end`.
struct UndoStack {
  private let limit: Int
  private var slots: ContiguousArray<UndoStep?> = []
  private var end = 0
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { count == 0 }

  var last: UndoStep? { isEmpty ? nil : slots[previous] }

  /// Where the next step goes; it differs when one was added, also if another was dropped for it.
  var place: Int { end }

  private var previous: Int { slot(0) }

  /// The slot of a step, counted from the latest; the limit may be any number.
  private func slot(_ place: Int) -> Int {
    let slot = end - 1 - place
    return slot < 0 ? slot + limit : slot
  }

  /// Adds a step; the answer is the oldest, if there are too many now.
  mutating func append(_ step: consuming UndoStep) -> UndoStep? {
    let place = end
    end = end + 1 == limit ? 0 : end + 1
    count = min(count + 1, limit)
    guard place < slots.count else {
      slots.append(step)
      return nil
    }
    let dropped = slots[place].take()
    slots[place] = step
    return dropped
  }

  /// Makes a step a part of the latest one.
  mutating func join(_ step: UndoStep) {
    var last = removeLast()
    if last == nil { last = step } else { last?.append(step) }
    if let last { putBack(last) }
  }

  /// Adds a step in the place of one that was removed.
  private mutating func putBack(_ step: UndoStep) {
    if let dropped = append(step) { Turn.leave(dropped) }
  }

  mutating func removeLast() -> UndoStep? {
    guard !isEmpty else { return nil }
    end = previous
    count -= 1
    return slots[end].take()
  }

  /// Changes the latest step.
  mutating func changeLast(_ change: (inout UndoStep) -> Void) {
    guard var last = removeLast() else { return }
    change(&last)
    putBack(last)
  }

  /// Removes the latest step; what others have written since is noted at the one before.
  mutating func takeLast() {
    // Whoever takes it has it already.
    guard let others = removeLast()?.others else { return }
    changeLast { $0.note(others) }
  }

  /// The steps, the latest first; O(steps).
  var steps: [UndoStep] {
    (0..<count).compactMap { slots[slot($0)] }
  }

  /// Removes all steps, which are the caller's then.
  mutating func removeAll() -> ContiguousArray<UndoStep?> {
    (end, count) = (0, 0)
    return exchange(&slots, for: [])
  }

  /// Names each invariant that is broken.
  var brokenInvariants: [String] {
    var broken: [String] = []
    if slots.lazy.filter({ $0 != nil }).count != count { broken.append("the number of steps") }
    if slots.count > limit { broken.append("the limit of steps") }
    for place in 0..<count where slots[slot(place)] == nil {
      broken.append("step \(place) from the latest")
    }
    return broken
  }
}
