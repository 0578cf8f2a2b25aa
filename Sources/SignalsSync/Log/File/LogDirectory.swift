import Dispatch
import Synchronization

/// The directory of a log, locked as long as it is referenced.
///
/// The lock belongs to the open directory. The system releases it when the process ends, even after
/// a crash. It also excludes a second log of the same process.
///
/// The path is used once: a log stays in its directory when the directory is moved or the working
/// directory of the process changes.
package final class LogDirectory: Sendable {
  /// The path that errors state.
  let path: String
  private let files: any FileSystem
  private let state: Mutex<State>

  private struct State {
    /// The open directory, or `nil` if it is closed.
    var directory: OpenDirectory?
    /// The error after which the durable names are unknown.
    var failure: ChangeLogError?
    /// The last failure that was cleared.
    var forgotten: ChangeLogError?
    /// The number of failures that were cleared.
    var era = 0
  }

  /// The work of this process after which the directories of released logs are unlocked.
  static let closings = DispatchGroup()

  /// Opens and locks a directory, after waiting for a released log of this process that has it.
  ///
  /// - Parameters:
  ///   - path: The path of the directory.
  ///   - isMade: Whether the directory is created if it is missing.
  ///   - files: The calls of the operating system.
  /// - Throws: ``ChangeLogError/locked(path:)`` and errors of the file system.
  init(
    _ path: String, isMade: Bool = true, in files: any FileSystem
  ) throws(ChangeLogError) {
    (self.path, self.files) = (path, files)
    let opened = OpenDirectory(try files.openDirectory(path, isMade: isMade), in: files)
    state = Mutex(State(directory: opened))
    if try files.lock(opened.descriptor) { return }
    Self.closings.wait()
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

  /// Runs a closure with the directory, and keeps the directory open until the closure returns.
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

  /// Makes the directory's own name durable.
  func syncParent() throws(ChangeLogError) {
    try opened { opened throws(ChangeLogError) in try files.syncParent(of: opened) }
  }

  /// Opens a file.
  func open(_ name: String) throws(ChangeLogError) -> OpenFile {
    try opened { opened throws(ChangeLogError) in try OpenFile(name, in: opened, of: files) }
  }

  /// Opens a file, or returns `nil` if there is no file with the name.
  func openIfPresent(_ name: String) throws(ChangeLogError) -> OpenFile? {
    do {
      return try open(name)
    } catch {
      if error.isMissingFile { return nil }
      throw error
    }
  }

  /// Writes a new file that later replaces the file with a name, which isn't changed.
  ///
  /// ``put(_:)`` gives the new file its name. If `write` throws, the new file is removed.
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
  /// At any time, one of the two files has the name. When the call returns, the change is durable.
  ///
  /// - Throws: ``ChangeLogError/noSpace(path:)``, after which the previous file has the name. After
  ///   any other error, either file may have it.
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

  /// Clears a failure, for a caller that puts all names that it needs again.
  func forgetFailure() {
    state.withLock { state in
      guard let failure = state.failure else { return }
      (state.failure, state.forgotten) = (nil, failure)
      state.era += 1
    }
  }

  /// Removes a prepared file that a crash has left.
  ///
  /// A crash leaves zeros in place of bytes that weren't durable. A file that begins with neither
  /// zeros nor a format of this library belongs to another program, and isn't touched.
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

  /// Removes a prepared file.
  ///
  /// If that fails, the file is removed when the log is opened.
  func removeNew(_ name: String) {
    try? opened { opened throws(ChangeLogError) in
      try files.remove(name + Self.newSuffix, in: opened)
    }
  }

  /// Makes the names durable.
  ///
  /// The system reports a failure to one call only. The names of other partitions may be lost too,
  /// so their concurrent and later calls also fail.
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

/// A directory that is open as long as it is referenced.
private final class OpenDirectory: Sendable {
  let descriptor: OpenDescriptor
  private let files: any FileSystem

  init(_ descriptor: OpenDescriptor, in files: any FileSystem) {
    (self.descriptor, self.files) = (descriptor, files)
  }

  deinit { files.close(descriptor) }
}

extension FileFormat {
  /// The common beginning of the formats of a log's files.
  fileprivate static let family = Array("Sign".utf8)
}
