// Where a store can be made to fail, for tests that want to see what is left then.
//
// State: `reached` counts the points that were passed; the one with the number `failing` throws.

/// The points at which a store may fail, counted as they are reached.
///
/// They are the changes that throw by themselves, the end of each `write`, and commits: where a store really
/// may refuse something. A field that is written passes none, and so pays nothing.
package final class FaultPoints {
  /// How many points were reached.
  package private(set) var reached = 0
  /// The name of the point that failed.
  package private(set) var failed: String?
  private let failing: Int
  private let error: (Int, String) -> any Error

  /// Lets the point of a number fail, the first being 1, with an error made from the number and its name.
  package init(failing: Int, error: @escaping (Int, String) -> any Error) {
    self.failing = failing
    self.error = error
  }

  /// Passes a point, or throws there.
  package func reach(_ name: String) throws {
    reached += 1
    guard reached == failing else { return }
    failed = name
    throw error(reached, name)
  }
}
