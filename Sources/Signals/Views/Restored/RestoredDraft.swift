// Drafts that outlive a kill.
//
// Order of events: a change of the draft marks `DraftKeeper.effect`, which gives the record of the draft to the state of
// the key (RestoredState.swift), whose effect puts that into the store, in the same phase: before frames and observers of
// commits. What was stored is read once, when the draft is made. `RestoredState.users` are the drafts of the key, and
// `writer` the one whose record is kept: no other one takes that away.

extension Store {
  /// A draft of a stored object that is kept under a key, and back after a relaunch; see ``Draft``.
  ///
  /// - As long as something in it was not committed, it is kept as a ``RestoredValue`` of the store after each change:
  ///   what was typed, whether a commit was refused because something is wrong, and what it was made from, so that the
  ///   errors stand beside the fields again, and a commit after the relaunch compares three ways as this one would. A
  ///   commit or ``Draft/discard()`` ends that; that nobody uses the draft any more does not.
  /// - The draft that is in use under the key is the answer, if it is of this object: two views edit one draft. A draft of
  ///   another object under the same key, or of a new one, is another draft, and the one that is edited last is the one
  ///   that is kept. Rows that have a draft each need a key each.
  /// - Objects are known by their ids. What the draft embeds or links to, and is gone by the relaunch, is as if it had
  ///   been deleted while the draft was there.
  /// - After an update of the app, a property that is new, gone, or of another type is as the object has it; one that was
  ///   renamed is found by ``Object/renamed``. A draft that can't be read at all, or whose object is of another class
  ///   now, is one that was never edited. No stored data is a trap.
  /// - What was typed and is no value, as letters are in a number's field, is kept too; not that of a computed property.
  ///
  /// Traps if the class is one that no other process can find by its name: a private one.
  public func draft<Element: Object>(
    of object: Element, restoredAs key: String
  ) -> Draft<Element> {
    restoredDraft(key, of: object) { _ in DraftCore(self, of: object) }
  }

  /// A draft of a new object that is kept under a key, and back after a relaunch.
  ///
  /// It is as ``draft(of:restoredAs:)`` says, and as ``draft(_:)``. Edited after it was committed, and not committed
  /// again, it is back as a draft of what was added. One that was committed and not edited since is that of whoever
  /// has it: who asks then gets a draft of the next new object.
  public func draft<Element: Object>(
    _ type: Element.Type, restoredAs key: String
  ) -> Draft<Element> {
    restoredNewDraft(key) { type.init() }
  }

  /// A draft of a new object with the values of an unstored one, that is kept under a key, and back after a relaunch.
  ///
  /// It is as ``draft(of:restoredAs:)`` says, and as ``draft(new:)``. What was kept is put into the unstored object.
  public func draft<Element: Object>(
    new object: Element, restoredAs key: String
  ) -> Draft<Element> {
    if unsafe object.extent != nil {
      trap("\(StoreError.Subject(object)) is stored, and no new object: use draft(of:restoredAs:)")
    }
    return restoredNewDraft(key) { object }
  }

  private func restoredNewDraft<Element: Object>(
    _ key: String, _ make: () -> Element
  ) -> Draft<Element> {
    restoredDraft(key, of: nil) { record in
      // It may have been committed, and edited since.
      if record.isNew, let id = record.parts.first?.id, let stored = storedObject(id) as? Element {
        return DraftCore(self, of: stored, beganNew: true)
      }
      return DraftCore(self, new: make())
    }
  }

  private func restoredDraft<Element: Object>(
    _ key: String, of object: Element?, _ make: (DraftRecord) -> DraftCore
  ) -> Draft<Element> {
    Node.withoutReader {
      let state = RestoredState.of(key, DraftRecord(), self)
      state.users.removeAll { $0.user == nil }
      for case let draft as Draft<Element> in state.users.lazy.map(\.user)
      where draft.core.isWanted(of: object) {
        return draft
      }
      var record = state.signal.peek()
      // In a transaction what is kept is not yet what the draft is.
      if let writer = state.writer as? DraftCore, record.isOf(writer) { record = writer.record }
      let core = make(record)
      let type = type(of: core.root)
      if !ClassName(type).canBeFound {
        trap(
          "a draft of \(type) is kept as \"\(key)\": no other process finds a private type; "
            + "make it internal")
      }
      core.restore(record)
      if record.isOf(core) { state.writer = core }
      let draft = Draft<Element>(core)
      state.users.append(RestoredState.User(user: draft))
      core.keeping = DraftKeeper(core, state)
      return draft
    }
  }
}

extension DraftCore {
  /// Whether who asks for the draft of an object, or of a new one, gets this.
  fileprivate func isWanted(of object: Object?) -> Bool {
    if let object { return original === object }
    guard beganNew, let original else { return beganNew }
    // Committed and not edited since, it is done with; that of what was deleted can't be committed.
    return !original.isDeleted && !record.isEmpty
  }
}

/// Keeps the record of a draft in the state of its key.
private final class DraftKeeper {
  private var effect: Effect?

  init(_ core: DraftCore, _ state: RestoredState<DraftRecord>) {
    // It is the draft's, and not the one's whose body came first.
    effect = detached {
      var isFirst = true
      return Effect(name: "the draft \"\(state.key)\"") { [weak core] in
        guard let core else { return }
        let record = core.record
        defer { isFirst = false }
        // Nothing is kept of a draft that nobody has edited, nor is another one dropped for it.
        if isFirst { return }
        if record.isEmpty, state.writer !== core || !state.signal.peek().isOf(core) { return }
        state.signal.value = record
        state.writer = record.isEmpty ? nil : core
      }
    }
  }

  deinit { effect?.cancel() }
}

extension DraftRecord {
  /// Whether the record is of the object that a draft is of.
  fileprivate func isOf(_ core: DraftCore) -> Bool {
    guard let first = parts.first, first.type == type(of: core.root) else { return false }
    return first.id == core.original?.objectID || (first.id == nil && isNew && core.beganNew)
  }
}
