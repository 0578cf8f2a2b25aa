import Dispatch

/// The directory, the settings and the queues that the files of a log's partitions share.
struct LogWork: Sendable {
  let directory: LogDirectory
  let durability: FileLog.Durability
  let limits: SizeLimits
  let openFiles = OpenFiles()

  /// Runs when writing in the background fails, fails with another error, or succeeds again.
  private let onFailure: @Sendable (Partition, ChangeLogError?) -> Void
  private let commits: [DispatchQueue]
  private let upkeep: [DispatchQueue]
  private let reports = DispatchQueue(label: "signals.log.reports")

  /// The number of queues of each kind, which the partitions share.
  private static let queueCount = 8

  init(
    _ directory: LogDirectory, durability: FileLog.Durability, limits: SizeLimits,
    onFailure: @escaping @Sendable (Partition, ChangeLogError?) -> Void
  ) {
    (self.directory, self.durability) = (directory, durability)
    (self.limits, self.onFailure) = (limits, onFailure)
    let queues = 0..<Self.queueCount
    commits = queues.map { DispatchQueue(label: "signals.log.commits.\($0)") }
    upkeep = queues.map { DispatchQueue(label: "signals.log.upkeep.\($0)") }
  }

  /// Returns the queue on which a partition's frames are written.
  func commits(of partition: Partition) -> DispatchQueue { commits[index(of: partition)] }

  /// Returns the queue for a partition's snapshots and truncations.
  func upkeep(of partition: Partition) -> DispatchQueue { upkeep[index(of: partition)] }

  /// Reports a failure, or its end, after all earlier reports.
  ///
  /// Reports have their own queue, so that the closure can wait for the other queues.
  func report(_ failure: ChangeLogError?, of partition: Partition) {
    reports.async { [onFailure] in onFailure(partition, failure) }
  }

  /// Waits until the closure has received all reports so far; it must not wait for this call.
  func awaitReports() { reports.sync {} }

  private func index(of partition: Partition) -> Int {
    Int(partition.nameHash % UInt64(Self.queueCount))
  }
}
