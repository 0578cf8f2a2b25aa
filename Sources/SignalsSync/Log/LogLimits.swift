/// The largest names and contents of logs, which are the same for all kinds of logs.
///
/// An error that names the limit refuses what exceeds it.
public enum LogLimits {
  /// The largest size of a partition's name, in bytes of UTF-8.
  ///
  /// With three characters for each byte, the name and a suffix fit into the name of a file.
  public static let nameSize = 80
  /// The largest size of the entries of one append together, and so of one entry, in bytes.
  ///
  /// An entry counts with its length, which takes up to five bytes.
  public static let appendSize = 1 << 28
  /// The largest size of a snapshot, in bytes.
  public static let snapshotSize = 1 << 30
}

extension Partition {
  /// Checks the size of the name.
  func checkName() throws(ChangeLogError) {
    let (size, limit) = (name.utf8.count, LogLimits.nameSize)
    if size > limit { throw .nameTooLarge(self, size: size, limit: limit) }
  }

  /// Checks and returns the size of the entries of an append, in bytes of a frame.
  func checkedSize(of entries: [[UInt8]]) throws(ChangeLogError) -> Int {
    let (size, limit) = ([UInt8].frameSize(of: entries), LogLimits.appendSize)
    if size > limit { throw .tooLarge(self, size: size, limit: limit) }
    return size
  }

  /// Checks the size of a snapshot.
  func check(_ snapshot: LogSnapshot) throws(ChangeLogError) {
    let (size, limit) = (snapshot.bytes.count, LogLimits.snapshotSize)
    if size > limit { throw .tooLarge(self, size: size, limit: limit) }
  }
}
