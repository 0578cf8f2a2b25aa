// What a step knows besides what it wrote: its label, and what others have written meanwhile.
//
// A step that was made in several goes (a group, commits that coalesced) has several parts if others wrote between
// them what they wrote: each is taken back by itself, the latest first.

/// What a step is called, and when it was done.
struct StepLabel: Equatable {
  let text: String
  /// The time since 1970.
  let date: Duration
}

/// A step that has more to know than what it wrote.
struct FullStep {
  /// Commits in a row, between which others have not written what they wrote.
  struct Part {
    var records: UndoStep.Records
    /// What each property was left at, of those that others may have written since.
    var after: [PropertyKey: Any] = [:]
  }

  /// The oldest first; never empty.
  var parts: [Part]
  let label: StepLabel?

  /// Adds what was done after it; `isContinued` says whether others have written nothing of it in between.
  mutating func append(_ next: Part, isContinued: Bool) {
    if isContinued { parts[parts.count - 1].append(next) } else { parts.append(next) }
  }
}

extension FullStep.Part {
  init(records: UndoStep.Records) { self.records = records }

  func rememberingPresent() -> Self {
    var part = self
    for record in records {
      guard let key = record.key, let property = record.property else { continue }
      part.after[key] = property.value(in: record.object)
    }
    return part
  }

  /// Whether the properties that the next part wrote were as this one left them.
  func isContinued(by next: Self) -> Bool {
    if after.isEmpty { return true }
    var seen: Set<PropertyKey> = []
    return next.records.allSatisfy { record in
      guard case .property(_, let old) = record.change, let key = record.key,
        let left = after[key], seen.insert(key).inserted
      else { return true }
      return record.property?.isSame(left, old) ?? true
    }
  }

  mutating func append(_ next: Self) {
    if records.count != 1 || next.records.count != 1
      || !records[0].isSameProperty(as: next.records[0])
    {
      records.append(contentsOf: next.records)
    }
    // What it wrote it has left otherwise now.
    if !after.isEmpty {
      for key in next.records.lazy.compactMap(\.key) {
        if let old = after.removeValue(forKey: key) { Turn.leave(old) }
      }
    }
    // What others have written before the next part is what that found.
    after.merge(next.after) { first, _ in first }
  }

  /// Notes what others have written since; what was noted before is older.
  mutating func note(_ others: OthersWrites) {
    after.merge(others.before) { first, _ in first }
  }

  /// What others have written since, for what was done before this part.
  var others: OthersWrites {
    if after.isEmpty { return OthersWrites() }
    var before = after
    var seen: Set<PropertyKey> = []
    for record in records {
      guard case .property(_, let old) = record.change, let key = record.key,
        before[key] != nil, seen.insert(key).inserted
      else { continue }
      before[key] = old
    }
    return OthersWrites(before)
  }
}

/// What commits that are no steps have written, each property with its value before: what the step before them left
/// there.
struct OthersWrites {
  private(set) var before: [PropertyKey: Any] = [:]

  init() {}

  init(_ records: UndoStep.Records) {
    // The oldest value of each property counts.
    for record in records {
      switch record.change {
      case .property(let offset, let old): note(old, PropertyKey(record.object, offset))
      case .deleted(let values, _):
        for (offset, old) in values { note(old, PropertyKey(record.object, offset)) }
      case .inserted: break
      }
    }
  }

  init(_ before: [PropertyKey: Any]) { self.before = before }

  private mutating func note(_ old: Any, _ key: PropertyKey) {
    if before[key] == nil { before[key] = old }
  }

  var isEmpty: Bool { before.isEmpty }
}

extension TransactionLog.Record {
  /// The property that it is of.
  var key: PropertyKey? {
    guard case .property(let offset, _) = change else { return nil }
    return PropertyKey(object, offset)
  }

  /// What the property is, if the object is stored.
  var property: Property? {
    guard case .property(let offset, _) = change else { return nil }
    return unsafe object.extent?.schema.property(at: offset)
  }

  func isSameProperty(as other: Self) -> Bool {
    guard case .property(let mine, _) = change, case .property(mine, _) = other.change else {
      return false
    }
    return object === other.object
  }
}
