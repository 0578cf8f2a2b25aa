internal import Signals
public import Testing

/// Fails a test that leaves anything behind; applied to a suite, each of its tests.
///
/// When a test has returned, these are named, at the line that made the host or clock:
/// - async intents and tasks of views that were under way when their ``TestHost`` was released;
/// - what ``TestHost/close()`` has cancelled and did not end;
/// - a ``TestHost``, or a store that it showed, that somebody still holds; and where such a store
///   has gone, each object that was in it then and that somebody still holds;
/// - what waits on a ``ManualClock`` of the test.
///
/// And at the line of the test, each run of a `Loader` that is under way and was started by no work of a
/// host, and each subscription that is neither cancelled nor released: effects,
/// observers of objects, results, sections and projections, and whoever subscribes to commits,
/// signals and subjects.
///
/// What the test starts without waiting for it may still run then: its end is not awaited.
///
/// Costs O(objects) at the end of each store. Without the trait nothing is noted.
///
/// ```swift
/// @Suite(.leavesNothing) struct `The library's screen` { … }
/// ```
public struct LeavesNothing: SuiteTrait, TestTrait, TestScoping {
  /// Creates the trait.
  public init() {}

  /// It applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test, and looks at what it left.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let (remains, subscriptions) = (Remains(), LiveSubscriptions())
    try await Remains.$current.withValue(remains) {
      try await LiveSubscriptions.$current.withValue(subscriptions) { try await function() }
    }
    await remains.awaitEnds()
    remains.check()
    for name in subscriptions.names {
      Findings.report(
        "still subscribed: \(Remains.text(of: name))", at: test.sourceLocation)
    }
  }
}

extension Trait where Self == LeavesNothing {
  /// Fails a test that leaves work, subscriptions or objects behind.
  public static var leavesNothing: LeavesNothing { LeavesNothing() }
}
