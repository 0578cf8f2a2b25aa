/// A call of the operating system that failed.
package struct FileFailure: Error, Equatable {
  /// The name of the call.
  package let call: String
  /// The error's `errno`.
  package let code: Int32

  package init(_ call: String, code: Int32) { (self.call, self.code) = (call, code) }
}

/// What distinguishes a file from each copy of it.
///
/// The time when the file system created a file can't be copied or set. Where there is none, the
/// number of the file is the only difference.
package struct FileMark: Equatable, Sendable {
  /// The number of the file in its file system.
  package let number: UInt64
  /// The time when the file was created, in nanoseconds, or 0 if the file system doesn't keep it.
  package let birth: UInt64

  package init(number: UInt64, birth: UInt64) { (self.number, self.birth) = (number, birth) }
}

/// The calls of the operating system that a ``FileLog`` makes, so that tests can replace them.
///
/// A file is named by its path, and known by its descriptor once it is open.
package protocol FileSystem: Sendable {
  /// Opens a directory, which is created if it is missing.
  ///
  /// The name of a new one isn't on the device before a call of ``syncParent(of:)``.
  func openDirectory(_ path: String) throws(FileFailure) -> Int32

  /// Writes the names of the directory that contains a path to the device.
  func syncParent(of path: String) throws(FileFailure)

  /// Locks an open directory until it is unlocked or closed.
  ///
  /// - Returns: Whether it wasn't locked already, by this process or another.
  func lock(_ directory: Int32) throws(FileFailure) -> Bool

  /// Unlocks a directory.
  ///
  /// To close it isn't enough at once: a process that is being started, from here, has the
  /// descriptor too until it runs its program.
  func unlock(_ directory: Int32)

  /// Returns the names of a directory's files.
  func names(in path: String) throws(FileFailure) -> [String]

  /// Opens a file; `creating` makes it, or makes it empty.
  func open(_ path: String, creating: Bool) throws(FileFailure) -> Int32

  /// Returns the number of a file's bytes, and its mark.
  func status(of file: Int32) throws(FileFailure) -> (size: Int, mark: FileMark)

  /// Reads at most a number of bytes, and fewer only at the file's end.
  func read(_ file: Int32, at offset: Int, count: Int) throws(FileFailure) -> [UInt8]

  /// Writes bytes of an array, from an index on, and returns the number of those written.
  func write(
    _ bytes: [UInt8], from index: Int, to file: Int32, at offset: Int
  ) throws(FileFailure) -> Int

  /// Makes a file shorter.
  func cut(_ file: Int32, to size: Int) throws(FileFailure)

  /// Writes what the system holds of a file, or of a directory, to the device.
  func sync(_ file: Int32) throws(FileFailure)

  /// Renames a file, in place of one that has the name.
  func rename(_ path: String, to newPath: String) throws(FileFailure)

  /// Removes a file.
  func remove(_ path: String) throws(FileFailure)

  /// Closes a file or a directory.
  func close(_ file: Int32)
}
