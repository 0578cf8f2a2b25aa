internal import Signals

extension StoreFile {
  /// Writes all objects to a new file at another path, and returns when it is on the device.
  ///
  /// The new file is complete and independent of this one, whatever state this one is in: after an
  /// error of the device, it can be on another device. The store goes on to be kept in this file.
  ///
  /// ```swift
  /// try file.save(to: "/mnt/backup/todos.store")
  /// ```
  ///
  /// It blocks the thread. Traps where `Store.snapshot()` does, inside a transaction.
  ///
  /// - Parameter path: The path of a directory without a store, which is made if it is missing. The
  ///   directory that contains it must exist.
  /// - Throws: ``StoreFileError``, and ``StoreFileError/exists(path:)`` if there is a store at the
  ///   path. After ``StoreFileError/valueRefused(className:property:reason:)`` the new file has all
  ///   other values.
  /// - Complexity: O(objects).
  public func save(to path: String) throws(StoreFileError) {
    try save(to: path, files: POSIXFileSystem())
  }

  /// Writes all objects to a new file with other calls than those of the operating system.
  ///
  /// - Parameters:
  ///   - path: The path of a directory.
  ///   - files: The calls.
  package func save(to path: String, files: any FileSystem) throws(StoreFileError) {
    // A copy, since encoding a value may run code of the app that changes the store.
    let copy = Store(store.snapshot())
    let keeper = try StoreFileKeeper(
      at: path, interval: .zero, smallestTail: .max, limits: SizeLimits(), files: files)
    guard try keeper.isEmpty() else { throw .exists(path: path) }
    try keeper.replaceEntries(by: recorder.completeEntry(of: copy, for: keeper).writer.bytes)
    if let refused = keeper.problems.problem(.value) { throw refused }
  }
}
