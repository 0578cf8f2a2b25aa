import Synchronization

/// The directory of a log, locked for as long as something refers to it.
///
/// The lock is one of the open directory, which the system removes when the process ends, however
/// it ends. It also excludes a second log of the same process.
package final class LogDirectory: Sendable {
  /// The path.
  let path: String
  private let files: any FileSystem
  private let state: Mutex<State>

  private struct State {
    /// The descriptor, or `nil` if the directory is closed.
    var descriptor: OpenDescriptor?
    /// Why it isn't known which names are on the device.
    var failure: ChangeLogError?
  }

  /// Opens and locks a directory, which is created if it is missing.
  init(_ path: String, in files: any FileSystem) throws(ChangeLogError) {
    (self.path, self.files) = (path, files)
    let opened = try files.openDirectory(path)
    // From here on `deinit` closes the directory, also if the lock fails.
    state = Mutex(State(descriptor: opened))
    guard try files.lock(opened) else { throw .locked(path: path) }
  }

  deinit { close() }

  /// Removes the lock.
  func close() {
    let opened = state.withLock { state in
      defer { state.descriptor = nil }
      return state.descriptor
    }
    guard let opened else { return }
    files.unlock(opened)
    files.close(opened)
  }

  /// Returns the names of the files.
  func names() throws(ChangeLogError) -> [String] { try files.names(in: path) }

  /// Writes the directory's own name to the device.
  func syncParent() throws(ChangeLogError) { try files.syncParent(of: path) }

  /// Opens a file.
  func open(_ name: String) throws(ChangeLogError) -> OpenFile {
    try OpenFile("\(path)/\(name)", in: files)
  }

  /// Opens a file, if there is one of the name.
  func openIfPresent(_ name: String) throws(ChangeLogError) -> OpenFile? {
    do {
      return try open(name)
    } catch {
      if error.isMissingFile { return nil }
      throw error
    }
  }

  /// Writes a file beside the one that has the name, if there is one, without a change to that one.
  ///
  /// If `write` throws, the new file is removed. ``put(_:)`` then gives it the name.
  func prepare(
    _ name: String, write: (OpenFile) throws(ChangeLogError) -> Void
  ) throws(ChangeLogError) -> OpenFile {
    let file = try OpenFile("\(path)/\(name)", creating: path(ofNew: name), in: files)
    do {
      try write(file)
      try file.sync()
      return file
    } catch {
      removeNew(name)
      throw error
    }
  }

  /// Gives a prepared file its name.
  ///
  /// When it returns, neither a crash nor a loss of power brings back the file that had the name.
  /// At any moment, one of the two has it.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)`` if the name is as it was. After any other error it
  ///   isn't known which file has it.
  func put(_ name: String) throws(ChangeLogError) {
    do {
      try files.rename(path(ofNew: name), to: "\(path)/\(name)")
    } catch {
      removeNew(name)
      throw error
    }
    try sync()
  }

  /// Removes what a crash left of a file that was prepared.
  ///
  /// A crash leaves zeros where nothing is on the device. A file that begins with other bytes than
  /// those and a format of this library belongs to something else, and isn't touched.
  ///
  /// - Throws: ``ChangeLogError/damaged(file:offset:reason:)`` if there is such a file.
  func removeLeftover(of name: String) throws(ChangeLogError) {
    guard let file = try openIfPresent(name + Self.newSuffix) else { return }
    let start = try file.read(at: 0, count: FileFormat.family.count)
    guard zip(start, FileFormat.family).allSatisfy({ $0 == 0 || $0 == $1 }) else {
      throw .damaged(
        file: file.path, offset: 0, reason: "it is no file of a log, but has the name of one")
    }
    removeNew(name)
  }

  /// Removes a prepared file; if that fails, it is removed when the log is opened.
  func removeNew(_ name: String) { try? files.remove(path(ofNew: name)) }

  /// Writes the names to the device.
  ///
  /// The system reports a failure to one call only. The calls of other partitions at the time, and
  /// those that follow, concern names that may have been lost: they also fail.
  private func sync() throws(ChangeLogError) {
    try state.withLock { state throws(ChangeLogError) in
      guard let opened = state.descriptor else { throw .closed }
      if let failure = state.failure { throw failure }
      do throws(ChangeLogError) {
        try files.sync(opened)
      } catch {
        state.failure = error
        throw error
      }
    }
  }

  private static let newSuffix = ".new"

  private func path(ofNew name: String) -> String { "\(path)/\(name)\(Self.newSuffix)" }
}

extension FileFormat {
  /// The beginning of all formats of a log's files.
  fileprivate static let family = Array("Sign".utf8)
}
