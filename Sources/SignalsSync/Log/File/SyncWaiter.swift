/// A call that waits until frames are durable.
struct SyncWaiter {
  enum Outcome {
    /// The frames up to the head are durable.
    case synced(LogHead)
    /// The group that was being written has ended. The call must check the head again.
    case over
    case failed(ChangeLogError)
  }

  /// The outcome if the frames are written.
  let outcome: Outcome
  /// The position up to which frames must be durable.
  let position: LogPosition
  let continuation: CheckedContinuation<Outcome, Never>

  /// Resumes the call.
  func resume() { continuation.resume(returning: outcome) }

  /// Resumes the call with an error after its group has failed.
  func resume(throwing error: ChangeLogError) {
    if case .over = outcome { resume() } else { continuation.resume(returning: .failed(error)) }
  }
}
