internal import Signals
public import Testing

extension TestHost {
  /// Fails if anything is still under way, and names it: async intents and tasks of views.
  ///
  /// Clocks are asked for the timers that wait on them. Call it at the end of a test, or have each
  /// test end so by ``LeavesNothing``.
  public func finish(
    _ clocks: ManualClock..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let left = unfinishedWork + clocks.flatMap(\.waitingWork)
    if let message = Remains.message(left, name) {
      Findings.report(message, at: sourceLocation)
    }
  }
}
