// The changes of a table since the last snapshot, noted once its store has taken one.
//
// `ObjectTable` notes insertions and removals, and a sealed journal the writes. Taking a snapshot
// consumes all of them. Only `lists` retains objects.

/// The changes of a table since the last snapshot.
final class SnapshotDirtySet {
  /// The index of the table with the rows.
  let table: Int
  /// The slots whose rows are out of date, each once.
  @safe @exclusivity(unchecked) private var touched: ContiguousArray<Int32> = []
  /// The set of `touched`.
  @safe @exclusivity(unchecked) private var bits = SlotSet()
  /// The slots whose object was added after the row was written.
  @safe @exclusivity(unchecked) private var arrived = SlotSet()
  /// The old versions of changed lists.
  @safe @exclusivity(unchecked) private var lists: [ListKey: Tree<Object>] = [:]

  /// The result of `fetch`, stored so that the compiler doesn't remove the reads.
  @safe @exclusivity(unchecked) private var fetched: UInt64 = 0

  private struct ListKey: Hashable {
    let slot: Int32
    let offset: Int
  }

  init(table: Int) { self.table = table }

  /// Notes that an object has changed.
  @inline(__always)
  func note(_ slot: Int32) {
    if bits.insert(slot) { touched.append(slot) }
  }

  /// Notes that an object was added.
  func noteArrival(_ slot: Int32) {
    note(slot)
    _ = arrived.insert(slot)
  }

  /// Notes the version `old` of a list that has changed.
  func noteList(_ slot: Int32, at offset: Int, old: Tree<Object>) {
    if arrived.contains(slot) { return }
    let key = ListKey(slot: slot, offset: offset)
    if lists[key] == nil { lists[key] = old }
  }

  var isEmpty: Bool { touched.isEmpty }

  /// The number of noted slots, for tests.
  var count: Int { touched.count }

  /// Updates a table and clears the set; the release of the removed values is deferred.
  ///
  /// `returned` states whether a removed object was added again. A list with that object may then
  /// be equal to its old version, although the object's location has changed, so all noted rows are
  /// replaced as a whole.
  func update(_ table: inout SnapshotTable, to objects: ContiguousArray<Object?>, returned: Bool) {
    let (slots, lists) = (touched, lists)
    for first in stride(from: 0, to: slots.count, by: 64) {
      let some = slots[first..<min(first + 64, slots.count)]
      fetched &+= table.fetch(some, of: objects)
      for slot in some {
        table.update(
          Int(slot), to: objects[Int(slot)], isNew: arrived.contains(slot) || returned
        ) { column in
          lists.isEmpty ? nil : lists[ListKey(slot: slot, offset: column.property.offset)]
        }
      }
    }
    for slot in slots { bits.remove(slot) }
    for slot in slots { arrived.remove(slot) }
    touched.removeAll(keepingCapacity: slots.count <= 4096)
    // Releasing old versions of lists may release objects.
    if !lists.isEmpty { Scheduler.deferRelease(lists) }
    self.lists = [:]
  }
}

extension Journal {
  /// Notes for the next snapshot the rows whose properties were written, and the old versions of
  /// their lists.
  ///
  /// Objects that were added or removed have been noted by their tables.
  func noteRows() {
    for entry in entries {
      guard case .property(let offset, let old) = entry.change,
        let table = entry.object.table, let dirtySet = table.dirtySet
      else { continue }
      let slot = entry.object.slot
      dirtySet.note(slot)
      for property in table.schema.linking
      where property.offset == offset && property.role == .links {
        if case .list(let list) = property.references(of: old) {
          dirtySet.noteList(slot, at: offset, old: list)
        }
      }
    }
  }
}
