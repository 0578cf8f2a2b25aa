/// An append or a call that waits until frames are on the device.
struct SyncWaiter {
  enum Outcome {
    /// The frames up to the head are on the device.
    case synced(LogHead)
    /// The group that ran has ended; the call has to look again.
    case over
    case failed(ChangeLogError)
  }

  /// The outcome if all goes well.
  let outcome: Outcome
  /// The position up to which frames have to be on the device.
  let position: LogPosition
  let continuation: CheckedContinuation<Outcome, Never>

  /// Resumes the call.
  func resume() { continuation.resume(returning: outcome) }

  /// Resumes the call after its group has failed.
  func resume(throwing error: ChangeLogError) {
    if case .over = outcome { resume() } else { continuation.resume(returning: .failed(error)) }
  }
}
