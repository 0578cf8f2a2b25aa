// Who links to an object, and how often: what deletion and inverses need.
//
// State: `entries`, in no order, and `positions`, kept once there are many. Only Store/Applying.swift
// changes them, when a link or list of a stored object changes.

/// The references to one stored object.
final class IncomingLinks {
  /// A property of a stored object that refers here.
  struct Entry {
    unowned(unsafe) let source: Object
    private let narrowOffset: Int32
    /// Where in the list this object was when it came there last; members come and go before it.
    fileprivate(set) var hint: Int32
    var multiplicity: Int

    var offset: Int { Int(narrowOffset) }

    init(source: Object, offset: Int, multiplicity: Int, hint: Int) {
      unsafe self.source = source
      narrowOffset = Int32(truncatingIfNeeded: offset)
      self.hint = Int32(truncatingIfNeeded: hint)
      self.multiplicity = multiplicity
    }
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
  ///
  /// `place` is where they came in a list.
  @discardableResult
  func add(_ count: Int, from source: Object, at offset: Int, _ place: Int) -> Int {
    guard let position = position(of: source, offset) else {
      entries.append(Entry(source: source, offset: offset, multiplicity: count, hint: place))
      didAppend()
      return count
    }
    entries[position].multiplicity += count
    if count > 0 { entries[position].hint = Int32(truncatingIfNeeded: place) }
    let left = entries[position].multiplicity
    if left == 0 { remove(at: position) }
    return left
  }

  /// Notes that a member of a list was moved.
  func move(from source: Object, at offset: Int, _ place: Int) {
    guard let position = position(of: source, offset) else { return }
    entries[position].hint = Int32(truncatingIfNeeded: place)
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
