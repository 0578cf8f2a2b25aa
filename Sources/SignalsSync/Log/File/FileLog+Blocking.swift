internal import Signals

/// Synchronous calls, for a store whose writes end before their entries are durable.
extension FileLog {
  /// Accepts entries, which are written at the end of the interval.
  ///
  /// The call doesn't wait for the device, except that a partition's first call opens and reads its
  /// file. If the device is full, entries are still accepted. They stay in memory until there is
  /// space, and `onFailure` reports the error.
  ///
  /// The log must have ``Durability-swift.enum/interval(_:)``.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)`` if the entries that wait for space exceed the size of
  ///   one append, and the errors of ``FileLog/append(_:to:expecting:)``. Nothing is accepted then.
  @discardableResult
  package func accept(
    _ entries: [[UInt8]], in partition: Partition, expecting head: LogHead? = nil
  ) throws(ChangeLogError) -> LogHead {
    guard case .interval(let interval) = work.durability else {
      trap("entries can be accepted without a wait only by a log whose durability is an interval")
    }
    return try blockingFile(of: partition)
      .accept(entries, expecting: head, interval: interval)
  }

  /// Waits until all accepted entries of a partition are durable, and blocks the calling thread.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)`` and other errors of the file system. Some accepted
  ///   entries aren't durable then.
  package func flush(_ partition: Partition) throws(ChangeLogError) {
    try blockingFile(of: partition, isKept: false).flush()
  }

  /// Waits until `onFailure` has received all reports so far.
  ///
  /// Only for a log whose `onFailure` doesn't wait.
  func awaitReports() { work.awaitReports() }
}
