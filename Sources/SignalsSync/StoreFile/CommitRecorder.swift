// Writing each commit of a store as an entry of its file.
//
// All state belongs to the isolation domain of the store, which retains the recorder and calls it.
//
// Order of events: while the store seals a commit, it passes each changed object to the recorder.
// Then it calls `didCommit`, which passes the entry to the file. If the file refuses an entry, it
// can't accept a later one either. As soon as the file is writable again, the recorder replaces its
// contents by the objects of the store, right after a commit. After each failed attempt, twice as
// many commits pass before the next one.

internal import Signals

/// Writes the commits of a store as entries of its file.
final class CommitRecorder: CommitCapture {
  private let keeper: StoreFileKeeper
  private weak var store: Store?
  private let version: Int
  /// The operations of the commit that is being sealed.
  private var writer: EntryWriter
  private var receivers: [ClassRecorder] = []
  /// The number of commits until the next attempt to replace the file, and the number after that
  /// attempt.
  private var attempts = (next: 0, pause: 1)
  /// Replaces the file after a commit, so that values are encoded outside of the commit.
  private lazy var follower = CommitFollower { [weak self] in self?.catchUpIfBehind() }
  /// Whether the objects are being encoded, and whether a commit was made in the meantime.
  private var (isCatchingUp, isOvertaken) = (false, false)

  /// Creates a recorder that continues an existing file.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - version: The version of the app's classes.
  ///   - writer: A writer that continues the file.
  ///   - keeper: The file.
  init(
    _ store: Store, version: Int, writer: EntryWriter, to keeper: StoreFileKeeper
  ) {
    (self.store, self.version, self.writer, self.keeper) = (store, version, writer, keeper)
  }

  func capture(of schema: Schema) -> (any ClassCapture)? {
    let receiver = ClassRecorder(schema, by: self)
    receivers.append(receiver)
    return receiver
  }

  func didCommit(origin: Origin?) {
    if isCatchingUp { isOvertaken = true }
    // The entry is empty if the only changed value can't be encoded.
    if writer.hasOperations, !keeper.accept(writer.writer.bytes) { catchUpSoon() }
    writer.begin()
  }

  private func catchUpSoon() {
    attempts.next -= 1
    if attempts.next < 0, !isCatchingUp, keeper.canReplace, let store {
      follower.follow(in: store)
    }
  }

  /// Replaces the contents of the file by the objects of the store, if the file lacks a commit.
  ///
  /// Does nothing inside a transaction, which may be rolled back.
  func catchUpIfBehind() {
    guard keeper.isBehind, !isCatchingUp, let store, store.isIdle else { return }
    attempts = (attempts.pause, 2 * attempts.pause)
    (isCatchingUp, isOvertaken) = (true, false)
    defer { isCatchingUp = false }
    let new = completeEntry(of: store, for: keeper)
    // Encoding a value may run code of the app that makes a commit. Objects that were encoded
    // before the commit are inconsistent with those encoded after it.
    guard !isOvertaken, keeper.replace(by: new.writer.bytes) else { return }
    attempts = (0, 1)
    new.begin()
    writer = new
    for receiver in receivers { receiver.recorded = new.recorded(receiver.schema) }
  }

  /// Returns a writer whose entry has all objects of a store, and the values and objects that the
  /// file carries for other versions of the app.
  ///
  /// - Parameters:
  ///   - store: The store, or a copy of it.
  ///   - keeper: The file whose first entry it becomes.
  /// - Returns: The writer.
  /// - Complexity: O(objects).
  func completeEntry(of store: Store, for keeper: StoreFileKeeper) -> EntryWriter {
    let writer = EntryWriter(carried: writer.carried) { [keeper] in keeper.note($0) }
    writer.writeAll(of: store, version: version)
    return writer
  }

  /// Passes the changes of one class to the writer.
  private final class ClassRecorder: ClassCapture {
    let schema: Schema
    var recorded: RecordedClass
    private unowned let recorder: CommitRecorder

    init(_ schema: Schema, by recorder: CommitRecorder) {
      (self.schema, self.recorder) = (schema, recorder)
      recorded = recorder.writer.recorded(schema)
    }

    func didInsert(_ object: Object) { recorder.writer.create(object, of: recorded) }

    func didDelete(_ object: Object) { recorder.writer.delete(object) }

    func didWrite(_ object: Object, at offset: Int, old: Any) {
      let number = recorded.properties.firstIndex { $0.property.offset == offset }
      guard let number else { return }
      recorder.writer.change(number, of: object, old: old, as: recorded)
    }
  }
}
