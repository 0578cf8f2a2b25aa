/// The present users, in no order, and their digest.
///
/// ```swift
/// let isHere = view.present["ann"] != nil
/// let names = view.present.map(\.user).sorted()
/// ```
public struct PresentUsers: Sendable, Equatable {
  private var users: [String: PresentUser] = [:]
  /// The sum of the users' hashes, which doesn't depend on the order of insertion.
  ///
  /// Equal sets have equal digests in all processes. Different sets almost certainly have different
  /// digests.
  public private(set) var digest: UInt64 = 0

  package init() {}

  /// The number of users.
  public var count: Int { users.count }

  /// Whether there are no users.
  public var isEmpty: Bool { users.isEmpty }

  /// The user with a name, or `nil` if it isn't present.
  public subscript(user: String) -> PresentUser? { users[user] }

  /// Replaces or adds a user, or removes it if the value is `nil`.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - value: The new value, or `nil` to remove the user.
  @discardableResult
  package mutating func set(_ user: String, to value: PresentUser?) -> PresentUser? {
    let old: PresentUser?
    if let value {
      old = users.updateValue(value, forKey: user)
    } else {
      old = users.removeValue(forKey: user)
    }
    if old != value { digest = digest &- (old?.digest ?? 0) &+ (value?.digest ?? 0) }
    return old
  }

  /// Applies changes if each of them fits and the result has a digest.
  ///
  /// Otherwise changes nothing.
  package mutating func apply(_ changes: PresenceChanges, for digest: UInt64) -> Bool {
    var replaced: [(user: String, old: PresentUser?)] = []
    var fits = true
    for user in changes.left {
      replaced.append((user, set(user, to: nil)))
      fits = fits && replaced.last?.old != nil
    }
    for user in changes.joined {
      replaced.append((user.user, set(user.user, to: user)))
      fits = fits && replaced.last?.old == nil
    }
    for user in changes.updated {
      replaced.append((user.user, set(user.user, to: user)))
      fits = fits && replaced.last?.old != nil
    }
    if fits && self.digest == digest { return true }
    for change in replaced.reversed() { set(change.user, to: change.old) }
    return false
  }
}

extension PresentUsers: Sequence {
  /// Returns an iterator over the users.
  public func makeIterator() -> Dictionary<String, PresentUser>.Values.Iterator {
    users.values.makeIterator()
  }
}
