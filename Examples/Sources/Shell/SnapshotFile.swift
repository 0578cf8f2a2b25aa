package import Foundation
package import Signals

/// A file that always has the last snapshot of a store: whoever is killed goes on from there.
///
/// State: `problem`, why the last one is not in the file; `keeping`, while commits are followed.
package final class SnapshotFile {
  /// What went wrong when the last snapshot was written; a read is a dependency.
  @Signal package private(set) var problem: String? = nil
  private let file: URL
  private let store: Store
  private var keeping: (any Cancellable)?

  /// Writes each commit of a store into a file.
  package init(_ file: URL, of store: Store) {
    (self.file, self.store) = (file, store)
    keeping = store.commits.sink { [unowned self] _ in write() }
  }

  /// Writes what is there now.
  package func write() {
    do {
      try JSONEncoder().encode(store.snapshot()).write(to: file, options: .atomic)
      problem = nil
    } catch { problem = "not kept: \(file.path()): \(error)" }
  }

  /// The store of the last snapshot in a file.
  ///
  /// Throws what reading and decoding it do.
  package static func read(_ file: URL) throws -> Store {
    Store(try JSONDecoder().decode(Snapshot.self, from: Data(contentsOf: file)))
  }
}
