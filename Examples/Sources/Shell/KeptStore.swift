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

  /// Opens the store in a file, or one in memory if no file is named.
  ///
  /// - Throws: ``Failure`` if the file can't be opened: with status 65 if it is no store of this app,
  ///   with 75 if another process has it open, and otherwise with 66.
  init(at path: String?) throws {
    guard let path else {
      (store, file) = (Store(), nil)
      return
    }
    let file: StoreFile
    do { file = try StoreFile(at: path) } catch {
      throw Failure(status: KeptStore.status(error), "can't open \(path): \(error)")
    }
    (store, self.file) = (file.store, file)
    weak let kept = self
    following = Task {
      for await problem in file.problems { kept?.problem = problem.map { "not saved: \($0)" } }
    }
  }

  /// Returns when all commits are on the device, or throws the reason why they aren't.
  package func flush() throws(StoreFileError) { try file?.blockingFlush() }

  private func close() async throws {
    following?.cancel()
    do throws(StoreFileError) { try await file?.close() } catch {
      throw Failure(status: 73, "not saved: \(error)")
    }
  }

  /// Runs an app on the store in a file, or on one in memory if no file is named, and closes the file when the app ends.
  ///
  /// - Throws: The errors of `app`, and ``Failure`` if the file can't be opened or, with status 73, lacks commits at the
  ///   end.
  package static func run(
    at path: String?, _ app: (KeptStore) async throws -> Void
  ) async throws {
    let kept = try KeptStore(at: path)
    do { try await app(kept) } catch {
      // What ended the app is the news.
      try? await kept.close()
      throw error
    }
    try await kept.close()
  }

  /// The status of `sysexits.h` for a file that can't be opened.
  private static func status(_ error: StoreFileError) -> Int32 {
    switch error {
    case .damaged, .mixedFiles, .objects, .renaming, .laterVersion, .otherFormat: 65
    case .alreadyOpen: 75
    default: 66
    }
  }
}
