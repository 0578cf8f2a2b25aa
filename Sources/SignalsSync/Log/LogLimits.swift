/// The largest sizes of names and contents, which are equal for all kinds of logs.
///
/// A call that exceeds a limit throws an error that states the limit.
public enum LogLimits {
  /// The largest size of a partition's name, in bytes of UTF-8.
  ///
  /// With three characters for each byte, the name and a suffix fit into a file name.
  public static let nameSize = 80
  /// The largest total size of the entries of one append, in bytes.
  ///
  /// The size of an entry includes its length, which takes up to five bytes.
  public static let appendSize = 1 << 28
  /// The largest size of a snapshot, in bytes.
  public static let snapshotSize = 1 << 30
}

/// The limits of one log.
///
/// They are the ``LogLimits``, or smaller ones in a test.
package struct SizeLimits: Sendable {
  package var append: Int
  package var snapshot: Int

  package init(append: Int = LogLimits.appendSize, snapshot: Int = LogLimits.snapshotSize) {
    (self.append, self.snapshot) = (append, snapshot)
  }
}

extension LogAppend {
  /// Checks the entries and the name of the partition.
  ///
  /// - Throws: ``ChangeLogError/tooLarge(_:size:limit:)`` or
  ///   ``ChangeLogError/nameTooLarge(_:size:limit:)``.
  public func checkLimits() throws(ChangeLogError) {
    try partition.checkLimits()
    _ = try partition.checkedSize(of: entries)
  }
}

extension LogSnapshot {
  /// Checks the size of the snapshot.
  ///
  /// - Parameter partition: The partition, for the error.
  /// - Throws: ``ChangeLogError/tooLarge(_:size:limit:)``.
  public func checkLimits(of partition: Partition) throws(ChangeLogError) {
    try partition.check(self)
  }
}

extension Partition {
  /// Checks the size of the name.
  ///
  /// - Throws: ``ChangeLogError/nameTooLarge(_:size:limit:)``.
  public func checkLimits() throws(ChangeLogError) {
    let (size, limit) = (name.utf8.count, LogLimits.nameSize)
    if size > limit { throw .nameTooLarge(self, size: size, limit: limit) }
  }

  /// Returns the size of the entries of an append in a frame, after checking it.
  func checkedSize(
    of entries: [[UInt8]], limits: SizeLimits = SizeLimits()
  ) throws(ChangeLogError) -> Int {
    let size = [UInt8].frameSize(of: entries)
    if size > limits.append { throw .tooLarge(self, size: size, limit: limits.append) }
    return size
  }

  /// Checks the size of a snapshot.
  func check(
    _ snapshot: LogSnapshot, limits: SizeLimits = SizeLimits()
  ) throws(ChangeLogError) {
    let size = snapshot.bytes.count
    if size > limits.snapshot { throw .tooLarge(self, size: size, limit: limits.snapshot) }
  }
}
