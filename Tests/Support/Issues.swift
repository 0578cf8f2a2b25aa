import Signals
import SignalsTesting
import Testing

/// Runs checks of the test kit, and returns what they report.
package func issues(_ check: () throws -> Void) throws -> [String] {
  let messages = Locked<[String]>([])
  try IssueReporter.$receiver.withValue({ text in messages.withLock { $0.append(text) } }) {
    try check()
  }
  return messages.withLock { $0 }
}

/// Runs asynchronous checks of the test kit, and returns what they report.
package func issues(_ check: () async throws -> Void) async throws -> [String] {
  let messages = Locked<[String]>([])
  try await IssueReporter.$receiver.withValue({ text in messages.withLock { $0.append(text) } }) {
    try await check()
  }
  return messages.withLock { $0 }
}
