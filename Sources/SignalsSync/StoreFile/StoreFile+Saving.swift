internal import Signals

extension StoreFile {
  /// Writes all objects to a new file at another path, and waits until it is durable.
  ///
  /// The new file is complete and doesn't depend on this one. After an error of the device, it can
  /// be on another device. Later commits of the store are still saved in this file.
  ///
  /// ```swift
  /// try file.save(to: "/mnt/backup/todos.store")
  /// ```
  ///
  /// Blocks the calling thread. Like `Store.snapshot()`, traps inside a transaction.
  ///
  /// - Parameter path: The path of a directory without a store, which is created if it is missing.
  ///   The directory that contains it must exist.
  /// - Throws: ``StoreFileError/exists(path:)`` if there is a store at the path,
  ///   ``StoreFileError/valueRefused(_:reason:)``, after which the new file has
  ///   all other values, and other ``StoreFileError``s if the file can't be written.
  /// - Complexity: O(objects).
  public func save(to path: String) throws(StoreFileError) {
    try save(to: path, files: POSIXFileSystem())
  }

  /// Writes all objects to a new file through replaceable calls of the operating system.
  package func save(to path: String, files: any FileSystem) throws(StoreFileError) {
    if !store.isWhole { trap("a store can't be saved elsewhere inside a transaction") }
    let entry = recorder.completeEntry(of: store)
    let keeper = try StoreFileKeeper(
      at: path, interval: .zero, smallestTail: .max, limits: SizeLimits(), files: files)
    guard try keeper.isEmpty() else { throw .exists(path: path) }
    try keeper.replaceEntries(by: entry.writer.bytes)
    if let refused = entry.refusal { throw refused }
  }
}
