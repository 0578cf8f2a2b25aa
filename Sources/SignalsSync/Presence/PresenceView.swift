/// The users that are present at a ``PresenceTable``, for a receiver of its differences.
///
/// ```swift
/// var view = PresenceView()
/// if view.apply(difference) == .needsAll {
///   // Request `table.snapshot()`, and apply it.
/// }
/// ```
///
/// - A difference is applied completely or not at all.
/// - A difference that arrives twice, or late, is recognized and changes nothing.
/// - A receiver detects a missed difference by the next one, or by a ``PresenceTable/mark(for:)``
///   if none follows. Until it receives a snapshot, it keeps its users.
/// - A restarted server is recognized, and its differences need a snapshot first. Late differences
///   from before the restart change nothing.
public struct PresenceView: Sendable, Equatable {
  /// The outcome of applying a difference.
  public enum Outcome: Sendable, Equatable {
    /// The difference was applied. The payload is the exact changes of the present users.
    case applied(PresenceChanges)
    /// The view has applied the difference already.
    case repeated
    /// The difference doesn't fit, and wasn't applied.
    ///
    /// The view needs a ``PresenceTable/snapshot(for:)``.
    case needsAll
  }

  /// The present users.
  public private(set) var present = PresentUsers()
  /// The table whose differences the view follows, once it has applied one.
  package private(set) var run: UInt64?
  private var number: UInt64 = 0

  /// Creates a view without users.
  public init() {}

  /// Applies a difference, if it fits.
  ///
  /// - Parameter difference: A difference or snapshot of a table.
  /// - Returns: The outcome.
  /// - Complexity: O(changes); for a snapshot, O(users).
  @discardableResult
  public mutating func apply(_ difference: PresenceDifference) -> Outcome {
    // Runs increase, so this run has ended.
    if let run, difference.run < run { return .repeated }
    let isOfRun = difference.run == run
    if isOfRun, isKnown(difference) { return .repeated }
    if difference.isSnapshot { return replaceAll(by: difference) }
    let isFirst = run == nil && difference.number == 1
    guard isFirst || isOfRun && difference.number == number &+ 1,
      present.apply(difference.changes, for: difference.digest)
    else { return .needsAll }
    run = difference.run
    number = difference.number
    return .applied(difference.changes)
  }

  /// Returns whether a difference of this view's table has no new changes.
  private func isKnown(_ difference: PresenceDifference) -> Bool {
    difference.number < number
      || difference.number == number && difference.digest == present.digest
  }

  private mutating func replaceAll(by snapshot: PresenceDifference) -> Outcome {
    var replacement = PresentUsers()
    guard replacement.apply(snapshot.changes, for: snapshot.digest) else { return .needsAll }
    let changes = PresenceChanges(from: present, to: replacement)
    present = replacement
    run = snapshot.run
    number = snapshot.number
    return .applied(changes)
  }
}
