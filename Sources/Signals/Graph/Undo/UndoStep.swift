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
  /// Beside others who write too: with what each property was left at, of those that they may have written.
  case shared(Records, after: [PropertyKey: Any])

  /// Takes the records of a sealed log.
  init(_ log: inout TransactionLog) {
    if log.records.count == 1 {
      self = .one(log.removeLast())
    } else {
      self = .many(log.takeRecords())
    }
  }

  init(_ records: ArraySlice<TransactionLog.Record>) { self = .many(Records(records)) }

  init(_ records: Records) { self = .many(records) }

  var records: Records {
    switch self {
    case .one(let record): [record]
    case .many(let records), .shared(let records, _): records
    }
  }

  /// The step with what each property that it wrote has now.
  func rememberingPresent() -> UndoStep {
    var after: [PropertyKey: Any] = [:]
    for record in records {
      guard case .property(let offset, _) = record.change,
        let property = unsafe record.object.extent?.schema.property(at: offset)
      else { continue }
      after[PropertyKey(record.object, offset)] = property.value(in: record.object)
    }
    return .shared(records, after: after)
  }

  /// Adds what was done after it, and leaves what neither needs to the next release.
  ///
  /// Amortised O(`next`), if this is the only one.
  mutating func append(_ next: UndoStep) {
    let later = next.records
    // Of the same property the older value counts; nothing else can have happened in between.
    if case .one(let first) = self, later.count == 1, first.isSameProperty(as: later[0]) {
      return Turn.leave(later)
    }
    switch self {
    case .one(let first): self = .many([first] + later)
    case .many(var records):
      self = .many([])
      records.append(contentsOf: later)
      self = .many(records)
    case .shared(var records, var after):
      self = .many([])
      if records.count != 1 || later.count != 1 || !records[0].isSameProperty(as: later[0]) {
        records.append(contentsOf: later)
      } else {
        Turn.leave(later)
      }
      if case .shared(_, let new) = next {
        for (key, value) in new {
          if let old = after.updateValue(value, forKey: key) { Turn.leave(old) }
        }
      } else {
        // What others had written before is a part of the whole now.
        for key in later.lazy.compactMap(\.key) {
          if let old = after.removeValue(forKey: key) { Turn.leave(old) }
        }
      }
      self = .shared(records, after: after)
    }
  }
}

/// What commits that are no steps have written, each property with its value before: what the step before them left
/// there.
struct OthersWrites {
  fileprivate private(set) var before: [PropertyKey: Any] = [:]

  init(_ records: UndoStep.Records) {
    for record in records {
      guard case .property(_, let old) = record.change, let key = record.key else { continue }
      // The oldest counts.
      if before[key] == nil { before[key] = old }
    }
  }

  fileprivate init(_ before: [PropertyKey: Any]) { self.before = before }

  var isEmpty: Bool { before.isEmpty }
}

extension UndoStep {
  /// Notes what others have written since.
  mutating func note(_ others: OthersWrites) {
    if case .shared(let records, var after) = self {
      self = .many([])
      // What was written before, too, is known by then; what is not needed the caller still has.
      after.merge(others.before) { first, _ in first }
      self = .shared(records, after: after)
    } else {
      self = .shared(records, after: others.before)
    }
  }

  /// What others have written since, for the step before this one.
  fileprivate var others: OthersWrites? {
    guard case .shared(let records, var after) = self, !after.isEmpty else { return nil }
    var seen: Set<PropertyKey> = []
    for record in records {
      guard case .property(_, let old) = record.change, let key = record.key,
        after[key] != nil, seen.insert(key).inserted
      else { continue }
      after[key] = old
    }
    return OthersWrites(after)
  }
}

extension TransactionLog.Record {
  /// The property that it is of.
  fileprivate var key: PropertyKey? {
    guard case .property(let offset, _) = change else { return nil }
    return PropertyKey(object, offset)
  }

  fileprivate func isSameProperty(as other: Self) -> Bool {
    guard case .property(let mine, _) = change, case .property(mine, _) = other.change else {
      return false
    }
    return object === other.object
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

  private var previous: Int { (end == 0 ? limit : end) - 1 }

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
    for place in 0..<count where slots[(end + limit - 1 - place) % limit] == nil {
      broken.append("step \(place) from the latest")
    }
    return broken
  }
}
