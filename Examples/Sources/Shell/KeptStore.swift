// State: `problem`, why the file lacks commits; `following`, the task that updates it.

package import Signals
package import SignalsSync

/// The store of an example, and the file that has its commits if the user named one.
@MainActor
package final class KeptStore {
  package let store: Store
  /// Why the file lacks commits, for a screen; a read is a dependency.
  @Signal package private(set) var problem: String? = nil
  private let file: StoreFile?
  private var following: Task<Void, Never>?

  /// A copy can be saved only of a store that is in a file.
  private struct NoFileError: Error, CustomStringConvertible {
    var description: String { "the store is in memory, and in no file" }
  }

  /// Opens the store in a file, or one in memory if no file is named.
  ///
  /// - Throws: ``Failure`` if the file can't be opened: with status 65 if it is no store of this app,
  ///   with 75 if another process has it open, and otherwise with 66.
  init(
    at path: String?, version: Int = 0, migrations: [Int: (Migration) throws -> Void] = [:]
  ) throws {
    guard let path else {
      (store, file) = (Store(), nil)
      return
    }
    let file = try KeptStore.opening(path) { () throws(StoreFileError) in
      try StoreFile(at: path, version: version, migrations: migrations)
    }
    (store, self.file) = (file.store, file)
    weak let kept = self
    following = Task {
      for await problem in file.problems { kept?.problem = problem.map { "not saved: \($0)" } }
    }
  }

  /// Returns when all commits are on the device, or throws the reason why they aren't.
  package func flush() throws(StoreFileError) { try file?.blockingFlush() }

  /// Writes a complete copy to a new file, and returns when it is on the device.
  package func save(to path: String) throws {
    guard let file else { throw NoFileError() }
    try file.save(to: path)
  }

  private func close() async throws {
    following?.cancel()
    do throws(StoreFileError) { try await file?.close() } catch {
      throw Failure(status: 73, "not saved: \(error)")
    }
  }

  /// Runs an app on the store in a file, or on one in memory if no file is named, and closes the file when the app ends.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - version: The version of the app's classes.
  ///   - migrations: What leads from the file of an earlier version to the present one.
  ///   - app: The app.
  /// - Throws: The errors of `app`, and ``Failure`` if the file can't be opened or, with status 73, lacks commits at the
  ///   end.
  package static func run(
    at path: String?, version: Int = 0, migrations: [Int: (Migration) throws -> Void] = [:],
    _ app: (KeptStore) async throws -> Void
  ) async throws {
    let kept = try KeptStore(at: path, version: version, migrations: migrations)
    do { try await app(kept) } catch {
      // What ended the app is the news.
      try? await kept.close()
      throw error
    }
    try await kept.close()
  }

  /// Opens a file.
  ///
  /// - Throws: ``Failure``, as ``run(at:version:migrations:_:)``.
  package static func opening<File>(
    _ path: String, _ open: () throws(StoreFileError) -> File
  ) throws(Failure) -> File {
    do { return try open() } catch {
      throw Failure(status: status(error), "can't open \(path): \(error)")
    }
  }

  /// The status of `sysexits.h` for a file that can't be opened.
  static func status(_ error: StoreFileError) -> Int32 {
    switch error {
    case .damaged, .mixedFiles, .objects, .renaming, .laterVersion, .otherFormat: 65
    case .exists: 73
    case .alreadyOpen: 75
    default: 66
    }
  }
}
