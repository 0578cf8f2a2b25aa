// Taking note of the changes of chosen classes, commit by commit, without making change sets.
// SignalsSync makes from them what it sends to other replicas.
//
// State: `Store.capture`, the receiver, and in each table the receiver of its class. Both are set
// by `startCapture` and `stopCapture` here, and for a class that the store meets later by
// `Store.table(of:)`.
//
// Order of events. A commit is captured while it is sealed, after everything that may refuse it
// and before queries, observers and histories receive it: first each changed object, in the order
// of its first change, then `didCommit`. The objects have the values from after the commit. The
// receivers must not write to the store, which traps.

/// The receiver of a store's commits, which sees only the changes of classes that it asks for.
package protocol CommitCapture: AnyObject {
  /// Returns the receiver for the objects of a class, or nil if they aren't captured.
  ///
  /// It is called once for each class that the store has, and doesn't extend to subclasses.
  func capture(of schema: Schema) -> (any ClassCapture)?

  /// Called after the changes of a commit; not for a commit without captured changes.
  ///
  /// - Parameter origin: The origin of the commit.
  func didCommit(origin: Origin?)
}

/// The receiver of the changes of one class.
///
/// The calls until `CommitCapture.didCommit` are one commit. If an instance is replaced by another
/// with the same id, the deletion comes first.
package protocol ClassCapture: AnyObject {
  /// An object is stored that wasn't stored before the commit.
  ///
  /// It may be one that an earlier commit deleted.
  func didInsert(_ object: Object)

  /// An object is no longer stored.
  ///
  /// Its fields have the last values that were written, and its links are empty. `before` has what
  /// the commit has written over, including its links.
  ///
  /// - Parameters:
  ///   - object: The deleted object.
  ///   - isDerived: Whether the deletion follows from the deletion or the links of an owner.
  ///   - before: The values before the commit.
  func didDelete(_ object: Object, isDerived: Bool, before: ValuesBefore)

  /// A property of an object that was stored before and after has another value.
  ///
  /// A link or list from which a deleted object was removed is passed too. The receiver can tell by
  /// the removed target, which isn't stored any more.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - offset: The offset of the property.
  ///   - old: The value before the commit.
  func didWrite(_ object: Object, at offset: Int, old: Any)
}

/// The values that a deleted object had before a commit.
package struct ValuesBefore {
  fileprivate let history: ObjectHistory

  /// Returns the value of a property before the commit.
  ///
  /// - Complexity: O(properties).
  package func value(of property: Property) -> Any {
    history.oldValue(at: property.offset) ?? property.value(in: history.object)
  }
}

extension Store {
  /// Passes the following commits to a receiver, which the store retains.
  ///
  /// A store has at most one; another one replaces it. Traps inside a transaction.
  package func startCapture(_ capture: any CommitCapture) {
    setCapture(capture)
  }

  /// Ends the capture.
  package func stopCapture() { setCapture(nil) }

  private func setCapture(_ new: (any CommitCapture)?) {
    if transaction != nil { trap("a capture of commits can't begin or end inside a transaction") }
    capture = new
    for table in tables.values { table.capture = new?.capture(of: table.schema) }
  }

  /// Whether the commits of a class are captured.
  package func captures(_ type: Object.Type) -> Bool { table(of: type).capture != nil }

  /// Runs the writes of a merge as one commit that can't be undone and isn't captured.
  ///
  /// Later writes of the same commit, such as those of rules given to ``beforeCommit(_:)``, are
  /// captured as usual: their old values are those that the merge left. Traps if the open
  /// transaction already has writes.
  ///
  /// - Throws: The errors of ``write(label:origin:undoable:_:)``.
  package func writeUncaptured<Result>(
    origin: Origin, _ body: () throws -> Result
  ) throws -> Result {
    try write(origin: origin, undoable: false) {
      guard let transaction else { return try body() }
      if !transaction.journal.isEmpty { trap("a merge must be the first write of its transaction") }
      let result = try body()
      transaction.journal.endUncaptured()
      return result
    }
  }

  /// Passes a sealed transaction to the receivers.
  func captureCommit(_ transaction: Transaction, by capture: any CommitCapture) {
    let journal = transaction.journal
    var isAny = false
    journal.forEachFirstEntry { index in
      let object = journal.entries[index].object
      let table = object.table ?? tables[ObjectIdentifier(type(of: object))]
      guard let table, let receiver = table.capture else { return }
      if journal.capture(index, in: table, by: receiver) { isAny = true }
    }
    if isAny { capture.didCommit(origin: origin(of: transaction)) }
  }

  /// Passes the write of a field, which is a whole commit, to the receiver of its class.
  ///
  /// The receiver may encode the value, which may run user code that mustn't write.
  func captureWrite(
    of object: Object, at offset: Int, old: Any, by receiver: any ClassCapture,
    _ capture: any CommitCapture
  ) {
    isSealing = true
    attention += 1
    receiver.didWrite(object, at: offset, old: old)
    capture.didCommit(origin: nil)
    attention -= 1
    isSealing = false
  }
}

extension Journal {
  /// Calls `body` with the index of each object's first captured entry.
  @inline(__always)
  fileprivate func forEachFirstEntry(_ body: (Int) -> Void) {
    for index in uncaptured..<entries.count where entries[index].previous < uncaptured {
      body(index)
    }
  }

  /// Passes the net change of the object whose first entry is at `index` to a receiver.
  ///
  /// - Returns: Whether there is one.
  fileprivate func capture(
    _ index: Int, in table: ObjectTable, by receiver: any ClassCapture
  ) -> Bool {
    let object = entries[index].object
    let isStored = object.table != nil
    switch entries[index].change {
    case .inserted:
      if isStored { receiver.didInsert(object) }
      return isStored
    case .property(let offset, let old):
      guard Int(object.lastEntry) == index else { break }
      // The object's only entry, the most common case.
      if table.isSame(old, in: object, at: offset) { return false }
      receiver.didWrite(object, at: offset, old: old)
      return true
    case .deleted: break
    }
    let history = ObjectHistory(object, in: entries, since: uncaptured)
    guard isStored else {
      receiver.didDelete(
        object, isDerived: history.isDerived, before: ValuesBefore(history: history))
      return true
    }
    var isAny = false
    for (offset, old) in history.old where !table.isSame(old, in: object, at: offset) {
      receiver.didWrite(object, at: offset, old: old)
      isAny = true
    }
    return isAny
  }
}
