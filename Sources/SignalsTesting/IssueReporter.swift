import Testing

/// Reports the findings of checks as issues of the running test.
package enum IssueReporter {
  /// Receives the reports in place of the running test.
  ///
  /// Set by the tests of the checks themselves.
  @TaskLocal package static var receiver: (@Sendable (String) -> Void)?

  /// Reports a finding.
  static func report(_ text: String, at location: SourceLocation) {
    guard let receiver else {
      Issue.record("\(text)", sourceLocation: location)
      return
    }
    receiver(text)
  }
}
