import Files
package import Foundation
package import Signals

/// A file that has the last snapshot of a store: whoever is killed goes on from there.
///
/// State: `problem`, why the last one is not in the file; `keeping`, while commits are followed.
package final class SnapshotFile {
  /// What went wrong when the last snapshot was written; a read is a dependency.
  @Signal package private(set) var problem: String? = nil
  private let file: URL
  private let store: Store
  private var keeping: (any Cancellable)?

  /// Writes the commits of a store into a file: the first at once, and then at most one each half second.
  ///
  /// Where time does not pass, as while a program waits for a line, and at the end, ``write()`` writes the last.
  package init<C: Clock>(
    _ file: URL, of store: Store, clock: C, isolation: isolated (any Actor)? = #isolation
  ) where C.Duration == Duration {
    (self.file, self.store) = (file, store)
    keeping = store.commits.throttle(for: .milliseconds(500), latest: true, clock: clock)
      .sink { [unowned self] _ in write() }
  }

  /// Writes what is there now.
  package func write() {
    do {
      try SnapshotFile.write(store, to: file)
      problem = nil
    } catch { problem = "\(error)" }
  }

  /// Writes what is in a store now; throws a line that says why it can't be.
  package static func write(_ store: Store, to file: URL) throws {
    try FileProblem.writing(file) { try JSONEncoder().encode(store.snapshot()) }
  }

  /// The store of the last snapshot in a file; where there is no such file yet, or none is named, a new one.
  ///
  /// Fails with status 66 if the file can't be read, and with 65 if it has no snapshot.
  package static func store(_ file: URL?, else new: (Store) throws -> Void) throws -> Store {
    guard let file, FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
      let store = Store()
      try new(store)
      return store
    }
    do { return try read(file) } catch let problem as FileProblem {
      throw Failure(status: problem.isMalformed ? 65 : 66, "\(problem)")
    }
  }

  /// The store of the last snapshot in a file; throws a line that says why there is none.
  package static func read(_ file: URL) throws -> Store {
    try FileProblem.reading(file) { Store(try JSONDecoder().decode(Snapshot.self, from: $0)) }
  }
}
