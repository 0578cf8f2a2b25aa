// Records the log of a host.
//
// State: `log`, the entries so far; `open`, the entry that commits now belong to; `isInIntent`,
// whether the intent of that entry is still running; `running`, the start of each asynchronous
// intent under way, by number; `last`, the latest of these numbers. Only the host's isolation
// touches them.
//
// Order of events: an intent begins, or a commit is made that no known intent made, and an entry is
// opened. Later commits belong to it until the intent has returned and the turn is over: effects
// and observers have run, and hosts have made their frames. Then the frame is described and the
// entry closed. In a batch, an event after the intent has returned opens the next entry of the same
// turn. Changes that follow at the end of the batch belong to the last entry.

/// The name of an intent in the log.
struct LogEntryHeader {
  var kind: IntentLog.Kind
  let name: String
  let element: String?
  let place: [Int]?
  let input: ElementInput?

  init(
    _ kind: IntentLog.Kind, named name: String, element: String? = nil, place: [Int]? = nil,
    input: ElementInput? = nil
  ) {
    (self.kind, self.name) = (kind, name)
    (self.element, self.place, self.input) = (element, place, input)
  }

  /// Whether a replay has to apply the commits, because no intent makes them again.
  var needsCommits: Bool {
    switch kind {
    case .intent: input == nil
    case .commit, .end: true
    case .beginning, .focus: false
    }
  }
}

/// Records the log of one host.
final class IntentRecorder {
  private struct OpenEntry {
    let call: LogEntryHeader
    let start: ContinuousClock.Instant
    let isSameBatch: Bool
    var commits: [(commit: IntentLog.Commit, isCause: Bool)] = []
    var error: String?
    /// Asynchronous intents that ended during the entry, with their errors.
    var endings: [(call: LogEntryHeader, error: String?)] = []
  }

  var log: IntentLog
  private unowned let host: ViewHost
  private var open: OpenEntry?
  private var isInIntent = false
  private var running: [Int: ContinuousClock.Instant] = [:]
  private(set) var last = 0
  private var commitObserver: SynchronousCommitObserver?
  private let turnEnd = PhaseObserver(.afterwards, name: "an intent log")
  private let clock = ContinuousClock()
  /// The functions that end the asynchronous intents which a replay has begun, by number; nil if
  /// this recorder isn't a replay's.
  var replayed: [Int: ((any Error)?) -> Void]?

  init(_ log: IntentLog, host: ViewHost) {
    self.log = log
    self.host = host
    turnEnd.perform = { [unowned self] in if !isInIntent { close(isShown: true) } }
    resume()
  }

  /// Starts recording commits, or resumes it.
  func resume() {
    commitObserver = host.store.commitObservers.addSynchronousObserver { [unowned self] in
      note($0, kind: $1)
    }
  }

  /// Stops recording commits until `resume()`.
  func pause() { commitObserver = nil }

  // MARK: - Synchronous intents

  /// Runs an intent and records an entry for it, unless it is part of another intent, a callback or
  /// a transaction.
  func record(_ call: LogEntryHeader, _ body: () throws -> Void) rethrows {
    if isPartOfSomething { return try body() }
    begin(call)
    isInIntent = true
    defer {
      isInIntent = false
      // In a batch, or if a renderer performs the intent, more changes follow.
      if Scheduler.isUnderWay { turnEnd.enqueue() } else { close(isShown: true) }
    }
    do { try body() } catch {
      open?.error = "\(error)"
      throw error
    }
  }

  private var isPartOfSomething: Bool {
    if isInIntent || ImplicitTransaction.isUnderWay || host.store.transaction != nil { return true }
    return open != nil && Scheduler.current.pointee.isFlushing
  }

  // MARK: - Commits

  /// Adds a sealed commit to the open entry if it belongs there, or else to a new entry without a
  /// known intent.
  private func note(_ changes: ChangeSet, kind: CommitKind) {
    let isDeliveringCommit = ThreadContext[DeliversCommit.self]
    let isFollowUp = Scheduler.current.pointee.isFlushing && !isDeliveringCommit
    let isKnown = isInIntent || (open != nil && (isFollowUp || continuesCommits))
    if !isKnown {
      // A write by an observer of commits comes after a frame.
      begin(
        LogEntryHeader(.commit, named: "commit"), after: isDeliveringCommit
      )
      turnEnd.enqueue()
    }
    let commit = IntentLog.Commit(changes: changes, kind: IntentLog.Commit.Kind(kind))
    open?.commits.append((commit, !isKnown || !isFollowUp))
  }

  /// Whether the open entry has no known intent and the commit is in the same batch.
  private var continuesCommits: Bool {
    open?.call.kind == .commit && !ThreadContext[DeliversCommit.self]
  }

  // MARK: - Entries

  private func begin(_ call: LogEntryHeader, after isShown: Bool = false) {
    let isSameBatch = open != nil && !isShown
    close(isShown: isShown)
    open = OpenEntry(call: call, start: clock.now, isSameBatch: isSameBatch)
  }

  /// Appends the open entry to the log; `isShown` is whether its frame is on screen.
  func close(isShown: Bool) {
    guard let open = open.take() else { return }
    var entry = IntentLog.Entry(open.call)
    entry.isSameBatch = open.isSameBatch
    entry.changes = ChangeSet.sum(of: open.commits.map(\.commit.changes))
    if open.call.needsCommits { entry.commits = open.commits.filter(\.isCause).map(\.commit) }
    entry.error = open.error
    entry.duration = clock.now - (begun(open.call.kind) ?? open.start)
    if isShown, let lines = FrameDescription(of: host) {
      (entry.frame, entry.rows) = (lines.number, lines.rows)
      if log.keepsScreens { entry.screen = lines.text }
    }
    for ending in open.endings {
      // Both have the same frame. The last entry gets it.
      var last = IntentLog.Entry(ending.call)
      (last.isSameBatch, last.error) = (true, ending.error)
      (last.frame, last.rows, last.screen) = (entry.frame, entry.rows, entry.screen)
      (entry.frame, entry.rows, entry.screen) = (nil, nil, nil)
      log.entries.append(entry)
      entry = last
    }
    log.entries.append(entry)
  }

  /// Removes the asynchronous intent that an entry ends from `running`.
  ///
  /// - Returns: When the intent began; nil for entries that end none.
  private func begun(_ kind: IntentLog.Kind) -> ContinuousClock.Instant? {
    if case .end(let number) = kind { running.removeValue(forKey: number) } else { nil }
  }

  // MARK: - Asynchronous intents

  /// Begins an asynchronous intent by running `body`.
  ///
  /// - Returns: The number of the intent, to be passed to `end`.
  func begin(_ call: LogEntryHeader, _ body: () -> Void) -> Int {
    // Wraps around: a log made by hand may contain any number.
    last &+= 1
    running[last] = clock.now
    var call = call
    call.kind = .beginning(last)
    record(call, body)
    return last
  }

  /// Ends an asynchronous intent by running `body`; `error` is the error of the intent.
  func end(
    _ number: Int, call: LogEntryHeader, error: (any Error)?, _ body: () -> Void
  ) {
    guard running[number] != nil else { return body() }
    var call = call
    call.kind = .end(number)
    if isPartOfSomething {
      running[number] = nil
      open?.endings.append((call, error.map { "\($0)" }))
      return body()
    }
    record(call) {
      open?.error = error.map { "\($0)" }
      body()
    }
  }

  /// Sets the number of the next asynchronous intent, as it is in the replayed log.
  func number(next number: Int) { last = number &- 1 }

  /// Appends the entries of another recorder of the host.
  ///
  /// Their asynchronous intents get unused numbers.
  func add(_ entries: [IntentLog.Entry]) {
    var numbers: [Int: Int] = [:]
    func free(_ number: Int) -> Int {
      if let known = numbers[number] { return known }
      last &+= 1
      numbers[number] = last
      return last
    }
    log.entries += entries.map { entry in
      var entry = entry
      switch entry.kind {
      case .beginning(let number):
        numbers[number] = nil
        entry.kind = .beginning(free(number))
      case .end(let number): entry.kind = .end(free(number))
      case .intent, .commit, .focus: break
      }
      return entry
    }
  }
}

extension IntentRecorder: IntentObserver {
  func perform(_ event: IntentEvent, _ body: () throws -> Void) rethrows {
    try record(header(of: event), body)
  }

  func moveFocus(to id: String?, _ body: () -> Void) {
    record(LogEntryHeader(.focus, named: "focus", element: id), body)
  }

  func begin(_ event: IntentEvent, _ body: () -> Void) -> IntentEnd {
    let call = header(of: event)
    let number = begin(call, body)
    return { [weak self] error, body in
      // A log set since then doesn't have the beginning of this intent.
      guard let self, host.intentObserver === self else { return body() }
      end(number, call: call, error: error, body)
    }
  }

  var holdsAsyncIntents: Bool { replayed != nil }

  func hold(_ end: @escaping ((any Error)?) -> Void) { replayed?[last] = end }

  /// Returns the header of an intent's entry, with its element's place if its id isn't unique.
  private func header(of event: IntentEvent) -> LogEntryHeader {
    LogEntryHeader(
      .intent, named: event.name, element: event.element?.id,
      place: event.element.flatMap(host.place(of:)), input: event.input)
  }
}

extension IntentLog.Entry {
  init(_ call: LogEntryHeader) {
    (kind, name, element) = (call.kind, call.name, call.element)
    (place, input) = (call.place, call.input)
  }
}

extension IntentLog.Commit.Kind {
  init(_ kind: CommitKind) {
    self =
      switch kind {
      case .undoable: .undoable
      case .notUndoable: .notUndoable
      case .undo: .undo
      case .redo: .redo
      }
  }
}

extension ViewHost {
  /// The recorder of the host's log.
  var recorder: IntentRecorder? {
    get { intentObserver as? IntentRecorder }
    set { intentObserver = newValue }
  }

  /// The log of the host since this property was set; nil by default, which costs nothing.
  ///
  /// Set it to a new log to start recording, and to nil to stop. Setting it to a log while
  /// recording continues in that log, where asynchronous intents under way also end.
  ///
  /// While recording, each commit is described as a ``ChangeSet``. Each entry costs O(elements on
  /// screen) for the hash of its frame. For a ``ForEach`` whose rows renderers have asked for only
  /// in part, it costs O(rows) up to the last of these rows.
  public var intentLog: IntentLog? {
    get { recorder?.log }
    set {
      if let recorder, let newValue {
        recorder.log = newValue
      } else {
        recorder = newValue.map { IntentRecorder($0, host: self) }
      }
    }
  }
}
