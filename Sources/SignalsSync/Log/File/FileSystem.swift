/// An open file or directory.
package struct OpenDescriptor: Sendable {
  /// The number by which the system knows it.
  package let number: Int32
  /// The path that errors name.
  package let path: String

  package init(_ number: Int32, path: String) { (self.number, self.path) = (number, path) }

  /// The path by which errors name a file in the directory.
  package func path(of name: String) -> String { "\(path)/\(name)" }
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
/// A file is named by its name in an open directory, and known by its descriptor once it is open.
/// A path is used once, to open the directory, which can be moved then. A failed call throws
/// ``ChangeLogError/noSpace(path:)`` or ``ChangeLogError/system(path:call:code:)``.
package protocol FileSystem: Sendable {
  /// Opens a directory.
  ///
  /// The name of a new one isn't on the device before a call of ``syncParent(of:)``.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - isMade: Whether the directory is made if it is missing.
  func openDirectory(
    _ path: String, isMade: Bool
  ) throws(ChangeLogError) -> OpenDescriptor

  /// Writes the names of the directory that contains a directory to the device.
  func syncParent(of directory: OpenDescriptor) throws(ChangeLogError)

  /// Locks an open directory until it is unlocked or closed.
  ///
  /// - Returns: Whether it wasn't locked already, by this process or another.
  func lock(_ directory: OpenDescriptor) throws(ChangeLogError) -> Bool

  /// Unlocks a directory.
  ///
  /// Closing alone may release the lock late: a child process has the descriptor until it calls
  /// `exec`.
  func unlock(_ directory: OpenDescriptor)

  /// Returns the names of a directory's files.
  func names(in directory: OpenDescriptor) throws(ChangeLogError) -> [String]

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - newName: The name of an empty file to be made instead, which later replaces the one that
  ///     has `name`; errors name that one.
  ///   - directory: The directory.
  func open(
    _ name: String, creating newName: String?, in directory: OpenDescriptor
  ) throws(ChangeLogError) -> OpenDescriptor

  /// Returns the number of a file's bytes, and its mark.
  func status(of file: OpenDescriptor) throws(ChangeLogError) -> (size: Int, mark: FileMark)

  /// Reads at most a number of bytes, and fewer only at the file's end.
  func read(_ file: OpenDescriptor, at offset: Int, count: Int) throws(ChangeLogError) -> [UInt8]

  /// Writes bytes of an array, from an index on, and returns the number of those written.
  func write(
    _ bytes: [UInt8], from index: Int, to file: OpenDescriptor, at offset: Int
  ) throws(ChangeLogError) -> Int

  /// Makes a file shorter.
  func cut(_ file: OpenDescriptor, to size: Int) throws(ChangeLogError)

  /// Writes what the system holds of a file, or of a directory, to the device.
  ///
  /// After an error the content of the device isn't known, not even if the device is full: it is
  /// never ``ChangeLogError/noSpace(path:)``.
  func sync(_ file: OpenDescriptor) throws(ChangeLogError)

  /// Renames a file, in place of one that has the name.
  func rename(
    _ name: String, to newName: String, in directory: OpenDescriptor
  ) throws(ChangeLogError)

  /// Removes a file.
  func remove(_ name: String, in directory: OpenDescriptor) throws(ChangeLogError)

  /// Closes a file or a directory.
  func close(_ file: OpenDescriptor)
}
