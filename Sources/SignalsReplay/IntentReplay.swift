// Replays a log and compares each entry.
//
// Order of events: the entries of one turn are performed in one batch. A separate recorder records
// them as the first one did. Then each entry is compared with its original, and inserted objects
// are matched with those of the log.

public import Signals

extension ViewHost {
  /// Replays a log.
  ///
  /// - The host should show the same views as the recorded one, on a store with the same contents,
  ///   such as one restored from ``IntentLog/start``. Then it makes the same frames. They are
  ///   compared after each entry, by ``IntentLog/Entry/frame``, unless `comparingFrames` is false.
  /// - Intents of elements and keys are performed. `performing` may perform other entries:
  ///   app-defined intents, by name, and commits. For an entry that it doesn't perform, the
  ///   recorded commits are applied one by one, as undoable as they were. Effects, observers and
  ///   views of this host respond to them.
  /// - An async intent is busy from its beginning to its end and does no work. Its commits are
  ///   applied, and an `onError` gets a ``ReplayedError``. An intent without an end in the log ends
  ///   with the replay.
  /// - A recorded signal is set; the host must record one of the same name, by
  ///   `record(_:as:)`.
  /// - Other writes of an async intent, to `@State` or signals, aren't in the log, so frames that
  ///   show them differ. So do the frames of a view that loads in an
  ///   `ElementContent.task(_:)`, because tasks run after the replay has returned.
  /// - Each entry must make the recorded changes and throw an error with the recorded description.
  ///   Object numbers in descriptions are ignored. New objects have other ids and are matched with
  ///   those of the log. Anything else that varies between runs is a difference: a random key, the
  ///   time of day, or an undo history that existed when the log began, since a snapshot has none.
  /// - A frame is compared by the rows in the log, ``IntentLog/Entry/rows``. Those that no renderer
  ///   of this host has asked for are evaluated, and appear, for the comparison. The writes of a
  ///   row's `onAppear` therefore come at another time if the row wasn't on screen immediately.
  /// - Of inserted and deleted objects, properties that their class gained since the log was
  ///   recorded aren't compared.
  ///
  /// In a batch no frame is made, so none is compared. In a transaction nothing is committed, so
  /// the outcomes differ.
  ///
  /// ```swift
  /// let store = Store(log.start!)
  /// let host = ViewHost(store, renderer: renderer) { LibraryScreen(store) }
  /// try host.replay(log)
  /// ```
  ///
  /// - Parameters:
  ///   - log: The log to replay.
  ///   - comparingFrames: Whether frames are compared, in addition to changes and errors.
  ///   - performing: Performs an app-defined intent or a commit, and returns whether it did.
  /// - Throws: A ``ReplayError`` for the first entry whose outcome differs.
  public func replay(
    _ log: IntentLog, comparingFrames: Bool = true,
    performing: (IntentLog.Entry) throws -> Bool = { _ in false }
  ) throws {
    let (outer, outerHold) = (recorder, onHeldIntent)
    let inner = IntentRecorder(IntentLog(keepingScreens: log.keepsScreens), host: self)
    outer?.pause()
    recorder = inner
    onHeldIntent = { inner.hold($0) }
    defer {
      inner.endHeld()
      inner.close(isShown: false)
      recorder = outer
      onHeldIntent = outerHold
      outer?.resume()
      outer?.add(inner.log.entries)
    }
    var replay = IntentReplay(
      self, recorder: inner, log: log, comparingFrames: comparingFrames,
      keepingEntries: outer != nil)
    try replay.run(performing)
  }
}

/// A replay of one log.
private struct IntentReplay {
  private let host: ViewHost
  private let recorder: IntentRecorder
  private let log: IntentLog
  private let comparesFrames: Bool
  private let keepsEntries: Bool
  private var names = ReplayedIDs()

  /// The outcome of performing an entry again.
  private struct Outcome {
    /// The index of the recorder's first entry for it.
    let first: Int
    var error: String?
  }

  init(
    _ host: ViewHost, recorder: IntentRecorder, log: IntentLog, comparingFrames: Bool,
    keepingEntries: Bool
  ) {
    (self.host, self.recorder, self.log) = (host, recorder, log)
    (comparesFrames, keepsEntries) = (comparingFrames, keepingEntries)
  }

  mutating func run(_ performing: (IntentLog.Entry) throws -> Bool) throws {
    var first = 0
    while first < log.entries.count {
      let rest = log.entries[first...].dropFirst()
      let end = rest.firstIndex { !$0.isSameBatch } ?? log.entries.count
      try run(first..<end, performing: performing)
      first = end
    }
  }

  /// Performs the entries of one turn.
  private mutating func run(
    _ turn: Range<Int>, performing: (IntentLog.Entry) throws -> Bool
  ) throws {
    var outcomes: [Outcome] = []
    func perform(_ place: Int) {
      recorder.close(isShown: false)
      outcomes.append(Outcome(first: recorder.log.entries.count))
      let entry = log.entries[place]
      do {
        let isPerformed = try self.perform(entry, performing: performing)
        if !isPerformed { outcomes[outcomes.count - 1].error = entry.error }
      } catch { outcomes[outcomes.count - 1].error = "\(error)" }
    }
    if turn.count == 1 {
      perform(turn.lowerBound)
    } else {
      batch { for place in turn { perform(place) } }
    }
    recorder.close(isShown: false)
    for (place, outcome) in zip(turn, outcomes) {
      let next = place + 1 < turn.upperBound ? outcomes[place - turn.lowerBound + 1].first : nil
      try compare(place, with: outcome, to: next ?? recorder.log.entries.count)
    }
    // Kept, they would double the memory of a long log.
    if !keepsEntries { recorder.log.entries.removeAll(keepingCapacity: true) }
  }

  private mutating func compare(_ place: Int, with outcome: Outcome, to end: Int) throws {
    let entry = log.entries[place]
    let entries = recorder.log.entries[outcome.first..<end]
    let changes = ChangeSet.sum(of: entries.map(\.changes))
    names.learn(from: entry.changes, to: changes)
    var found = entry
    found.changes = names.recorded(changes).withoutProperties(unknownTo: entry.changes)
    found.error = outcome.error
    (found.frame, found.screen) = (entries.last?.frame, entries.last?.screen)
    // If nothing was recorded, for example because an element is missing, the screen may be the
    // difference.
    let isMissing = entries.isEmpty && !PropagationObserver.isUnderWay
    let isPartial = found.frame != nil && (entry.rows != nil || entries.last?.rows != nil)
    if comparesFrames, entry.frame != nil, isMissing || isPartial,
      let lines = FrameDescription(of: host, rows: entry.rows)
    {
      (found.frame, found.screen) = (lines.number, log.keepsScreens ? lines.text : nil)
    }
    let isSameFrame =
      !comparesFrames || entry.frame == nil || found.frame == nil || entry.frame == found.frame
    if found.changes == entry.changes, found.error.isSameError(as: entry.error), isSameFrame {
      return
    }
    throw ReplayError(index: place, expected: entry, found: found, names: names)
  }

  /// Performs an entry again.
  ///
  /// - Returns: Whether the entry was performed. If not, its recorded outcome was applied. This
  ///   doesn't throw the recorded error, so the caller must assume it.
  private func perform(
    _ entry: IntentLog.Entry, performing: (IntentLog.Entry) throws -> Bool
  ) throws -> Bool {
    switch (entry.kind, entry.input) {
    case (.signal, let input):
      guard case .text(let text)? = input, let signal = host.recordedSignals?.signals[entry.name]
      else { throw RecordedSignalError.unknown(entry.name) }
      guard signal.set(text) else {
        throw RecordedSignalError.noValue(entry.name, text: text)
      }
    case (.intent, .key(let key)?): try host.perform(.key(key))
    case (.intent, let input?):
      if let place = entry.place {
        let element = try host.element(named: entry.name, id: entry.element, at: place)
        try host.perform(.element(element), with: input)
      } else {
        try host.perform(.id(entry.element ?? entry.name), with: input)
      }
    case (.intent, nil), (.commit, _):
      if try performing(entry) { return true }
      try apply(entry.commits)
      return false
    case (.focus, _): host.focus = entry.element
    case (.beginning(let number), let input):
      recorder.number(next: number)
      if case .key(let key) = input {
        try host.start(.key(key))
      } else if let place = entry.place {
        let element = try host.element(named: entry.name, id: entry.element, at: place)
        try host.start(.element(element))
      } else {
        try host.start(.id(entry.element ?? entry.name))
      }
    case (.end(let number), _):
      if let held = recorder.held.removeValue(forKey: number) {
        held.end(throwing: entry.error.map(ReplayedError.init))
      } else {
        // The intent began before the log did.
        try apply(entry.commits)
      }
      return false
    }
    return true
  }

  private func apply(_ commits: [IntentLog.Commit]) throws {
    let store = host.store
    try batch {
      for commit in commits {
        let changes = names.replayed(commit.changes)
        switch commit.kind {
        case .undoable: try store.apply(changes)
        case .undo where store.canUndo: try store.undo(onConflict: .theirs)
        case .redo where store.canRedo: try store.redo(onConflict: .theirs)
        case .notUndoable, .undo, .redo: try store.apply(changes, undoable: false)
        }
      }
    }
  }
}
