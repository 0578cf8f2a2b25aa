// What an extent notes for the next snapshot, once its store has made one.
//
// State: `touched`, the slots whose rows are out of date, each once, as `bits` has them; `arrived`, those
// whose object came since the row was made; `lists`, the lists that were changed as they were then.
// `Extent` and Store/Applying.swift note, a snapshot takes all of it. No object is held but by `lists`.

/// What of an extent has changed since the last snapshot.
final class SnapshotNotes {
  /// Which table of a snapshot has the rows.
  let table: Int
  @safe @exclusivity(unchecked) private var touched: ContiguousArray<Int32> = []
  @safe @exclusivity(unchecked) private var bits = SlotSet()
  @safe @exclusivity(unchecked) private var arrived = SlotSet()
  @safe @exclusivity(unchecked) private var lists: [ListKey: Tree<Object>] = [:]

  /// What `fetch` has read, so that the compiler does not leave that out.
  @safe @exclusivity(unchecked) private var fetched: UInt64 = 0

  private struct ListKey: Hashable {
    let slot: Int32
    let offset: Int
  }

  init(table: Int) { self.table = table }

  /// Notes that an object has changed, or is about to.
  @inline(__always)
  func note(_ slot: Int32) {
    if bits.insert(slot) { touched.append(slot) }
  }

  /// Notes that an object has come.
  func noteArrival(_ slot: Int32) {
    note(slot)
    _ = arrived.insert(slot)
  }

  /// Notes that a list is about to change, which is `old` now.
  func noteList(_ slot: Int32, at offset: Int, _ old: @autoclosure () -> Tree<Object>) {
    note(slot)
    if arrived.contains(slot) { return }
    let key = ListKey(slot: slot, offset: offset)
    if lists[key] == nil { lists[key] = old() }
  }

  var isEmpty: Bool { touched.isEmpty }

  /// How many slots are noted, for tests.
  var count: Int { touched.count }

  /// Brings a table up to date and forgets everything; what goes with that is left to the next release.
  ///
  /// If an object has come back, a list that holds it again may be what it was, and its place not.
  func update(_ table: inout SnapshotTable, _ objects: ContiguousArray<Object?>, returned: Bool) {
    let (slots, lists) = (touched, lists)
    for first in stride(from: 0, to: slots.count, by: 64) {
      let some = slots[first..<min(first + 64, slots.count)]
      fetched &+= table.fetch(some, objects)
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
    // Objects may go with what lists were.
    if !lists.isEmpty { Turn.leave(lists) }
    self.lists = [:]
  }
}

/// A set of slots.
private struct SlotSet {
  private var words: ContiguousArray<UInt64> = []

  func contains(_ slot: Int32) -> Bool {
    let word = Int(slot >> 6)
    return word < words.count && words[word] & (1 << UInt64(slot & 63)) != 0
  }

  /// Adds a slot; the answer is whether it is new.
  mutating func insert(_ slot: Int32) -> Bool {
    let word = Int(slot >> 6)
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: max(word + 1 - words.count, words.count)))
    }
    let bit: UInt64 = 1 << UInt64(slot & 63)
    if words[word] & bit != 0 { return false }
    words[word] |= bit
    return true
  }

  mutating func remove(_ slot: Int32) {
    let word = Int(slot >> 6)
    if word < words.count { words[word] &= ~(1 << UInt64(slot & 63)) }
  }
}

extension Extent {
  /// Notes for the next snapshot that a property of an object is changed.
  @inline(__always)
  func noteChange(of object: Object) {
    if let notes { unsafe notes.note(object.slot) }
  }

  /// Notes likewise what a list was before it is changed.
  func noteList(of object: Object, at offset: Int, _ old: References) {
    guard let notes, case .list(let tree) = old else { return }
    unsafe notes.noteList(object.slot, at: offset, tree)
  }
}
