// The data of a step beyond its entries: its label, and the values that it left in properties that
// other commits may have written since.
//
// A step made of several commits (a group, or coalesced commits) has several parts if other commits
// wrote the same properties in between. Each part is reversed separately, the latest first.

/// The label of a step and the time when it was committed.
struct StepLabel: Equatable {
  let text: String
  /// The time since 1970.
  let date: Duration
}

/// A step with more data than its entries.
struct CompositeStep {
  /// Consecutive commits, between which no other commit has written the same properties.
  struct Part {
    var entries: UndoStep.Entries
    /// The value that the part left in each property that other commits may have written since.
    var after: [PropertyKey: Any] = [:]
    /// The properties that only rules wrote, noted if other commits have written some of the part's
    /// properties before it.
    var byRules: Set<PropertyKey> = []
  }

  /// The parts, the oldest first; never empty.
  var parts: [Part]
  let label: StepLabel?

  /// The parts, the latest first, each with all intervening writes after it.
  var partsFromLast: [Part] {
    var others = InterveningWrites()
    return parts.reversed().map { part in
      var part = part
      part.note(others)
      others = part.others
      return part
    }
  }

  /// Appends the part that follows.
  ///
  /// If `isContinued` is true, no other commit has written its properties in between.
  mutating func append(_ next: Part, isContinued: Bool) {
    if isContinued { parts[parts.count - 1].append(next) } else { parts.append(next) }
  }
}

extension CompositeStep.Part {
  init(entries: UndoStep.Entries) { self.entries = entries }

  /// The part with the current value of each property that it wrote, and of each property of the
  /// objects that it added.
  func rememberingPresent() -> Self {
    var part = self
    for entry in entries {
      let object = entry.object
      if case .inserted = entry.change {
        for property in object.table?.schema.properties ?? [] where property.isEncoded {
          part.after[PropertyKey(object, at: property.offset)] = property.value(in: object)
        }
      } else if let key = entry.key, let property = entry.property {
        part.after[key] = property.value(in: object)
      }
    }
    return part
  }

  /// Whether the properties that the next entries wrote still had the values that this part left.
  func isContinued(by next: ArraySlice<Journal.Entry>) -> Bool {
    if after.isEmpty { return true }
    var seen: Set<PropertyKey> = []
    return next.allSatisfy { entry in
      guard case .property(_, let old) = entry.change, let key = entry.key,
        let left = after[key], seen.insert(key).inserted
      else { return true }
      return entry.property?.isSame(left, old) ?? true
    }
  }

  mutating func append(_ next: Self) {
    entries.append(commit: next.entries)
    // The properties that `next` wrote have other values now.
    if !after.isEmpty {
      for key in next.entries.lazy.compactMap(\.key) {
        if let old = after.removeValue(forKey: key) { Scheduler.deferRelease(old) }
      }
    }
    // The writes of other commits before the next part are in the old values of its entries. If
    // both have noted a property, the earlier value counts.
    after.merge(next.after) { first, _ in first }
  }

  /// Notes the intervening writes after this part.
  ///
  /// Values noted earlier are older and are kept.
  mutating func note(_ others: InterveningWrites) {
    after.merge(others.before) { first, _ in first }
  }

  /// The intervening writes to note with the part before this one.
  ///
  /// A property that this part also wrote has its value from before this part.
  var others: InterveningWrites {
    if after.isEmpty { return InterveningWrites() }
    var before = after
    var seen: Set<PropertyKey> = []
    for entry in entries {
      guard case .property(_, let old) = entry.change, let key = entry.key,
        before[key] != nil, seen.insert(key).inserted
      else { continue }
      before[key] = old
    }
    return InterveningWrites(before)
  }
}

/// The writes of commits that aren't steps, as far as they concern steps: each property with its previous value, which
/// is the value that the preceding step left.
struct InterveningWrites {
  private(set) var before: [PropertyKey: Any] = [:]

  init() {}

  init(_ entries: UndoStep.Entries) {
    // The oldest value of each property counts.
    for entry in entries where entry.object.mayHaveSteps {
      switch entry.change {
      case .property(let offset, let old): note(old, of: PropertyKey(entry.object, at: offset))
      case .deleted(let values, _, _):
        for (offset, old) in values { note(old, of: PropertyKey(entry.object, at: offset)) }
      case .inserted: break
      }
    }
  }

  init(_ before: [PropertyKey: Any]) { self.before = before }

  private mutating func note(_ old: Any, of key: PropertyKey) {
    if before[key] == nil { before[key] = old }
  }

  var isEmpty: Bool { before.isEmpty }
}

extension Journal.Entry {
  /// The written property, if the entry is of a property.
  var key: PropertyKey? {
    guard case .property(let offset, _) = change else { return nil }
    return PropertyKey(object, at: offset)
  }

  /// The descriptor of the written property, if the object is stored.
  var property: Property? {
    guard case .property(let offset, _) = change else { return nil }
    return object.table?.schema.property(at: offset)
  }

  func isSameProperty(as other: Self) -> Bool {
    guard case .property(let mine, _) = change, case .property(mine, _) = other.change else {
      return false
    }
    return object === other.object
  }
}
