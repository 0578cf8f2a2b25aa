// Records the log of a host.
//
// State: `log`, the entries so far; `open`, the entry that commits now belong to; `isInIntent`,
// whether the intent of that entry is still running; `recorded`, for each event under way, whether
// it has an entry; `running`, the asynchronous intents under way, by their number in the host;
// `last`, the latest of their numbers in the log; `held`, those that a replay holds, by number in
// the log. Only the host's isolation touches them.
//
// Order of events: an intent begins, or a commit is made that no known intent made, and an entry is
// opened. Later commits belong to it until the intent has returned and its consequences have run:
// effects, observers, and the frames of hosts. Then the frame is described and the entry closed. In
// a batch, an event after the intent has returned opens the next entry of the same batch. Changes
// that follow at the end of the batch belong to the last entry.

public import Signals

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
    case .beginning, .focus, .signal: false
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

  private struct RunningIntent {
    /// The header of the entry for the intent's beginning.
    let call: LogEntryHeader
    let number: Int
    let start: ContinuousClock.Instant
  }

  var log: IntentLog
  /// Nil once the host is released, for example while its array of observers is still retained.
  private weak let host: ViewHost?
  private var open: OpenEntry?
  private var isInIntent = false
  private var recorded: [Bool] = []
  private var running: [Int: RunningIntent] = [:]
  private var last = 0
  private var commits: (any Cancellable)?
  private var end: PropagationObserver?
  private let clock = ContinuousClock()
  var held: [Int: HeldIntent] = [:]

  init(_ log: IntentLog, host: ViewHost) {
    self.log = log
    self.host = host
    end = PropagationObserver("an intent log") { [unowned self] in
      if !isInIntent { close(isShown: true) }
    }
    resume()
  }

  /// Starts recording commits, or resumes it.
  func resume() {
    host?.recordAddresses()
    // What was written while nothing was recorded has no entry.
    _ = host?.recordedSignals?.takeChanges()
    commits = host?.store.observeCommits { [unowned self] in note($0) }
  }

  /// Stops recording commits until `resume()`.
  func pause() { commits = nil }

  // MARK: - Commits

  /// Adds a sealed commit to the open entry if it belongs there, or else to a new entry without a
  /// known intent.
  private func note(_ commit: StoreCommit) {
    let isFollowUp = commit.cause == .reaction
    noteSignals()
    let isKnown = isInIntent || (open != nil && (isFollowUp || continuesCommits(commit)))
    if !isKnown {
      // A write by a subscriber of commits comes after a frame.
      begin(LogEntryHeader(.commit, named: "commit"), after: commit.cause == .subscriber)
      end?.request()
    }
    open?.commits.append(
      (IntentLog.Commit(changes: commit.changes, kind: commit.kind), !isKnown || !isFollowUp))
  }

  /// Opens an entry for each recorded signal that was written outside of an intent.
  func noteSignals() {
    guard let changes = host?.recordedSignals?.takeChanges(), !isInIntent else { return }
    for (name, value) in changes {
      begin(LogEntryHeader(.signal, named: name, input: .text(value)))
      end?.request()
    }
  }

  /// Whether the open entry has no known intent and the commit is in the same batch.
  private func continuesCommits(_ commit: StoreCommit) -> Bool {
    open?.call.kind == .commit && commit.cause != .subscriber
  }

  // MARK: - Entries

  /// Opens an entry; `isShown` is whether the frame of the previous one is on screen, and `start` the
  /// beginning of the intent that ends, if it is asynchronous.
  private func begin(
    _ call: LogEntryHeader, after isShown: Bool = false, since start: ContinuousClock.Instant? = nil
  ) {
    let isSameBatch = open != nil && !isShown
    close(isShown: isShown)
    open = OpenEntry(call: call, start: start ?? clock.now, isSameBatch: isSameBatch)
  }

  /// Appends the open entry to the log; `isShown` is whether its frame is on screen.
  func close(isShown: Bool) {
    guard let open = open.take() else { return }
    var entry = IntentLog.Entry(open.call)
    entry.isSameBatch = open.isSameBatch
    entry.changes = ChangeSet.sum(of: open.commits.map(\.commit.changes))
    if open.call.needsCommits { entry.commits = open.commits.filter(\.isCause).map(\.commit) }
    entry.error = open.error
    entry.duration = clock.now - open.start
    if isShown, let host, let lines = FrameDescription(of: host) {
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

  // MARK: - Asynchronous intents

  /// Sets the number of the next asynchronous intent, as it is in the replayed log.
  func number(next number: Int) { last = number &- 1 }

  /// Keeps an intent that has just begun, under its number in the log.
  func hold(_ intent: HeldIntent) {
    if let number = running[intent.number]?.number { held[number] = intent }
  }

  /// Ends the intents without an end in the log, which would stay under way.
  func endHeld() {
    for number in held.keys.sorted() { held.removeValue(forKey: number)?.end() }
  }

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
      case .intent, .commit, .focus, .signal: break
      }
      return entry
    }
  }
}

extension IntentRecorder: IntentObserver {
  func willPerform(_ event: IntentEvent) {
    switch event.kind {
    case .intent: begin(event) { header(of: event) }
    case .focus: begin(event) { LogEntryHeader(.focus, named: event.name, element: event.id) }
    case .beginning(let number):
      // Wraps around: a log made by hand may contain any number.
      last &+= 1
      var call = header(of: event)
      call.kind = .beginning(last)
      running[number] = RunningIntent(call: call, number: last, start: clock.now)
      begin(event) { call }
    case .end(let number):
      // A log set since then doesn't have the beginning of this intent.
      guard let begun = running.removeValue(forKey: number) else { return recorded.append(false) }
      var call = begun.call
      call.kind = .end(begun.number)
      if !begin(event, since: begun.start, { call }) {
        open?.endings.append((call, event.error.map { "\($0)" }))
      }
    }
  }

  func didPerform(_ event: IntentEvent, throwing error: (any Error)?) {
    guard recorded.popLast() == true else { return }
    if let error { open?.error = "\(error)" }
    // The intent's own writes of signals have no entry; later ones in the same batch have.
    noteSignals()
    isInIntent = false
    // In a batch, or if a renderer performs the intent, more changes follow.
    end?.request()
  }

  /// Opens an entry for an event, unless it is part of another intent, a callback or a transaction.
  ///
  /// - Returns: Whether an entry was opened.
  @discardableResult
  private func begin(
    _ event: IntentEvent, since start: ContinuousClock.Instant? = nil, _ call: () -> LogEntryHeader
  ) -> Bool {
    let isPart = isInIntent || event.isNested || (open != nil && event.isReaction)
    recorded.append(!isPart)
    if isPart { return false }
    begin(call(), since: start)
    isInIntent = true
    return true
  }

  /// Returns the header of an intent's entry, with its element's place if its id isn't unique.
  private func header(of event: IntentEvent) -> LogEntryHeader {
    var input = event.input
    if case .secret? = event.element?.value, case .text(let text)? = input {
      input = .text(ElementValue.masked(text))
    }
    return LogEntryHeader(
      .intent, named: event.name, element: event.element?.id,
      place: event.element.flatMap { host?.place(of: $0) }, input: input)
  }
}

extension IntentLog.Entry {
  init(_ call: LogEntryHeader) {
    (kind, name, element) = (call.kind, call.name, call.element)
    (place, input) = (call.place, call.input)
  }
}

extension ViewHost {
  /// The recorder of the host's log.
  var recorder: IntentRecorder? {
    get {
      for case let recorder as IntentRecorder in intentObservers { return recorder }
      return nil
    }
    set {
      let old = recorder
      let index = intentObservers.firstIndex { $0 === old } ?? intentObservers.endIndex
      var observers = intentObservers
      if old != nil { observers.remove(at: index) }
      if let newValue { observers.insert(newValue, at: index) }
      intentObservers = observers
    }
  }

  /// The log of the host since this property was set; nil by default, which costs nothing.
  ///
  /// Set it to a new log to start recording, and to nil to stop. Setting it to a log while
  /// recording continues in that log, where asynchronous intents under way also end.
  ///
  /// While recording, each commit is described as a `ChangeSet`. Each entry costs O(elements on
  /// screen) for the hash of its frame. For a `ForEach` whose rows renderers have asked for only
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
