// Drafts that survive a kill of the process.
//
// Order of events: a change of the draft marks `DraftPersister.effect` stale. The effect copies the
// draft's record to the state of the key (RestoredState.swift), whose effect stores it in the same
// phase: before frames and observers of commits. The stored record is read once, when the draft is
// made. `RestoredState.users` are the drafts of the key, and `writer` is the one whose record is
// stored. No other draft removes that record.

extension Store {
  /// Returns a draft of a stored object that is stored under a key and restored after a relaunch;
  /// see ``Draft``.
  ///
  /// - While it has uncommitted changes, the draft is stored as a ``RestoredValue`` after each
  ///   change: the typed text, whether a commit was refused because of errors, and the values that
  ///   it was made from. After a relaunch the errors are shown beside the fields again, and a
  ///   commit makes the same three-way comparison. A commit or ``Draft/discard()`` removes the
  ///   stored draft. Releasing the draft doesn't.
  /// - A draft of another object, or of a new one, under the same key is a separate draft. The one
  ///   edited last is stored. Rows with a draft each need a key each.
  /// - Objects are identified by their ids. An embedded or linked object that no longer exists
  ///   after the relaunch is treated as if it had been deleted while the draft existed.
  /// - After an update of the app, a property that is new, removed, or of another type has the
  ///   object's value. A renamed property is found by ``Object/renamed``. A draft that can't be
  ///   decoded at all, or whose object is now of another class, is treated as never edited. Stored
  ///   data never traps.
  /// - Text that can't be parsed, such as letters in a number's field, is stored too, except for
  ///   computed properties.
  ///
  /// Traps if the class is private, because no other process can find it by its name.
  ///
  /// - Parameters:
  ///   - object: The stored object to edit.
  ///   - key: The key under which the draft is stored. Drafts of several objects under one key
  ///     replace each other in storage.
  /// - Returns: The draft in use under the key if it is of this object, so that two views edit one
  ///   draft. Otherwise a new draft.
  public func draft<Element: Object>(
    of object: Element, restoredAs key: String
  ) -> Draft<Element> {
    restoredDraft(key, of: object) { _ in DraftCore(self, of: object) }
  }

  /// Returns a draft of a new object that is stored under a key and restored after a relaunch.
  ///
  /// The rules of ``draft(of:restoredAs:)`` and ``draft(_:)`` apply. A draft that was edited again
  /// after its commit is restored as a draft of the added object. A draft that was committed and
  /// not edited since isn't returned again: the next call returns a draft of another new object.
  ///
  /// - Parameters:
  ///   - type: The class of the new object.
  ///   - key: The key under which the draft is stored. Drafts of several objects under one key
  ///     replace each other in storage.
  /// - Returns: The draft in use under the key, or else a new one.
  public func draft<Element: Object>(
    _ type: Element.Type, restoredAs key: String
  ) -> Draft<Element> {
    restoredNewDraft(key) { type.init() }
  }

  /// Returns a draft of a new object with the values of an unstored one, that is stored under a key
  /// and restored after a relaunch.
  ///
  /// The rules of ``draft(of:restoredAs:)`` and ``draft(new:)`` apply. The stored values are
  /// written to the unstored object. Traps if the object is stored.
  ///
  /// - Parameters:
  ///   - object: The unstored object whose values the draft begins with.
  ///   - key: The key under which the draft is stored. Drafts of several objects under one key
  ///     replace each other in storage.
  /// - Returns: The draft in use under the key, or else a new one.
  public func draft<Element: Object>(
    new object: Element, restoredAs key: String
  ) -> Draft<Element> {
    if object.table != nil {
      trap("\(StoreError.Subject(object)) is stored, and no new object: use draft(of:restoredAs:)")
    }
    return restoredNewDraft(key) { object }
  }

  private func restoredNewDraft<Element: Object>(
    _ key: String, make: () -> Element
  ) -> Draft<Element> {
    restoredDraft(key, of: nil) { record in
      // It may have been committed and then edited.
      if record.isNew, let id = record.rootID, let stored = storedObject(id) as? Element {
        return DraftCore(self, of: stored, isNewObject: true)
      }
      return DraftCore(self, new: make())
    }
  }

  private func restoredDraft<Element: Object>(
    _ key: String, of object: Element?, make: (DraftRecord) -> DraftCore
  ) -> Draft<Element> {
    Node.withoutReader {
      let state = RestoredState.of(key, initial: DraftRecord(), in: self)
      state.users.removeAll { $0.user == nil }
      for case let draft as Draft<Element> in state.users.lazy.map(\.user)
      where draft.core.matchesRequest(for: object) {
        return draft
      }
      var record = state.signal.peek()
      // In a transaction the stored record is behind the draft, since effects haven't run.
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
      core.keeping = DraftPersister(core, in: state)
      return draft
    }
  }
}

extension DraftCore {
  /// Whether a request for the draft of an object, or of a new one, returns this draft.
  fileprivate func matchesRequest(for object: Object?) -> Bool {
    if let object { return original === object }
    guard isNewObject, let original else { return isNewObject }
    // A draft committed and not edited since is finished. A draft of a deleted object can't be
    // committed.
    return !original.isDeleted && !record.isEmpty
  }
}

/// Stores the record of a draft in the state of its key.
private final class DraftPersister {
  private var effect: Effect?

  init(_ core: DraftCore, in state: RestoredState<DraftRecord>) {
    // Detached: the effect belongs to the draft, not to the body that made the draft.
    effect = detached {
      var isFirst = true
      return Effect(name: "the draft \"\(state.key)\"") { [weak core] in
        guard let core else { return }
        let record = core.record
        defer { isFirst = false }
        // An unedited draft isn't stored, and doesn't remove the record of another one.
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
  /// Whether the record is of the draft's object.
  fileprivate func isOf(_ core: DraftCore) -> Bool {
    guard objects.first?.type == type(of: core.root) else { return false }
    return rootID == core.original?.objectID || (rootID == nil && isNew && core.isNewObject)
  }
}
