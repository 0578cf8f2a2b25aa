// The correspondence between objects made by a replay and those of the log.

import Signals

/// Maps the ids of objects made by a replay to those of the log, and back.
///
/// State: `replayed` and `recorded`, the two directions of the correspondence. Only the replay
/// touches them.
struct ReplayedIDs {
  private var replayed: [ObjectID: ObjectID] = [:]
  private var recorded: [ObjectID: ObjectID] = [:]

  /// Matches new objects with those of the log, by class and order.
  mutating func learn(from old: ChangeSet, to new: ChangeSet) {
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

  /// Replaces the ids of a replay's changes by those of the log.
  func recorded(_ changes: ChangeSet) -> ChangeSet { changes.renamed { recorded[$0] ?? $0 } }

  /// Replaces the ids of the log's changes by those of the replay.
  func replayed(_ changes: ChangeSet) -> ChangeSet { changes.renamed { replayed[$0] ?? $0 } }
}
