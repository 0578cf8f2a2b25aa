// Recording the changes of chosen classes, commit by commit, without making change sets.
// SignalsSync writes them to a store's file.
//
// Order of events. A commit is captured while it is sealed, after everything that may refuse it
// and before queries, observers and histories receive it, by one receiver after the other: first
// each changed object, in the order of its first change, then `didCommit`. The objects have the
// values from after the commit. The receivers must not write to the store, which traps.

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
  /// Its fields have the last values that were written, and its links are empty.
  func didDelete(_ object: Object)

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

extension Store {
  /// Passes the following commits to a receiver, too, which the store retains.
  ///
  /// Traps inside a transaction.
  package func startCapture(_ capture: any CommitCapture) {
    checkMayChangeCaptures()
    captures.append(capture)
    for table in tables.values { table.captures.append(capture.capture(of: table.schema)) }
  }

  /// Ends the capture by a receiver, if it has begun.
  package func stopCapture(_ capture: any CommitCapture) {
    checkMayChangeCaptures()
    guard let number = captures.firstIndex(where: { $0 === capture }) else { return }
    captures.remove(at: number)
    for table in tables.values { table.captures.remove(at: number) }
  }

  private func checkMayChangeCaptures() {
    if transaction == nil, !isSealing { return }
    trap("a capture of commits can't begin or end inside a transaction")
  }

  /// Passes a sealed transaction to the receivers.
  func captureCommit(_ transaction: Transaction) {
    let journal = transaction.journal
    for (number, capture) in captures.enumerated() {
      var isAny = false
      for index in journal.entries.indices where journal.entries[index].previous < 0 {
        let object = journal.entries[index].object
        let table = object.table ?? tables[ObjectIdentifier(type(of: object))]
        guard let table, let receiver = table.captures[number] else { continue }
        if journal.capture(index, in: table, by: receiver) { isAny = true }
      }
      if isAny { capture.didCommit(origin: origin(of: transaction)) }
    }
  }

  /// Passes the write of a field, which is a whole commit, to the receivers of its class.
  ///
  /// They may encode the value, which may run user code that mustn't write.
  func captureWrite(of object: Object, at offset: Int, old: Any, in table: ObjectTable) {
    withoutWrites {
      for number in captures.indices {
        guard let receiver = table.captures[number] else { continue }
        receiver.didWrite(object, at: offset, old: old)
        captures[number].didCommit(origin: nil)
      }
    }
  }

  /// Runs a closure in which each write to the store traps, as in a receiver of a commit.
  @inline(__always)
  package func withoutWrites<Result>(_ body: () -> Result) -> Result {
    if isSealing { return body() }
    isSealing = true
    fullWriteReasons += 1
    defer {
      fullWriteReasons -= 1
      isSealing = false
    }
    return body()
  }
}

extension Journal {
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
    guard isStored else {
      receiver.didDelete(object)
      return true
    }
    var isAny = false
    for (offset, old) in ObjectHistory(object, in: entries).old
    where !table.isSame(old, in: object, at: offset) {
      receiver.didWrite(object, at: offset, old: old)
      isAny = true
    }
    return isAny
  }
}
