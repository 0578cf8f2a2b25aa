import SignalsTesting

/// Runs checks of the test kit, and returns what they report.
package func issues(_ checks: () throws -> Void) throws -> [String] {
  try IssueReporter.collect(checks)
}

/// Runs asynchronous checks of the test kit, and returns what they report.
package func issues(_ checks: () async throws -> Void) async throws -> [String] {
  try await IssueReporter.collect(checks)
}
