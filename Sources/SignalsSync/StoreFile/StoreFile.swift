// All mutable state is in the recorder, which the store retains, and in `StoreFileKeeper`.
//
// Order of events: opening reads the checkpoint and the entries after it, creates the objects, runs
// the migrations, and starts to record. If the classes differ from those that the file describes,
// opening first writes a checkpoint, so that no entry depends on two descriptions of a class. From
// then on, each commit is appended to the log as an entry.

public import Signals

/// A store that is saved in a file.
///
/// Each commit is appended to the file, at a cost proportional to the change.
///
/// ```swift
/// let file = try StoreFile(at: "todos.store")
/// let list = try file.store.first(orAdd: TodoList())
/// list.add("buy milk")                       // in the file within 50 milliseconds
/// try file.write { list.add("pay rent") }    // durable when it returns
/// ```
///
/// - The file has the contents of a `Snapshot`: all objects, with their ids, links, lists and
///   order, and the view state saved by `@Restored`.
/// - After a crash of the process or the machine, the file contains all commits except those of the
///   last interval at most, and never a part of a commit.
/// - From time to time, the entries are merged into a checkpoint, in the background and without
///   access to the store.
/// - Classes may have changed since the file was written, by the same rules as for a `Snapshot`.
/// - The store keeps the file open and records its commits as long as the store exists, even if
///   this object is released.
/// - One process at a time can open the file.
///
/// The file is a directory. It belongs to the isolation domain of its store.
public final class StoreFile {
  /// The store.
  public let store: Store
  private let keeper: StoreFileKeeper
  let recorder: CommitRecorder

  /// Opens the store of a file, or creates an empty store in a new file.
  ///
  /// Properties and classes that the app lacks belong to another version of it, and their values
  /// stay in the file. If the file has an older version than `version`, the migrations between the
  /// two run, and the values of properties and classes that the app lacks are dropped.
  ///
  /// ```swift
  /// let file = try StoreFile(
  ///   at: "notes.store", version: 2,
  ///   migrations: [
  ///     2: { migration in
  ///       for note in migration.objects(Note.self) {
  ///         note.due = try migration.old(note)?.value("due", as: Date?.self) ?? .distantFuture
  ///       }
  ///     }
  ///   ])
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of a directory, which is created if it is missing. The directory that
  ///     contains it must exist.
  ///   - interval: The longest time until a commit is durable.
  ///   - undoLimit: The number of undo steps of the store.
  ///   - coalescing: The commits of the store that share an undo step.
  ///   - renamedClasses: The classes that were renamed or moved, by their former names.
  ///   - version: The version of the app's classes. Increase it with each change that needs a
  ///     migration.
  ///   - migrations: The migrations, by the version to which each leads. See ``Migration``.
  /// - Throws: ``StoreFileError``. The file isn't changed.
  /// - Complexity: O(bytes of the file).
  public convenience init(
    at path: String, interval: Duration = .milliseconds(50), undoLimit: Int = 100,
    coalescing: Coalescing = .never, renamedClasses: [String: Object.Type] = [:],
    version: Int = 0, migrations: [Int: (Migration) throws -> Void] = [:]
  ) throws(StoreFileError) {
    try self.init(
      at: path, interval: interval, undoLimit: undoLimit, coalescing: coalescing,
      renamedClasses: renamedClasses, version: version, migrations: migrations,
      smallestTail: 1 << 20, files: POSIXFileSystem())
  }

  /// Opens the store of a file through replaceable calls of the operating system.
  ///
  /// A checkpoint is written when the entries have `smallestTail` bytes, or more.
  package init(
    at path: String, interval: Duration, undoLimit: Int = 100, coalescing: Coalescing = .never,
    renamedClasses: [String: Object.Type] = [:], version: Int = 0,
    migrations: [Int: (Migration) throws -> Void] = [:], smallestTail: Int,
    limits: SizeLimits = SizeLimits(), files: any FileSystem
  ) throws(StoreFileError) {
    Self.check(version, migrations: migrations)
    let keeper = try StoreFileKeeper(
      at: path, interval: interval, smallestTail: smallestTail, limits: limits, files: files)
    let contents = try keeper.contents()
    let isNew = contents.classes.isEmpty && contents.appVersion == 0
    let fileVersion = isNew ? version : contents.appVersion
    if fileVersion > version { throw .laterVersion(file: fileVersion, app: version) }
    var filling = try ContentsFilling(
      contents, at: path, renamed: renamedClasses, isMigrating: fileVersion < version,
      into: StoreFilling(undoLimit: undoLimit, coalescing: coalescing))
    try filling.run()
    for step in migrations.keys.sorted() where step > fileVersion {
      try filling.migrate(to: step, migrations[step])
    }
    let store = try filling.finish()
    let writer: EntryWriter
    if filling.isChanged || contents.appVersion != version {
      writer = EntryWriter(carried: filling.carried)
      writer.writeAll(of: store, version: version)
      try keeper.replaceEntries(by: writer.writer.bytes)
      keeper.problems.note(writer.refusal, .value)
      writer.begin()
    } else {
      writer = EntryWriter(after: contents, carried: filling.carried)
    }
    let recorder = CommitRecorder(store, version: version, writer: writer, to: keeper)
    store.startCapture(recorder)
    (self.store, self.keeper, self.recorder) = (store, keeper, recorder)
  }

  /// Checks that each migration leads to a version between 1 and the version of the app.
  private static func check(_ version: Int, migrations: [Int: (Migration) throws -> Void]) {
    if version < 0 { trap("a version of classes is negative: \(version)") }
    for step in migrations.keys.sorted() where step < 1 || step > version {
      trap("a migration to version \(step) never runs: the versions are 1 to \(version)")
    }
  }

  /// Runs a transaction of the store, and waits until it and all earlier commits are durable.
  ///
  /// Blocks the calling thread.
  ///
  /// Inside another transaction, including an intent, an effect and an observer, the call is a
  /// savepoint. Its writes are part of the outermost commit, which is durable when the actions of
  /// `store.afterCommit` have run. This method has returned by then, so ``problem`` has the error
  /// if the commit can't be written.
  ///
  /// ```swift
  /// Button("Pay", id: "pay") { try file.write { order.isPaid = true } }
  /// ```
  ///
  /// - Parameters:
  ///   - label: The name of the undo step.
  ///   - origin: The origin of the commit.
  ///   - undoable: Whether the commit can be undone.
  ///   - body: The writes.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `Store.write(label:origin:undoable:_:)`, after which nothing has
  ///   changed, and the errors of ``blockingFlush()``, after which the store has the commit, and
  ///   the commit is written as soon as possible.
  @discardableResult
  public func write<Result>(
    label: String? = nil, origin: Origin? = nil, undoable: Bool = true,
    _ body: () throws -> Result
  ) throws -> Result {
    if store.isIdle {
      let result = try store.write(label: label, origin: origin, undoable: undoable, body)
      try blockingFlush()
      return result
    }
    return try store.write(label: label, origin: origin, undoable: undoable) {
      // The action is removed with the savepoint if `body` throws. An error also sets `problem`.
      store.afterCommit { [self] in try? blockingFlush() }
      return try body()
    }
  }

  /// Waits until all commits are durable, without blocking a thread.
  ///
  /// The writes of an open transaction, and commits that are made during the call, aren't included.
  ///
  /// After an error of the device, its content of this file is unknown. All objects are then
  /// written to another file, which replaces this one. Writing them blocks the calling thread.
  ///
  /// - Throws: ``StoreFileError`` if some commits aren't durable. If the device is full, they stay in
  ///   memory and are written when there is space. After another error, the next flush or commit
  ///   tries again. ``StoreFileError/valueRefused(_:reason:)`` if a value can't be encoded, until a
  ///   commit replaces it. All other values are durable then.
  public func flush() async throws(StoreFileError) {
    var failure: StoreFileError?
    do throws(StoreFileError) { try await keeper.flushEntriesLater() } catch { failure = error }
    try catchUp(after: failure)
  }

  /// Waits until all commits are durable, and blocks the calling thread.
  ///
  /// The writes of an open transaction aren't included. Use ``flush()`` in asynchronous code.
  ///
  /// - Throws: The errors of ``flush()``.
  public func blockingFlush() throws(StoreFileError) {
    var failure: StoreFileError?
    do throws(StoreFileError) { try keeper.flushEntries() } catch { failure = error }
    try catchUp(after: failure)
  }

  /// Writes another file if this one lacks a commit or its device has failed.
  ///
  /// - Throws: `failure` if the device works, or the error that keeps commits out of the file.
  private func catchUp(after failure: StoreFileError?) throws(StoreFileError) {
    if let failure, !keeper.hasFailed { throw failure }
    recorder.catchUpIfBehind()
    try keeper.checkMissing()
  }

  /// The error that keeps recent commits out of the file or keeps the file from being compacted, or
  /// `nil` if there is none.
  public var problem: StoreFileError? { keeper.problems.current }

  /// A stream of the values of ``problem``, beginning with the present one.
  ///
  /// A slow reader gets only the latest value.
  public var problems: AsyncStream<StoreFileError?> { keeper.problems.stream() }

  /// Closes the file after all commits are durable.
  ///
  /// Later commits of the store aren't saved. Traps inside a transaction.
  ///
  /// - Throws: ``StoreFileError`` if some commits couldn't be written. If the device is full, the
  ///   file stays open. ``StoreFileError/valueRefused(_:reason:)`` if a value can't be encoded. The
  ///   file has all other values then, and is closed.
  public func close() async throws(StoreFileError) {
    recorder.catchUpIfBehind()
    do throws(StoreFileError) {
      try await keeper.close()
    } catch {
      if case .noSpace = error { throw error }
      store.stopCapture(recorder)
      throw error
    }
    store.stopCapture(recorder)
  }
}
