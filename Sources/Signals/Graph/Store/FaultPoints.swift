// Where tests can make stores fail, to check the state that is left.

/// The points at which a store may fail, counted as they are reached.
///
/// Several stores may share them.
///
/// These are the places where a store really may refuse something: changes that throw to their
/// caller, writes of links, lists, keys and indexed properties, the end of each `write`, and each
/// commit. Writing a plain field in a transaction can't be refused, so it passes no point.
package final class FaultPoints {
  /// The kinds of points.
  package enum Point {
    /// An `add` or a `delete`.
    case change
    /// In a transaction, an assignment to a link, a list, a key or an indexed property, or an
    /// `edit`.
    case implicitWrite
    case writeEnd
    /// The commit of a `write`.
    case commit
    /// The commit of a single change, outside of any transaction.
    case ownCommit
    case intentCommit
    /// The commit of an effect, an observer, or a view's `onAppear` or `onChange`.
    case reactionCommit
    /// A point in the test's own code.
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

  /// The number of points that were reached.
  package private(set) var reached = 0
  /// The name of the point that failed.
  package private(set) var failed: String?
  /// Whether it failed in a reaction to a commit, in which case that commit is kept.
  package private(set) var failedInReaction = false
  /// The number of the point that throws.
  private let failing: Int
  private let error: (Int, String) -> any Error

  /// Makes one point fail.
  ///
  /// - Parameters:
  ///   - failing: The number of the point, the first being 1.
  ///   - error: Returns the error for the number and the name of the point.
  package init(failing: Int, error: @escaping (Int, String) -> any Error) {
    self.failing = failing
    self.error = error
  }

  /// Counts a point, and throws if it is the one that has to fail.
  package func reach(_ point: Point) throws {
    reached += 1
    guard reached == failing else { return }
    failed = point.name
    failedInReaction = Scheduler.current.pointee.isFlushing
    throw error(reached, point.name)
  }
}
