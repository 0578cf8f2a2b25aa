// Who links to an object, and how often: what deletion and inverses need.
//
// State: `entries`, in no order, and `positions`, kept once there are many. Only Store/Applying.swift
// changes them, when a link or list of a stored object changes.

/// The references to one stored object.
final class IncomingLinks {
  /// A property of a stored object that refers here.
  struct Entry {
    unowned(unsafe) let source: Object
    let offset: Int
    var multiplicity: Int
  }

  private struct Key: Hashable {
    let source: ObjectIdentifier
    let offset: Int
  }

  /// Below this many entries a scan is as fast as a dictionary.
  private static let scanLimit = 16

  // No user code runs within.
  @safe @exclusivity(unchecked) private(set) var entries: ContiguousArray<Entry> = []
  @safe @exclusivity(unchecked) private var positions: [Key: Int]?

  private func position(of source: Object, _ offset: Int) -> Int? {
    if let positions { return positions[Key(source: ObjectIdentifier(source), offset: offset)] }
    return entries.firstIndex { unsafe $0.source === source && $0.offset == offset }
  }

  /// Adds `count` references, which may be negative; the answer is the new multiplicity.
  @discardableResult
  func add(_ count: Int, from source: Object, at offset: Int) -> Int {
    guard let position = position(of: source, offset) else {
      entries.append(Entry(source: source, offset: offset, multiplicity: count))
      didAppend()
      return count
    }
    entries[position].multiplicity += count
    let left = entries[position].multiplicity
    if left == 0 { remove(at: position) }
    return left
  }

  private func didAppend() {
    if positions != nil {
      positions?[key(of: entries[entries.count - 1])] = entries.count - 1
    } else if entries.count > Self.scanLimit {
      var all: [Key: Int] = [:]
      for (position, entry) in entries.enumerated() { all[key(of: entry)] = position }
      positions = all
    }
  }

  private func remove(at position: Int) {
    positions?[key(of: entries[position])] = nil
    let last = entries.removeLast()
    guard position < entries.count else { return }
    entries[position] = last
    positions?[key(of: last)] = position
  }

  private func key(of entry: Entry) -> Key {
    unsafe Key(source: ObjectIdentifier(entry.source), offset: entry.offset)
  }
}
