internal import Signals

/// Calls without `await`, for a store whose writes end before their entries are on the device.
extension FileLog {
  /// Accepts entries, which are written when the interval is over, and returns at once.
  ///
  /// The call doesn't wait for the device, except for a partition's first one, which opens its
  /// file and reads all of it. If the device is full, entries are accepted nevertheless, and stay in
  /// memory until there is space; `onFailure` reports it.
  ///
  /// The log must have ``Durability-swift.enum/interval(_:)``.
  ///
  /// - Parameters:
  ///   - entries: The contents of the entries. After a crash all of them are there, or none.
  ///   - partition: The partition.
  ///   - head: The end of the log as their author knows it, or `nil` to append wherever it is.
  /// - Returns: The head after the entries.
  /// - Throws: ``ChangeLogError/headMoved(_:to:)``, ``ChangeLogError/tooLarge(_:size:limit:)``, the
  ///   error after which nothing can be written until the log is opened again, and
  ///   ``ChangeLogError/noSpace(path:)`` if more entries wait for space than one append can have.
  ///   Nothing is accepted then.
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

  /// Blocks the thread until all that was accepted of a partition is on the device.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)``, and other errors of the file system. Some of what
  ///   was accepted isn't on the device then.
  package func flush(_ partition: Partition) throws(ChangeLogError) {
    try blockingFile(of: partition, isKept: false).flush()
  }
}
