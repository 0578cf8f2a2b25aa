// Where stores can be made to fail, for tests that want to see what is left then.
//
// State: `reached` counts the points that were passed; the one with the number `failing` throws,
// and `failed` says which it was.

/// The points at which a store may fail, counted as they are reached; several stores may share
/// them.
///
/// They are what a store really may refuse: the changes that throw by themselves, writes of links,
/// lists and keys, the end of each `write`, and each commit. A field that is written in a
/// transaction can't be refused, and passes none.
package final class FaultPoints {
  /// What may fail.
  package enum Point {
    /// An `add`, a `delete`, an `apply`, an undo.
    case change
    /// A write of a link, a list or a key in a transaction, by an assignment.
    case implicitWrite
    case writeEnd
    /// The commit of a `write`.
    case commit
    /// That of a single change, outside of any transaction.
    case ownCommit
    case intentCommit
    /// That of an effect, an observer, or a view's `onAppear` or `onChange`.
    case reactionCommit
    /// One of the user's.
    case named(String)

    var name: String {
      switch self {
      case .change: "a change of the store"
      case .implicitWrite: "a write of a link, list or key"
      case .writeEnd: "the end of a write"
      case .commit: "a commit"
      case .ownCommit: "the commit of a single change"
      case .intentCommit: "the commit of an intent"
      case .reactionCommit: "the commit of an observer"
      case .named(let name): name
      }
    }
  }

  /// How many points were reached.
  package private(set) var reached = 0
  /// The name of the point that failed.
  package private(set) var failed: String?
  /// Whether that was in something that a commit had set off, which stands.
  package private(set) var failedInReaction = false
  private let failing: Int
  private let error: (Int, String) -> any Error

  /// Lets the point of a number fail, the first being 1, with an error made from the number and its
  /// name.
  package init(failing: Int, error: @escaping (Int, String) -> any Error) {
    self.failing = failing
    self.error = error
  }

  /// Passes a point, or throws there.
  package func reach(_ point: Point) throws {
    reached += 1
    guard reached == failing else { return }
    failed = point.name
    failedInReaction = unsafe Turn.current.pointee.isFlushing
    throw error(reached, point.name)
  }
}
