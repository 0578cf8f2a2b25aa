// `pending` has, for each user that has changed since the last batch, the value at the end of that
// batch, which is the value that receivers have. A user that returns to this value is removed from
// `pending`. Therefore `pending` never has more users than were present then or are present now.
// Only `take` changes the number and the digest of the last batch.

/// The users that a table announces to its receivers, and their changes since the last batch.
package struct PresenceFeed: Sendable {
  package private(set) var present = PresentUsers()
  private var pending: [String: Announced] = [:]
  private var number: UInt64 = 0
  private var digest: UInt64 = 0

  /// Returns the value of a user that receivers have, or `nil` if it was absent.
  private struct Announced {
    let value: PresentUser?
  }

  package init() {}

  /// Sets the value of a user.
  ///
  /// `nil` is the value of an absent user.
  package mutating func set(_ user: String, to value: PresentUser?) {
    let old = present.set(user, to: value)
    if old == value { return }
    // Most users change once in a batch, which needs one access to the dictionary.
    if let announced = pending.updateValue(Announced(value: old), forKey: user) {
      pending[user] = announced.value == value ? nil : announced
    }
  }

  /// Ends the batch, and returns it, or `nil` if it is empty.
  package mutating func take(run: UInt64) -> PresenceDifference? {
    if pending.isEmpty { return nil }
    var changes = PresenceChanges()
    for (user, announced) in pending {
      changes.append(from: announced.value, to: present[user])
    }
    pending = [:]
    number += 1
    digest = present.digest
    return PresenceDifference(run: run, number: number, digest: digest, changes: changes)
  }

  /// Returns the users that were present at the end of the last batch.
  ///
  /// Pending changes are in the next batch, which therefore fits the snapshot.
  package func snapshot(run: UInt64) -> PresenceDifference {
    var changes = PresenceChanges()
    for user in present where pending[user.user] == nil { changes.joined.append(user) }
    for announced in pending.values { changes.joined += announced.value.map { [$0] } ?? [] }
    return PresenceDifference(
      run: run, number: number, isSnapshot: true, digest: digest, changes: changes)
  }

  /// Returns a difference with the number and the digest of the last batch, and without changes.
  package func mark(run: UInt64) -> PresenceDifference {
    PresenceDifference(run: run, number: number, digest: digest)
  }
}
