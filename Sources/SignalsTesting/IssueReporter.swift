import Signals
import Testing

/// Reports the findings of checks as issues of the running test.
package enum IssueReporter {
  /// Collects the findings in place of the running test.
  @TaskLocal private static var collected: Locked<[String]>?

  /// Reports a finding.
  static func report(_ text: String, at location: SourceLocation) {
    guard let collected else {
      Issue.record("\(text)", sourceLocation: location)
      return
    }
    collected.withLock { $0.append(text) }
  }

  // Not inlined: optimized code of another module would read the task-local before it is
  // initialized (Swift 6.3).

  /// Runs checks and returns their findings, which aren't recorded as issues of the running test.
  @inline(never)
  package static func collect(_ checks: () throws -> Void) throws -> [String] {
    let findings = Locked<[String]>([])
    try $collected.withValue(findings) { try checks() }
    return findings.withLock { $0 }
  }

  /// Runs asynchronous checks and returns their findings, which aren't recorded as issues of the
  /// running test.
  @inline(never)
  package static func collect(_ checks: () async throws -> Void) async throws -> [String] {
    let findings = Locked<[String]>([])
    try await $collected.withValue(findings) { try await checks() }
    return findings.withLock { $0 }
  }
}
