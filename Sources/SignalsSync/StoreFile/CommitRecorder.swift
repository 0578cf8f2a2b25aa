// Writing each commit of a store as an entry of its file.
//
// All state belongs to the isolation domain of the store, which retains the recorder and calls it.
//
// Order of events: while the store seals a commit, it passes each changed object to the recorder.
// Then it calls `didCommit`, which passes the entry to the file. If the file refuses an entry, it
// can't accept a later one either. As soon as the file is writable again, the recorder replaces its
// contents by the objects of the store, at the end of a commit. After each failed attempt, twice as
// many commits pass before the next one. Values are encoded only where a write to the store traps.

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

  /// Creates a recorder that continues an existing file.
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
    // The entry is empty if the only changed value can't be encoded.
    let isRefused = writer.hasOperations && !keeper.accept(writer.writer.bytes)
    if writer.hasNewRefusals { keeper.problems.note(writer.refusal, .value) }
    writer.begin()
    if !isRefused { return }
    attempts.next -= 1
    if attempts.next < 0, keeper.canReplace { catchUp() }
  }

  /// Replaces the contents of the file by the objects of the store, if the file lacks a commit.
  ///
  /// Does nothing inside a transaction, which may be rolled back.
  func catchUpIfBehind() {
    if keeper.isBehind, store?.isIdle == true { catchUp() }
  }

  private func catchUp() {
    guard let store, store.isWhole else { return }
    attempts = (attempts.pause, 2 * attempts.pause)
    let new = completeEntry(of: store)
    guard keeper.replace(by: new.writer.bytes) else { return }
    attempts = (0, 1)
    keeper.problems.note(new.refusal, .value)
    writer = new
    new.begin()
    for receiver in receivers { receiver.recorded = new.recorded(receiver.schema) }
  }

  /// Returns a writer whose entry has all objects of the store, and the values and objects that the
  /// file carries for other versions of the app.
  ///
  /// - Complexity: O(objects).
  func completeEntry(of store: Store) -> EntryWriter {
    let writer = EntryWriter(carried: writer.carried)
    store.withoutWrites { writer.writeAll(of: store, version: version) }
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
