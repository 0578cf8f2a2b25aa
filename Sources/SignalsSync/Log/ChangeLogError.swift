/// The reason why a log has refused or couldn't complete a call.
public enum ChangeLogError: Error, Hashable, Sendable {
  /// The log doesn't end where the append expected.
  case headMoved(Partition, to: LogHead)
  /// The entries at the position are truncated; the log begins at `oldest`.
  case truncated(Partition, oldest: LogPosition)
  /// The position is after the end of the log, for instance because the log was rolled back.
  case beyondHead(Partition, position: LogPosition, head: LogHead)
  /// The snapshot to start from isn't after the end of the log.
  case notBeyondHead(Partition, position: LogPosition, head: LogHead)
  /// No snapshot includes all entries before the position.
  case notCovered(Partition, position: LogPosition, snapshot: LogPosition?)
  /// The log has other entries before the position: a snapshot was taken of another one, or the storage was
  /// restored.
  case otherHistory(Partition, position: LogPosition)
  /// The content exceeds the limit for one append or one snapshot, in bytes.
  case tooLarge(Partition, size: Int, limit: Int)
  /// The name of the partition exceeds the limit, in bytes of UTF-8.
  case nameTooLarge(Partition, size: Int, limit: Int)
  /// The file was changed by something other than the log; `offset` is in bytes.
  case damaged(file: String, offset: Int, reason: String)
  /// The file was written by another version of this library.
  case otherVersion(file: String, version: Int)
  /// The log is open already, in this process or in another.
  case locked(path: String)
  /// The device is full. Nothing was appended, and later appends succeed when there is space.
  case noSpace(path: String)
  /// A call of the operating system failed; `code` is its `errno`.
  case system(path: String, call: String, code: Int)
  /// The storage of the log can't be reached, or has refused a call; an append may be in the log or not.
  case unavailable(log: String, reason: String)
  /// The log has been closed.
  case closed
}

extension ChangeLogError {
  /// Whether the call may succeed later.
  var mayPass: Bool {
    switch self {
    case .noSpace, .system, .unavailable, .closed: true
    default: false
    }
  }
}

extension ChangeLogError: CustomStringConvertible {
  /// A sentence that states the partition or file, the position and the reason.
  public var description: String {
    switch self {
    case .headMoved(let partition, let head):
      "the log of \(partition) ends at \(head), not where the append expected"
    case .truncated(let partition, let oldest):
      "the log of \(partition) begins at \(oldest): earlier entries are truncated"
    case .beyondHead(let partition, let position, let head):
      "the log of \(partition) ends at \(head), before \(position)"
    case .notBeyondHead(let partition, let position, let head):
      "the log of \(partition) ends at \(head): it can't start from a snapshot at \(position)"
    case .notCovered(let partition, let position, let snapshot):
      "the log of \(partition) can't be truncated before \(position): "
        + (snapshot.map { "its snapshot is at \($0)" } ?? "it has no snapshot")
    case .otherHistory(let partition, let position):
      "the log of \(partition) has other entries before \(position) than those that are known"
    case .tooLarge(let partition, let size, let limit):
      "\(size) bytes for the log of \(partition) are more than \(limit)"
    case .nameTooLarge(let partition, let size, let limit):
      "the name \(partition) has \(size) bytes, more than \(limit)"
    case .damaged(let file, let offset, let reason):
      "\(file) is damaged at byte \(offset): \(reason)"
    case .otherVersion(let file, let version):
      "\(file) has version \(version) of its format, which this library can't read"
    case .locked(let path):
      "the log at \(path) is open already"
    case .noSpace(let path):
      "there is no space for \(path)"
    case .system(let path, let call, let code):
      "\(call) failed for \(path) with error \(code)"
    case .unavailable(let log, let reason):
      "\(log) is unavailable: \(reason)"
    case .closed:
      "the log is closed"
    }
  }
}
