// A store that is kept in a file.
//
// State: none that changes; the recorder, which the store retains, and `StoreFileKeeper` have it.
//
// Order of events: opening reads the checkpoint and the entries after it, makes the objects, runs
// the migrations, and begins to record. If the classes aren't those that the file describes, it
// first writes a checkpoint, so that an entry never depends on two descriptions of a class. Each
// commit is then handed to the log as an entry.

public import Signals

/// A store that lives in a file: each commit is added to the file, which costs what changed.
///
/// ```swift
/// let file = try StoreFile(at: "todos.store")
/// let list = try file.store.first(orAdd: TodoList())
/// list.add("buy milk")                       // in the file within 50 milliseconds
/// try file.write { list.add("pay rent") }    // on the device when it returns
/// ```
///
/// - The file has what a `Snapshot` has: all objects, with their ids, links, lists and order, and
///   the view state kept by `@Restored`.
/// - After a crash at any time, of the process or the machine, it has the commits up to one of the
///   last, each as a whole: all that were on the device, which is at the latest one interval ago.
/// - From time to time the entries are joined to a checkpoint, in the background and without the
///   store.
/// - Classes may have changed since the file was written, by the same rules as for a `Snapshot`.
/// - The store keeps the file open, and the commits go on to be recorded, for as long as it exists,
///   with or without this object.
/// - One process at a time can have the file open.
///
/// The file is a directory. It belongs to the isolation domain of its store.
public final class StoreFile {
  /// The store.
  public let store: Store
  private let keeper: StoreFileKeeper
  let recorder: CommitRecorder

  /// Opens the store that is in a file, or an empty one in a new file.
  ///
  /// Properties and classes that the app lacks belong to another version of it: their values are
  /// kept in the file. If the file has an older version than `version`, the migrations between them
  /// run, and what the classes no longer have is dropped.
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
  ///   - path: The path of a directory, which is made if it is missing. The directory that contains
  ///     it must exist.
  ///   - interval: The longest time that a commit takes to get to the device.
  ///   - undoLimit: The number of undo steps of the store.
  ///   - coalescing: The commits of the store that share an undo step.
  ///   - renamedClasses: The present classes of those that were renamed or moved, by their former
  ///     names.
  ///   - version: The version of the app's classes. Increase it with each change that needs a
  ///     migration.
  ///   - migrations: The migrations, by the version to which each leads. See ``Migration``.
  /// - Throws: ``StoreFileError``. The file is left as it is.
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

  /// Opens the store in a file with other calls than those of the operating system.
  ///
  /// - Parameters:
  ///   - path: The path of a directory.
  ///   - interval: The longest time that a commit takes to get to the device.
  ///   - undoLimit: The number of undo steps of the store.
  ///   - coalescing: The commits of the store that share an undo step.
  ///   - renamedClasses: The present classes of those that were renamed or moved.
  ///   - version: The version of the app's classes.
  ///   - migrations: The migrations, by the version to which each leads.
  ///   - smallestTail: The bytes of entries that are worth a checkpoint.
  ///   - limits: The largest sizes of an entry and a checkpoint.
  ///   - files: The calls.
  package init(
    at path: String, interval: Duration, undoLimit: Int = 100, coalescing: Coalescing = .never,
    renamedClasses: [String: Object.Type] = [:], version: Int = 0,
    migrations: [Int: (Migration) throws -> Void] = [:], smallestTail: Int,
    limits: SizeLimits = SizeLimits(), files: any FileSystem
  ) throws(StoreFileError) {
    Self.check(version, migrations)
    let keeper = try StoreFileKeeper(
      at: path, interval: interval, smallestTail: smallestTail, limits: limits, files: files)
    let contents = try keeper.contents()
    let isNew = contents.classes.isEmpty && contents.appVersion == 0
    let fileVersion = isNew ? version : contents.appVersion
    if fileVersion > version { throw .laterVersion(file: fileVersion, app: version) }
    var filling = try ContentsFilling(
      contents, renamed: renamedClasses, isMigrating: fileVersion < version,
      into: StoreFilling(undoLimit: undoLimit, coalescing: coalescing))
    try filling.run()
    for step in migrations.keys.sorted() where step > fileVersion {
      try filling.migrate(to: step, migrations[step])
    }
    let store = try filling.finish()
    let note = { [weak keeper] (problem: StoreFileError?) in keeper?.note(problem) ?? () }
    let writer: EntryWriter
    if filling.isChanged || contents.appVersion != version {
      writer = EntryWriter(carried: filling.carried, note: note)
      writer.writeAll(of: store, version: version)
      try keeper.replaceEntries(by: writer.writer.bytes)
      writer.begin()
    } else {
      writer = EntryWriter(after: contents, carried: filling.carried, note: note)
    }
    let recorder = CommitRecorder(store, version: version, writer, to: keeper)
    store.startCapture(recorder)
    (self.store, self.keeper, self.recorder) = (store, keeper, recorder)
  }

  /// Checks that each migration leads to a version that a file can get.
  private static func check(_ version: Int, _ migrations: [Int: (Migration) throws -> Void]) {
    if version < 0 { trap("a version of classes is negative: \(version)") }
    for step in migrations.keys.sorted() where step < 1 || step > version {
      trap("a migration to version \(step) never runs: the versions are 1 to \(version)")
    }
  }

  /// Runs a transaction of the store, and returns when it is on the device, as are all commits
  /// before it.
  ///
  /// It blocks the thread for as long as the device takes.
  ///
  /// Inside another transaction, and in an intent, an effect or an observer, which is one, it is a
  /// savepoint: its writes are part of the outermost commit, and that is on the device when the
  /// actions of `store.afterCommit` have run. If it can't be written, ``problem`` says why, since
  /// this method has returned by then.
  ///
  /// ```swift
  /// Button("Pay", id: "pay") { try file.write { order.isPaid = true } }
  /// ```
  ///
  /// - Parameters:
  ///   - label: The name of the undo step.
  ///   - origin: What has made the commit.
  ///   - undoable: Whether the commit can be undone.
  ///   - body: The writes.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `Store.write(label:origin:undoable:_:)`, after which nothing has
  ///   changed; and those of ``blockingFlush()``, after which the store has the commit, and the
  ///   device gets it as soon as that is possible.
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
      // Dropped with the savepoint if `body` throws. An error is also a problem.
      store.afterCommit { [self] in try? blockingFlush() }
      return try body()
    }
  }

  /// Returns when all commits are on the device, without blocking a thread meanwhile.
  ///
  /// The writes of a transaction that is open aren't a commit yet. Commits that are made while it
  /// waits may not be on the device.
  ///
  /// After an error of the device, all objects are written to another file, which then takes the
  /// place of this one: what the device has of this one isn't known. Writing them blocks the thread.
  ///
  /// - Throws: ``StoreFileError/log(_:)``. Some commits aren't on the device then. If it is full
  ///   they stay in memory, and get there when there is space. After another error the next flush
  ///   or commit tries again.
  public func flush() async throws(StoreFileError) {
    var failure: StoreFileError?
    do throws(StoreFileError) { try await keeper.flushEntriesLater() } catch { failure = error }
    try catchUp(after: failure)
  }

  /// Blocks the thread until all commits are on the device, where code can't be asynchronous.
  ///
  /// The writes of a transaction that is open aren't a commit yet.
  ///
  /// - Throws: The errors of ``flush()``.
  public func blockingFlush() throws(StoreFileError) {
    var failure: StoreFileError?
    do throws(StoreFileError) { try keeper.flushEntries() } catch { failure = error }
    try catchUp(after: failure)
  }

  /// Writes another file if this one lacks a commit or its device has failed.
  private func catchUp(after failure: StoreFileError?) throws(StoreFileError) {
    if let failure, !keeper.hasFailed { throw failure }
    recorder.catchUpIfBehind()
    try keeper.checkMissing()
  }

  /// Why the file doesn't have all commits that it should have by now, or can't be made smaller, or
  /// `nil` if neither is so.
  public var problem: StoreFileError? { keeper.problems.current }

  /// The values of ``problem``: the present one, then each that follows.
  ///
  /// A reader that is slow gets the last one.
  public var problems: AsyncStream<StoreFileError?> { keeper.problems.stream() }

  /// Closes the file when all commits are on the device.
  ///
  /// Commits that the store makes afterwards aren't kept. Traps inside a transaction.
  ///
  /// - Throws: ``StoreFileError/log(_:)``, if some commits couldn't be written. If the device is
  ///   full the file stays open.
  public func close() async throws(StoreFileError) {
    recorder.catchUpIfBehind()
    do throws(StoreFileError) {
      try await keeper.close()
    } catch {
      if case .log(.noSpace) = error { throw error }
      store.stopCapture(recorder)
      throw error
    }
    store.stopCapture(recorder)
  }
}
