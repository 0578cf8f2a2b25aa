import Synchronization

/// The directory of a log, locked for as long as something refers to it.
///
/// The lock is one of the open directory, which the system removes when the process ends, however
/// it ends. It also excludes a second log of the same process.
///
/// The path is used once: a log stays in its directory when that is moved, or when the working
/// directory of the process is another.
package final class LogDirectory: Sendable {
  /// The path that errors name.
  let path: String
  private let files: any FileSystem
  private let state: Mutex<State>

  private struct State {
    /// The open directory, or `nil` if it is closed.
    var directory: OpenDirectory?
    /// Why it isn't known which names are on the device.
    var failure: ChangeLogError?
    /// The last failure that was forgotten.
    var forgotten: ChangeLogError?
    /// The number of failures that were forgotten.
    var era = 0
  }

  /// Opens and locks a directory, which is made if it is missing unless it is only read.
  init(
    _ path: String, isMade: Bool = true, in files: any FileSystem
  ) throws(ChangeLogError) {
    (self.path, self.files) = (path, files)
    let opened = OpenDirectory(try files.openDirectory(path, isMade: isMade), in: files)
    state = Mutex(State(directory: opened))
    guard try files.lock(opened.descriptor) else { throw .locked(path: path) }
  }

  deinit { close() }

  /// Removes the lock.
  func close() {
    let opened = state.withLock { state in
      defer { state.directory = nil }
      return state.directory
    }
    if let opened { files.unlock(opened.descriptor) }
  }

  /// Makes a call with the directory, which stays open until its end.
  private func opened<Result>(
    _ body: (OpenDescriptor) throws(ChangeLogError) -> Result
  ) throws(ChangeLogError) -> Result {
    guard let opened = state.withLock({ $0.directory }) else { throw .closed }
    defer { withExtendedLifetime(opened) {} }
    return try body(opened.descriptor)
  }

  /// Returns the names of the files.
  func names() throws(ChangeLogError) -> [String] {
    try opened { opened throws(ChangeLogError) in try files.names(in: opened) }
  }

  /// Writes the directory's own name to the device.
  func syncParent() throws(ChangeLogError) {
    try opened { opened throws(ChangeLogError) in try files.syncParent(of: opened) }
  }

  /// Opens a file.
  func open(_ name: String) throws(ChangeLogError) -> OpenFile {
    try opened { opened throws(ChangeLogError) in try OpenFile(name, in: opened, of: files) }
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
    let file = try opened { opened throws(ChangeLogError) in
      try OpenFile(name, creating: name + Self.newSuffix, in: opened, of: files)
    }
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
    let era = state.withLock { $0.era }
    do {
      try opened { opened throws(ChangeLogError) in
        try files.rename(name + Self.newSuffix, to: name, in: opened)
      }
    } catch {
      removeNew(name)
      throw error
    }
    try sync(namesSince: era)
  }

  /// Allows names to be put again after a failure, by a caller that puts all names that it needs.
  func forgetFailure() {
    state.withLock { state in
      guard let failure = state.failure else { return }
      (state.failure, state.forgotten) = (nil, failure)
      state.era += 1
    }
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
  func removeNew(_ name: String) {
    try? opened { opened throws(ChangeLogError) in
      try files.remove(name + Self.newSuffix, in: opened)
    }
  }

  /// Writes the names to the device.
  ///
  /// The system reports a failure to one call only. The calls of other partitions at the time, and
  /// those that follow, concern names that may have been lost: they also fail.
  private func sync(namesSince era: Int) throws(ChangeLogError) {
    try state.withLock { state throws(ChangeLogError) in
      guard let opened = state.directory else { throw .closed }
      if let failure = state.failure { throw failure }
      if era != state.era, let forgotten = state.forgotten { throw forgotten }
      do throws(ChangeLogError) {
        try files.sync(opened.descriptor)
      } catch {
        state.failure = error
        throw error
      }
    }
  }

  private static let newSuffix = ".new"
}

/// A directory that is open for as long as something refers to it.
private final class OpenDirectory: Sendable {
  let descriptor: OpenDescriptor
  private let files: any FileSystem

  init(_ descriptor: OpenDescriptor, in files: any FileSystem) {
    (self.descriptor, self.files) = (descriptor, files)
  }

  deinit { files.close(descriptor) }
}

extension FileFormat {
  /// The beginning of all formats of a log's files.
  fileprivate static let family = Array("Sign".utf8)
}
