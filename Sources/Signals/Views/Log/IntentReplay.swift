// Doing again what a log says, and comparing as one goes.

/// Where doing a log again first came out otherwise.
public struct ReplayError: Error, CustomStringConvertible {
  /// The place of the entry in the log.
  public let index: Int
  /// What the log has.
  public let expected: IntentLog.Entry
  /// What happened now; ids of objects that were made are those of the log.
  public let found: IntentLog.Entry

  /// Names the entry, and tells what it did in the log and now.
  public var description: String {
    "entry \(index + 1), \(expected.title), came out otherwise than in the log\n"
      + "in the log:\n\(Self.outcome(of: expected))\nnow:\n\(Self.outcome(of: found))"
  }

  /// What came of an entry, in lines.
  private static func outcome(of entry: IntentLog.Entry) -> String {
    let lines =
      (entry.error.map { ["it threw \($0)"] } ?? [])
      + (entry.changes.isEmpty ? [] : [entry.changes.description])
    return lines.isEmpty ? "nothing has changed" : lines.joined(separator: "\n")
  }
}

extension ViewHost {
  /// Does again what a log says, and throws a ``ReplayError`` where something comes out otherwise.
  ///
  /// - The host should show what the other one did, on a store that has what its store had: one restored from
  ///   ``IntentLog/start``. Then the frames after each entry are those after each entry then.
  /// - Intents of elements and keys are performed. `performing` may perform others, and says whether it did: those of
  ///   the app's own, by name. Of what is left, and of asynchronous ones, the changes are made.
  /// - Each entry must change what it did in the log, and throw what it threw. Objects that are made have other ids
  ///   now, and are taken for those of the log. Whatever else differs from time to time is a difference: a random
  ///   key, the time of the day.
  ///
  /// ```swift
  /// let store = Store(log.start!)
  /// let host = ViewHost(store, renderer: renderer) { LibraryScreen(store) }
  /// try host.replay(log)
  /// ```
  public func replay(
    _ log: IntentLog, performing: (IntentLog.Entry) throws -> Bool = { _ in false }
  ) throws {
    var names = ReplayedIDs()
    for (index, entry) in log.entries.enumerated() {
      let store = store
      var found = entry
      var changes = ChangeSet()
      let token = store.commits.sink { changes = changes.merging($0) }
      found.error = nil
      do { try perform(entry, names, performing) } catch { found.error = "\(error)" }
      token.cancel()
      names.learn(from: entry.changes, changes)
      found.changes = names.recorded(changes)
      if found.changes != entry.changes || found.error != entry.error {
        throw ReplayError(index: index, expected: entry, found: found)
      }
    }
  }

  private func perform(
    _ entry: IntentLog.Entry, _ names: ReplayedIDs,
    _ performing: (IntentLog.Entry) throws -> Bool
  ) throws {
    if !entry.isAsync {
      switch (entry.input, entry.element) {
      case (.key(let key)?, _): return try press(key)
      case (let input?, let id?): return try perform(id, input)
      default: if try performing(entry) { return }
      }
    }
    try store.apply(names.replayed(entry.changes))
  }
}

/// Which objects made by a replay stand for which of the log.
///
/// State: both directions of one correspondence.
struct ReplayedIDs {
  private var replayed: [ObjectID: ObjectID] = [:]
  private var recorded: [ObjectID: ObjectID] = [:]

  /// Takes new objects of a class for those of the log, in their order.
  mutating func learn(from old: ChangeSet, _ new: ChangeSet) {
    var waiting: [ObjectIdentifier: [ObjectID]] = [:]
    for change in new.changes.reversed() where change.kind == .inserted && isUnknown(change.id) {
      waiting[ObjectIdentifier(change.type), default: []].append(change.id)
    }
    for change in old.changes where change.kind == .inserted && replayed[change.id] == nil {
      guard let id = waiting[ObjectIdentifier(change.type)]?.popLast(), id != change.id else {
        continue
      }
      replayed[change.id] = id
      recorded[id] = change.id
    }
  }

  private func isUnknown(_ id: ObjectID) -> Bool { recorded[id] == nil }

  /// The changes of a replay as the log would have them.
  func recorded(_ changes: ChangeSet) -> ChangeSet { changes.renamed { recorded[$0] ?? $0 } }

  /// The changes of the log as they are to be made now.
  func replayed(_ changes: ChangeSet) -> ChangeSet { changes.renamed { replayed[$0] ?? $0 } }
}

extension ChangeSet {
  /// The same changes of other objects.
  fileprivate func renamed(_ name: (ObjectID) -> ObjectID) -> ChangeSet {
    ChangeSet(changes.map { $0.renamed(name) }, origin: origin)
  }
}

extension ObjectChange {
  fileprivate func renamed(_ name: (ObjectID) -> ObjectID) -> ObjectChange {
    ObjectChange(
      id: name(id), kind: kind,
      properties: properties.map { property in
        Property(
          name: property.name, old: property.old.map { Self.renamed($0, name) },
          new: property.new.map { Self.renamed($0, name) })
      }, type: type)
  }

  private static func renamed(
    _ value: any FieldValue, _ name: (ObjectID) -> ObjectID
  ) -> any FieldValue {
    // Links are optional: a field may hold an id that is none.
    if Swift.type(of: value) == Optional<ObjectID>.self, let id = value as? ObjectID {
      return Optional(name(id))
    }
    if let ids = value as? [ObjectID] { return ids.map(name) }
    return value
  }
}
