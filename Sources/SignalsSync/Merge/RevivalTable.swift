// The edits and deletions of objects whose class says that an edit revives: an object is alive if the
// author of an edit and the authors of all deletions hadn't seen each other's change, or the edit came later.
//
// State: `edits`, besides the creation in `SharedState.created`, and `deletions`, of each author the
// latest. Because an author that has seen a set has seen all earlier ones of its author, the latest
// decide: there are at most as many as authors that changed the object.

internal import Signals

struct RevivalTable {
  private(set) var edits: [Entity: [StampIndex]] = [:]
  private(set) var deletions: [Entity: [StampIndex]] = [:]

  /// Notes an edit.
  ///
  /// - Returns: Whether it is its author's latest.
  mutating func noteEdit(of entity: Entity, _ stamp: StampIndex, in stamps: StampTable) -> Bool {
    Self.note(stamp, in: &edits[entity, default: []], stamps)
  }

  mutating func noteDeletion(of entity: Entity, _ stamp: StampIndex, in stamps: StampTable) -> Bool
  {
    Self.note(stamp, in: &deletions[entity, default: []], stamps)
  }

  private static func note(
    _ stamp: StampIndex, in latest: inout [StampIndex], _ stamps: StampTable
  ) -> Bool {
    let author = stamps.authors[Int(stamp)]
    guard let index = latest.firstIndex(where: { stamps.authors[Int($0)] == author }) else {
      latest.append(stamp)
      return true
    }
    guard stamps.isLater(stamp, than: latest[index]) else { return false }
    latest[index] = stamp
    return true
  }

  /// Whether the author of no deletion had seen one of the edits.
  func isAlive(_ entity: Entity, created: StampIndex, in stamps: StampTable) -> Bool {
    guard let deletions = deletions[entity] else { return true }
    func stays(_ edit: StampIndex) -> Bool { !deletions.contains { stamps.covers($0, edit) } }
    return stays(created) || edits[entity]?.contains(where: stays) == true
  }

  /// Forgets the edits that the authors of all later deletions will have seen, given that all replicas have what was made
  /// before a time.
  mutating func trim(before time: HybridTime, in stamps: StampTable) {
    for (entity, list) in edits {
      let kept = list.filter { edit in
        guard let deletions = deletions[entity] else { return stamps.times[Int(edit)] >= time }
        return !deletions.contains { stamps.covers($0, edit) }
      }
      edits[entity] = kept.isEmpty ? nil : kept
    }
  }

  mutating func forget(_ entity: Entity) {
    edits[entity] = nil
    deletions[entity] = nil
  }

  func forEachStamp(_ body: (StampIndex) -> Void) {
    for list in edits.values { list.forEach(body) }
    for list in deletions.values { list.forEach(body) }
  }

  mutating func renumber(_ new: (StampIndex) -> StampIndex) {
    edits = edits.mapValues { $0.map(new) }
    deletions = deletions.mapValues { $0.map(new) }
  }

  /// Restores the edits and deletions of an entity.
  mutating func restore(
    _ entity: Entity, edits: [StampIndex], deletions: [StampIndex]
  ) {
    self.edits[entity] = edits.isEmpty ? nil : edits
    self.deletions[entity] = deletions.isEmpty ? nil : deletions
  }
}
