internal import Signals
public import Testing

/// Fails a test in which something changes that no expectation names.
///
/// Applied to a suite, it checks each of its tests.
///
/// Each ``TestHost`` is watched from the end of its first frame until it is closed or released. What
/// its content writes when it first appears isn't reported, and neither is a change that is changed
/// back before the next expectation. The following are reported at the line that created it:
/// - changes of stores on screen and of the screen outside of `expectChanges` and `expectNoChange`,
///   in their form, with the place of the expectations around them. A change of the graph that the
///   expectation of another host names counts as named. Within an expectation that isn't
///   exhaustive, others may happen as before;
/// - async intents and tasks of views that are still running, because their changes are to come.
///
/// The following are reported at the line of the test:
/// - timers and sleepers that still wait on a ``ManualClock`` of the test, because nothing names
///   what they will do;
/// - clocks that the test doesn't control: each other clock on which a timer of a publisher or frame
///   clock was started, such as `ContinuousClock`.
///
/// ```swift
/// @Suite(.exhaustive) struct `The library's screen` { … }
/// ```
public struct ExhaustiveTest: SuiteTrait, TestTrait, TestScoping {
  /// Creates the trait.
  public init() {}

  /// Always true: the trait applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test and reports the changes that no expectation names.
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
    let recorder = ExhaustiveRecorder()
    try await recorder.record { try await function() }
    recorder.report(at: test.sourceLocation)
  }
}

extension Trait where Self == ExhaustiveTest {
  /// Fails a test in which something changes that no expectation names.
  public static var exhaustive: ExhaustiveTest { ExhaustiveTest() }
}
