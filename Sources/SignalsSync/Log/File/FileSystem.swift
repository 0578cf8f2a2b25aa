/// An open file or directory.
package struct OpenDescriptor: Sendable {
  /// The number of the descriptor.
  package let number: Int32
  /// The path that errors state.
  package let path: String

  package init(_ number: Int32, path: String) { (self.number, self.path) = (number, path) }

  /// Returns the path that errors state for a file in the directory.
  package func path(of name: String) -> String { "\(path)/\(name)" }
}

/// The calls of the operating system that a ``FileLog`` makes, so that tests can replace them.
///
/// A file is identified by its name in an open directory, and by its descriptor once it is open. A
/// path is used only to open the directory, which can be moved afterwards.
///
/// All calls throw ``ChangeLogError/noSpace(path:)`` or ``ChangeLogError/system(path:call:code:)``
/// if they fail.
package protocol FileSystem: Sendable {
  /// Opens a directory.
  ///
  /// The name of a new directory is durable only after a call of ``syncParent(of:)``.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - isMade: Whether the directory is created if it is missing.
  func openDirectory(
    _ path: String, isMade: Bool
  ) throws(ChangeLogError) -> OpenDescriptor

  /// Makes the names in the parent of a directory durable.
  func syncParent(of directory: OpenDescriptor) throws(ChangeLogError)

  /// Locks an open directory until it is unlocked or closed.
  ///
  /// - Returns: `false` if the directory is locked already, by this process or another.
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
  ///   - name: The name of the file.
  ///   - newName: The name of a new, empty file that is created instead, and later replaces the
  ///     file with `name`. Errors state `name`.
  ///   - directory: The directory.
  /// - Returns: The open file.
  func open(
    _ name: String, creating newName: String?, in directory: OpenDescriptor
  ) throws(ChangeLogError) -> OpenDescriptor

  /// Returns the size of a file in bytes.
  func size(of file: OpenDescriptor) throws(ChangeLogError) -> Int

  /// Reads bytes of a file.
  ///
  /// - Returns: The bytes, fewer than `count` only at the end of the file.
  func read(_ file: OpenDescriptor, at offset: Int, count: Int) throws(ChangeLogError) -> [UInt8]

  /// Writes bytes of an array to a file.
  ///
  /// - Returns: The number of bytes written.
  func write(
    _ bytes: [UInt8], from index: Int, to file: OpenDescriptor, at offset: Int
  ) throws(ChangeLogError) -> Int

  /// Shortens a file to a size in bytes.
  func cut(_ file: OpenDescriptor, to size: Int) throws(ChangeLogError)

  /// Makes the contents of a file, or the names in a directory, durable.
  ///
  /// After an error, the contents on the device are unknown, even if the device is full. Therefore
  /// the error is never ``ChangeLogError/noSpace(path:)``.
  func sync(_ file: OpenDescriptor) throws(ChangeLogError)

  /// Renames a file, and replaces a file that has the new name.
  func rename(
    _ name: String, to newName: String, in directory: OpenDescriptor
  ) throws(ChangeLogError)

  /// Removes a file.
  func remove(_ name: String, in directory: OpenDescriptor) throws(ChangeLogError)

  /// Closes a file or a directory.
  func close(_ file: OpenDescriptor)
}
