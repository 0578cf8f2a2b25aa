import Signals
import Testing

/// Runs a check that may fail, and returns what it records.
func issues(_ check: () throws -> Void) throws -> [String] {
  let messages = Locked<[String]>([])
  try withKnownIssue(isIntermittent: true) {
    try check()
  } matching: { issue in
    messages.withLock { $0 += issue.comments.map(\.rawValue) }
    return true
  }
  return messages.withLock { $0 }
}

/// Runs an asynchronous check likewise.
func issues(_ check: () async throws -> Void) async throws -> [String] {
  let messages = Locked<[String]>([])
  try await withKnownIssue(isIntermittent: true) {
    try await check()
  } matching: { issue in
    messages.withLock { $0 += issue.comments.map(\.rawValue) }
    return true
  }
  return messages.withLock { $0 }
}
