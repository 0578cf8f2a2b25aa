// How a host's log is kept.
//
// State: `log`, what was asked for; `current`, the changes of the synchronous intent that runs, if one does;
// `running`, the asynchronous ones under way, by the host's number for them.
//
// Order of events: an intent begins; its commits are delivered, after everything else that they set off, before the
// intent returns; then its entry is made. An asynchronous one has its entry when it begins.

/// What an intent is called in the log.
struct IntentCall {
  let name: String
  let element: String?
  let input: ElementInput?
}

/// Keeps the log of one host.
final class IntentRecorder {
  private typealias Running = (entry: Int, start: ContinuousClock.Instant)

  private(set) var log: IntentLog
  private var current: ChangeSet?
  private var running: [Int: Running] = [:]
  private var token: (any Cancellable)?
  private let clock = ContinuousClock()

  init(_ log: IntentLog, _ store: Store) {
    self.log = log
    token = store.commits.sink { [unowned self] in note($0) }
  }

  /// Runs a synchronous intent and makes its entry, unless it is a part of something else.
  func record(_ call: IntentCall, on host: ViewHost, _ body: () throws -> Void) throws {
    let isInBatch = unsafe Turn.current.pointee.depth > 0
    if current != nil || isInBatch || Callback.isUnderWay || host.store.transaction != nil {
      return try body()
    }
    current = ChangeSet()
    let start = clock.now
    do { try body() } catch {
      end(call, start, "\(error)")
      throw error
    }
    end(call, start, nil)
  }

  private func end(_ call: IntentCall, _ start: ContinuousClock.Instant, _ error: String?) {
    var entry = IntentLog.Entry(call)
    entry.changes = current.take() ?? ChangeSet()
    entry.error = error
    entry.duration = clock.now - start
    log.entries.append(entry)
  }

  /// A commit, of the intent that runs or of nobody known.
  private func note(_ change: ChangeSet) {
    if let known = current {
      current = known.merging(change)
    } else if running.count == 1, let entry = running.first?.value.entry,
      entry == log.entries.count - 1
    {
      log.entries[entry].changes = log.entries[entry].changes.merging(change)
    } else {
      var entry = IntentLog.Entry(IntentCall(name: "commit", element: nil, input: nil))
      entry.changes = change
      log.entries.append(entry)
    }
  }

  /// An asynchronous intent begins.
  func begin(_ number: Int, _ call: IntentCall) {
    running[number] = (log.entries.count, clock.now)
    var entry = IntentLog.Entry(call)
    entry.isAsync = true
    log.entries.append(entry)
  }

  /// An asynchronous intent has ended.
  func end(_ number: Int, _ error: (any Error)?) {
    guard let ended = running.removeValue(forKey: number) else { return }
    log.entries[ended.entry].duration = clock.now - ended.start
    log.entries[ended.entry].error = error.map { "\($0)" }
  }
}

extension IntentLog.Entry {
  init(_ call: IntentCall) {
    name = call.name
    element = call.element
    input = call.input
  }
}

extension ViewHost {
  /// What the host was asked to do since this was set; nil, as it is at first, keeps no log and costs nothing.
  ///
  /// Set it to a new log to begin, and to nil to end. While there is one each commit is described as a ``ChangeSet``.
  public var intentLog: IntentLog? {
    get { recorder?.log }
    set { recorder = newValue.map { IntentRecorder($0, store) } }
  }
}
