// The owners that parts have had, so that a part falls back to one if its owners form a cycle.
//
// State: `owners`, for each part that can have parts, every link and list that ever got
// it, with the latest stamp by which it did; `parts`, the same by link or list: of a link only the
// part that it got last. Both depend on which operations have come, not on their order. They change
// with each operation that gives a part to an owner, also one that has lost, and with compaction.

internal import Signals

struct FormerOwners {
  private(set) var owners: [Entity: [FieldKey: Stamp]] = [:]
  private(set) var parts: [FieldKey: Set<Entity>] = [:]

  /// Notes that a link or list got a part.
  ///
  /// - Returns: The part that a link no longer gets back.
  @discardableResult
  mutating func note(_ part: Entity, in key: FieldKey, _ stamp: Stamp, isLink: Bool) -> Entity? {
    var dropped: Entity?
    if isLink, let other = parts[key]?.first, other != part {
      if let present = owners[other]?[key], stamp < present { return nil }
      remove(other, from: key)
      dropped = other
    }
    parts[key, default: []].insert(part)
    owners[part, default: [:]][key] = max(stamp, owners[part]?[key] ?? stamp)
    return dropped
  }

  private mutating func remove(_ part: Entity, from key: FieldKey) {
    owners[part]?[key] = nil
    if owners[part]?.isEmpty == true { owners[part] = nil }
    parts[key]?.remove(part)
    if parts[key]?.isEmpty == true { parts[key] = nil }
  }

  /// Forgets the owners from before a time, but for each part's last one and those in `kept`.
  mutating func trim(before time: HybridTime, keeping kept: (Entity, FieldKey) -> Bool) {
    for (part, stamps) in owners {
      let old = stamps.filter { $0.value.time < time }
      let last = old.max { $0.value < $1.value }?.key
      for key in old.keys where key != last && !kept(part, key) { remove(part, from: key) }
    }
  }

  /// Forgets a part.
  mutating func forget(_ part: Entity) {
    for key in owners[part]?.keys.map({ $0 }) ?? [] { remove(part, from: key) }
  }
}
