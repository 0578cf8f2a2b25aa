// Doing again what a log says, and comparing as one goes.
//
// Order of events: entries of one turn are done in one batch; a recorder of the replay's own takes note of them as the
// first one did; then each is compared with what it was, and objects that were made are learnt to be those of the log.

/// An asynchronous intent that a replay has let begin.
struct ReplayedIntent {
  /// Lets it end.
  let end: (ReplayedError?) -> Void
}

extension ViewHost {
  /// Does again what a log says, and throws a ``ReplayError`` where something comes out otherwise.
  ///
  /// - The host should show what the other one did, on a store that has what its store had: one restored from
  ///   ``IntentLog/start``. Then the frames are those of then, and after each entry they are compared, by
  ///   ``IntentLog/Entry/frame``, unless `comparingFrames` is false.
  /// - Intents of elements and keys are performed. `performing` may perform others, and says whether it did: those of
  ///   the app's own, by name, and commits. Of what is left the commits are made, one by one, as undoable as they
  ///   were, and what follows from them is left to who is there: effects, observers and views.
  /// - An async intent is busy from its beginning to its end and does nothing by itself: its commits are made, and an
  ///   `onError` gets a ``ReplayedError``. One that the log has no end of ends with the replay. What else it wrote, to `@State` or signals, is in no log: where that shows
  ///   frames differ. So do those of a view that loads in a ``ElementContent/task(_:)``: tasks run when the replay
  ///   has returned.
  /// - Each entry must change what it did in the log and throw what it threw, in words, but for the numbers of
  ///   objects. Objects that are made have other ids now, and are taken for those of the log. Whatever else differs
  ///   from time to time is a difference: a random key, the time of the day, a history of undo that the log began
  ///   with: a snapshot has none.
  ///
  /// - A frame is compared by the rows that the log has, ``IntentLog/Entry/rows``; those that no renderer has asked for
  ///   here are evaluated, and appear, for that. What a row's `onAppear` writes therefore comes at another time if it was
  ///   not on screen at once.
  /// - A property that a class has got since then is not compared of objects that come or go.
  ///
  /// In a batch no frame is made, and none compared; in a transaction nothing is committed, and all comes out
  /// otherwise.
  ///
  /// ```swift
  /// let store = Store(log.start!)
  /// let host = ViewHost(store, renderer: renderer) { LibraryScreen(store) }
  /// try host.replay(log)
  /// ```
  public func replay(
    _ log: IntentLog, comparingFrames: Bool = true,
    performing: (IntentLog.Entry) throws -> Bool = { _ in false }
  ) throws {
    let outer = recorder
    let inner = IntentRecorder(IntentLog(keepingScreens: log.keepsScreens), self)
    inner.replayed = [:]
    outer?.pause()
    recorder = inner
    defer {
      // Nobody is there to end those that are still under way.
      for number in (inner.replayed ?? [:]).keys.sorted() { inner.replayed?[number]?.end(nil) }
      inner.replayed = nil
      inner.close(isShown: false)
      recorder = outer
      outer?.resume()
      outer?.add(inner.log.entries)
    }
    var replay = IntentReplay(
      self, inner, log, comparingFrames: comparingFrames, keepingEntries: outer != nil)
    try replay.run(performing)
  }
}

/// Doing one log again.
private struct IntentReplay {
  private let host: ViewHost
  private let recorder: IntentRecorder
  private let log: IntentLog
  private let comparesFrames: Bool
  private let keepsEntries: Bool
  private var names = ReplayedIDs()

  /// What came of doing an entry again.
  private struct Outcome {
    /// Where the recorder's entries of it begin.
    let first: Int
    var error: String?
  }

  init(
    _ host: ViewHost, _ recorder: IntentRecorder, _ log: IntentLog, comparingFrames: Bool,
    keepingEntries: Bool
  ) {
    (self.host, self.recorder, self.log) = (host, recorder, log)
    (comparesFrames, keepsEntries) = (comparingFrames, keepingEntries)
  }

  mutating func run(_ performing: (IntentLog.Entry) throws -> Bool) throws {
    var first = 0
    while first < log.entries.count {
      let rest = log.entries[first...].dropFirst()
      let end = rest.firstIndex { !$0.isSameTurn } ?? log.entries.count
      try run(first..<end, performing)
      first = end
    }
  }

  /// Does the entries of one turn.
  private mutating func run(
    _ turn: Range<Int>, _ performing: (IntentLog.Entry) throws -> Bool
  ) throws {
    var outcomes: [Outcome] = []
    func perform(_ place: Int) {
      recorder.close(isShown: false)
      outcomes.append(Outcome(first: recorder.log.entries.count))
      let entry = log.entries[place]
      do {
        let isPerformed = try self.perform(entry, performing)
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
      try compare(place, outcome, to: next ?? recorder.log.entries.count)
    }
    // Of a long log they would be as much again.
    if !keepsEntries { recorder.log.entries.removeAll(keepingCapacity: true) }
  }

  private mutating func compare(_ place: Int, _ outcome: Outcome, to end: Int) throws {
    let entry = log.entries[place]
    let entries = recorder.log.entries[outcome.first..<end]
    let changes = ChangeSet.sum(of: entries.map(\.changes))
    names.learn(from: entry.changes, changes)
    var found = entry
    found.changes = names.recorded(changes).withoutProperties(unknownTo: entry.changes)
    found.error = outcome.error
    (found.frame, found.screen) = (entries.last?.frame, entries.last?.screen)
    // Where nothing was there to do anything that may be just what is different.
    let isMissing = entries.isEmpty && !Turn.isUnderWay
    let isPartial = found.frame != nil && (entry.rows != nil || entries.last?.rows != nil)
    if comparesFrames, entry.frame != nil, isMissing || isPartial,
      let lines = FrameLines(of: host, rows: entry.rows)
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

  /// Does an entry again; false if its commits were made, and nothing could throw what it threw.
  private func perform(
    _ entry: IntentLog.Entry, _ performing: (IntentLog.Entry) throws -> Bool
  ) throws -> Bool {
    switch (entry.kind, entry.input) {
    case (.intent, .key(let key)?): try host.press(key)
    case (.intent, let input?):
      if let place = entry.place {
        try host.perform(try host.element(entry.name, entry.element, at: place), input)
      } else {
        try host.perform(entry.element ?? entry.name, input)
      }
    case (.intent, nil), (.commit, _):
      if try performing(entry) { return true }
      try apply(entry.commits)
      return false
    case (.focus, _): host.focus = entry.element
    case (.beginning(let number), let input):
      recorder.number(next: number)
      if case .key(let key) = input {
        try host.start(pressing: key)
      } else if let place = entry.place {
        try host.start(try host.element(entry.name, entry.element, at: place))
      } else {
        try host.start(entry.element ?? entry.name)
      }
    case (.end(let number), _):
      if let intent = recorder.replayed?.removeValue(forKey: number) {
        intent.end(entry.error.map(ReplayedError.init))
      } else {
        // It had begun before the log did.
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
