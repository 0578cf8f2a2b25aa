// How a host's log is kept.
//
// State: `log`, what was asked for; `open`, the entry to which belongs what is committed now; `isInIntent`, whether
// what that is of is still running; `running`, when the asynchronous intents under way began, by number, of which
// `last` is the latest.
//
// Order of events: an intent begins, or something is committed by nobody known, and an entry is opened. What is
// committed from then on belongs to it, until the intent has returned and the turn is over: effects and observers
// have run, hosts have made their frames. Then the frame is looked at and the entry closed. In a batch, what comes
// after an intent has returned opens the next entry, of the same turn; what follows in the end belongs to the last.

/// What an intent is called in the log.
struct IntentCall {
  var kind: IntentLog.Kind
  let name: String
  let element: String?
  let place: [Int]?
  let input: ElementInput?

  init(
    _ kind: IntentLog.Kind, _ name: String, element: String? = nil, place: [Int]? = nil,
    input: ElementInput? = nil
  ) {
    (self.kind, self.name) = (kind, name)
    (self.element, self.place, self.input) = (element, place, input)
  }

  /// Whether whoever does the log again has to make its commits: no intent would be there to make them.
  var needsCommits: Bool {
    switch kind {
    case .intent: input == nil
    case .commit, .end: true
    case .beginning, .focus: false
    }
  }
}

/// Keeps the log of one host.
final class IntentRecorder {
  private struct OpenEntry {
    let call: IntentCall
    let start: ContinuousClock.Instant
    let isSameTurn: Bool
    var commits: [(commit: IntentLog.Commit, isCause: Bool)] = []
    var error: String?
    /// Asynchronous intents that ended in it, with what they threw.
    var endings: [(call: IntentCall, error: String?)] = []
  }

  var log: IntentLog
  private unowned let host: ViewHost
  private var open: OpenEntry?
  private var isInIntent = false
  private var running: [Int: ContinuousClock.Instant] = [:]
  private(set) var last = 0
  private var witness: CommitWitness?
  private let turnEnd = QueuedWatcher(.afterwards, name: "an intent log")
  private let clock = ContinuousClock()
  /// The asynchronous intents that a replay lets begin and end, which do nothing by themselves.
  var replayed: [Int: ReplayedIntent]?

  init(_ log: IntentLog, _ host: ViewHost) {
    self.log = log
    self.host = host
    turnEnd.perform = { [unowned self] in if !isInIntent { close(isShown: true) } }
    resume()
  }

  /// Goes on taking note of commits.
  func resume() {
    witness = host.store.commitObservers.addWitness { [unowned self] in note($0, $1) }
  }

  /// Takes no note of commits for a while.
  func pause() { witness = nil }

  // MARK: - Synchronous intents

  /// Runs what a call is of and makes an entry of it, unless it is a part of something else.
  func record(_ call: IntentCall, _ body: () throws -> Void) rethrows {
    if isPartOfSomething { return try body() }
    begin(call)
    isInIntent = true
    defer {
      isInIntent = false
      // In a batch, or where a renderer asks for it, there is more to come.
      if Turn.isUnderWay { turnEnd.enqueue() } else { close(isShown: true) }
    }
    do { try body() } catch {
      open?.error = "\(error)"
      throw error
    }
  }

  private var isPartOfSomething: Bool {
    if isInIntent || Callback.isUnderWay || host.store.transaction != nil { return true }
    return unsafe open != nil && Turn.current.pointee.isFlushing
  }

  // MARK: - Commits

  /// A commit is sealed, of the intent that runs or of nobody known.
  private func note(_ changes: ChangeSet, _ kind: CommitKind) {
    let turn = unsafe Turn.current
    let isFollowUp = unsafe turn.pointee.isFlushing && !turn.pointee.isDeliveringCommit
    let isKnown = isInIntent || (open != nil && (isFollowUp || continuesCommits))
    if !isKnown {
      // What an observer of commits brings follows a frame.
      begin(IntentCall(.commit, "commit"), after: unsafe turn.pointee.isDeliveringCommit)
      turnEnd.enqueue()
    }
    let commit = IntentLog.Commit(changes: changes, kind: IntentLog.Commit.Kind(kind))
    open?.commits.append((commit, !isKnown || !isFollowUp))
  }

  /// Whether the open entry is of commits that nobody known makes, and more of them come in one batch.
  private var continuesCommits: Bool {
    unsafe open?.call.kind == .commit && !Turn.current.pointee.isDeliveringCommit
  }

  // MARK: - Entries

  private func begin(_ call: IntentCall, after isShown: Bool = false) {
    let isSameTurn = open != nil && !isShown
    close(isShown: isShown)
    open = OpenEntry(call: call, start: clock.now, isSameTurn: isSameTurn)
  }

  /// Makes an entry of what is open; `isShown` says that its frame is on screen.
  func close(isShown: Bool) {
    guard let open = open.take() else { return }
    var entry = IntentLog.Entry(open.call)
    entry.isSameTurn = open.isSameTurn
    entry.changes = ChangeSet.sum(of: open.commits.map(\.commit.changes))
    if open.call.needsCommits { entry.commits = open.commits.filter(\.isCause).map(\.commit) }
    entry.error = open.error
    entry.duration = clock.now - (begun(open.call.kind) ?? open.start)
    if isShown, let lines = FrameLines(of: host) {
      (entry.frame, entry.rows) = (lines.number, lines.rows)
      if log.keepsScreens { entry.screen = lines.text }
    }
    for ending in open.endings {
      // The frame is that of both.
      var last = IntentLog.Entry(ending.call)
      (last.isSameTurn, last.error) = (true, ending.error)
      (last.frame, last.rows, last.screen) = (entry.frame, entry.rows, entry.screen)
      (entry.frame, entry.rows, entry.screen) = (nil, nil, nil)
      log.entries.append(entry)
      entry = last
    }
    log.entries.append(entry)
  }

  /// When the asynchronous intent began whose end an entry is of.
  private func begun(_ kind: IntentLog.Kind) -> ContinuousClock.Instant? {
    if case .end(let number) = kind { running.removeValue(forKey: number) } else { nil }
  }

  // MARK: - Asynchronous intents

  /// Lets an asynchronous intent begin by `body`; the answer goes to `end`.
  func begin(_ call: IntentCall, _ body: () -> Void) -> Int {
    // A log that was made by hand may have any number.
    last &+= 1
    running[last] = clock.now
    var call = call
    call.kind = .beginning(last)
    record(call, body)
    return last
  }

  /// Lets one end by `body`, with what it threw.
  func end(_ number: Int, _ call: IntentCall, _ error: (any Error)?, _ body: () -> Void) {
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

  /// Makes the next asynchronous intent the one of a number, as a log has it.
  func number(next number: Int) { last = number &- 1 }

  /// Adds entries that another recorder of the host has made, with numbers of asynchronous intents that are free here.
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

extension IntentLog.Entry {
  init(_ call: IntentCall) {
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
  /// What the host was asked to do since this was set; nil, as it is at first, keeps no log and costs nothing.
  ///
  /// Set it to a new log to begin, and to nil to end. Setting it while one is kept goes on with what it is set to:
  /// asynchronous intents under way end there. While there is one each commit is described as a ``ChangeSet``, and each
  /// entry costs O(elements on screen), for the number of its frame, and O(rows) up to the last row of a ``ForEach`` that
  /// a renderer has asked for, where it has not asked for all.
  public var intentLog: IntentLog? {
    get { recorder?.log }
    set {
      if let recorder, let newValue {
        recorder.log = newValue
      } else {
        recorder = newValue.map { IntentRecorder($0, self) }
      }
    }
  }
}
