import Signals
public import SignalsReplay
public import Testing

extension TestHost {
  /// The log of the actions performed on the host since a test set it; see `ViewHost.intentLog`.
  public var intentLog: IntentLog? {
    get { host.intentLog }
    set { host.intentLog = newValue }
  }

  /// Replays a log as `ViewHost.replay(_:comparingFrames:performing:)` does, and fails the test at
  /// the first entry whose outcome differs.
  ///
  /// The failure shows the lines that differ: those of the graph, or otherwise those of the screen
  /// if the log contains screens.
  ///
  /// ```swift
  /// let log = try JSONDecoder().decode(IntentLog.self, from: report)
  /// let app = try TestHost(Store(log.start!)) { Desk() }
  /// try app.replay(log)
  /// ```
  ///
  /// - Parameters:
  ///   - log: The log to replay.
  ///   - comparingFrames: Whether frames are compared, in addition to changes and errors.
  ///   - sourceLocation: The source location of the recorded issue.
  ///   - performing: Performs an app-defined intent or a commit, and returns whether it did.
  public func replay(
    _ log: IntentLog, comparingFrames: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    performing: (IntentLog.Entry) throws -> Bool = { _ in false }
  ) throws {
    do {
      try host.replay(log, comparingFrames: comparingFrames, performing: performing)
    } catch let error as ReplayError {
      let difference = LineDifference(
        from: lines(of: error.expected, in: error), to: lines(of: error.found, in: error))
      IssueReporter.report(
        """
        entry \(error.index + 1) of \(log.entries.count), \(error.expected.title), came out otherwise \
        (-: in the log, +: now):
        \(difference.text)\(error.hint.map { "\n\($0)" } ?? "")
        on screen:
        \(text)
        """, at: sourceLocation)
    }
  }

  private func lines(of entry: IntentLog.Entry, in error: ReplayError) -> [String] {
    if error.isOfScreen {
      let number = entry.frame.map { String($0, radix: 16) } ?? ""
      let screen = entry.screen ?? "screen \(number)"
      return screen.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    let outcome = entry.error.map { ["throws \($0)"] } ?? []
    return outcome + ChangeReport(error.present(entry.changes), in: host.store).lines
  }
}
