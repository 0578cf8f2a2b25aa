internal import Signals
public import Testing

extension TestHost {
  /// Fails the test if async intents or tasks of views are still running, or timers still wait on a
  /// clock, and names them.
  ///
  /// Call it at the end of a test, or use ``LeavesNothing``, which checks this at the end of each
  /// test.
  ///
  /// - Parameters:
  ///   - clocks: The clocks to check for waiting timers and sleepers.
  ///   - sourceLocation: The source location of recorded issues.
  public func finish(
    _ clocks: ManualClock..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let left = unfinishedWork + clocks.flatMap(\.waitingWork)
    if let message = LeakRecorder.message(of: left, owner: name) {
      IssueReporter.report(message, at: sourceLocation)
    }
  }
}
