internal import Signals
public import Testing

/// Fails a test that leaves anything behind.
///
/// Applied to a suite, it checks each of its tests.
///
/// After a test has returned, the following are reported at the line that created the host or
/// clock:
/// - async intents and tasks of views that were running when their ``TestHost`` was released;
/// - work that ``TestHost/close()`` cancelled and that didn't end;
/// - a ``TestHost``, or a store shown by one, that is still referenced; and, if such a store was
///   released, each of its objects that is still referenced;
/// - timers and sleepers that wait on a ``ManualClock`` of the test.
///
/// The following are reported at the line of the test: each run of a `Loader` that is in progress
/// and wasn't started by work of a host, and each subscription that is neither cancelled nor
/// released. Subscriptions are effects, observers of objects, results, sections and projections,
/// and subscribers to commits, signals and subjects.
///
/// Work that the test starts without waiting for it may still be running at that time: the trait
/// doesn't wait for it. Without the trait nothing is recorded.
///
/// ```swift
/// @Suite(.leavesNothing) struct `The library's screen` { … }
/// ```
///
/// - Complexity: O(objects) at the end of each store.
public struct LeavesNothing: SuiteTrait, TestTrait, TestScoping {
  /// Creates the trait.
  public init() {}

  /// Always true: the trait applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test and reports what it leaves behind.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The case of a test with arguments; nil for a suite.
  ///   - function: Runs the test.
  /// - Throws: The error of the test.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let (remains, subscriptions) = (LeakRecorder(), LiveSubscriptions())
    try await LeakRecorder.$current.withValue(remains) {
      try await LiveSubscriptions.$current.withValue(subscriptions) { try await function() }
    }
    await remains.awaitEnds()
    remains.check()
    for name in subscriptions.names {
      IssueReporter.report(
        "still subscribed: \(LeakRecorder.text(of: name))", at: test.sourceLocation)
    }
  }
}

extension Trait where Self == LeavesNothing {
  /// Fails a test that leaves work, subscriptions or objects behind.
  public static var leavesNothing: LeavesNothing { LeavesNothing() }
}
