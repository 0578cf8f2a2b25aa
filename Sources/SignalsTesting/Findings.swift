import Testing

/// What checks report: issues of the running test.
package enum Findings {
  /// Receives what is reported instead of the test; the tests of the checks set it.
  @TaskLocal package static var receiver: (@Sendable (String) -> Void)?

  /// Reports what a check has found.
  static func report(_ text: String, at location: SourceLocation) {
    guard let receiver else {
      Issue.record("\(text)", sourceLocation: location)
      return
    }
    receiver(text)
  }
}
