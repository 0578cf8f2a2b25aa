// The references to one object, for deletion and for inverses.
//
// Only Store/Store+Mutation.swift changes them, when a link or list of a stored object changes.

/// The references to one stored object.
final class BacklinkCounts {
  /// A property of a stored object that refers to this one.
  struct Entry {
    fileprivate let reference: Unretained<Object>
    private let narrowOffset: Int32
    /// The object's position in the list when it was last inserted or moved there.
    ///
    /// Later insertions and removals before it make the position inexact.
    fileprivate(set) var hint: Int32
    /// The number of references that the property has.
    var multiplicity: Int

    /// The object with the property.
    ///
    /// It exists, because the references of an object that is no longer stored are removed.
    var source: Object { reference.instance }
    var offset: Int { Int(narrowOffset) }

    init(source: Object, offset: Int, multiplicity: Int, hint: Int) {
      reference = Unretained(source)
      narrowOffset = Int32(truncatingIfNeeded: offset)
      self.hint = Int32(truncatingIfNeeded: hint)
      self.multiplicity = multiplicity
    }
  }

  private struct Key: Hashable {
    let source: ObjectIdentifier
    let offset: Int
  }

  /// Up to this many entries, a scan is as fast as a dictionary.
  private static let scanLimit = 16

  // Unchecked exclusivity: no user code runs while they are accessed.

  /// An entry for each property that refers to the object, in no particular order.
  @safe @exclusivity(unchecked) private(set) var entries: ContiguousArray<Entry> = []
  /// The index of each entry, made once there are more than `scanLimit`.
  @safe @exclusivity(unchecked) private var positions: [Key: Int]?

  private func position(of source: Object, _ offset: Int) -> Int? {
    if let positions { return positions[Key(source: ObjectIdentifier(source), offset: offset)] }
    return entries.firstIndex { $0.reference.refers(to: source) && $0.offset == offset }
  }

  /// Adds references from a property, or removes some.
  ///
  /// - Parameters:
  ///   - count: The number of references to add, negative to remove some.
  ///   - place: The position of the last added reference in its list.
  /// - Returns: The new number of references from the property.
  @discardableResult
  func add(_ count: Int, from source: Object, at offset: Int, position place: Int) -> Int {
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

  /// Notes the object's new position in a list in which it was moved.
  func move(from source: Object, at offset: Int, to place: Int) {
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
    Key(source: ObjectIdentifier(entry.source), offset: entry.offset)
  }
}
