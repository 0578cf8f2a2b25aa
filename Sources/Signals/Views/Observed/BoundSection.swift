/// A section on screen: `section` in `ForEach($sections) { $section in … }`.
@propertyWrapper
public struct BoundSection<Key: Hashable, Element: _ResultElement>: Identifiable {
  private let source: ObservedSource<Sections<Key, Element>>
  /// The live section.
  public let wrappedValue: Sections<Key, Element>.Section

  init(
    source: ObservedSource<Sections<Key, Element>>,
    wrappedValue section: Sections<Key, Element>.Section
  ) {
    self.source = source
    wrappedValue = section
  }

  /// Takes the section that a `ForEach` hands out.
  public init(projectedValue: BoundSection) { self = projectedValue }

  /// The section with its edits.
  public var projectedValue: BoundSection { self }

  /// The section's key.
  public var id: Key { wrappedValue.key }

  /// Deletes the objects that stand at `offsets` on screen, in one commit.
  ///
  /// What was deleted since is passed over. Offsets outside of what is shown trap.
  public func remove(atOffsets offsets: some Sequence<Int>) throws {
    try source.writableStore.delete(offsets, from: shown, of: Element.self)
  }

  /// Moves rows to another place in the section, by the property that they are sorted by, in one commit.
  ///
  /// As those of ``BoundResults`` are moved; the values are handed round in this section alone.
  public func move<Rank: FixedWidthInteger>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    by path: ReferenceWritableKeyPath<Element, Rank>
  ) throws {
    try move(offsets, destination, RowRank(path))
  }

  /// Moves rows likewise by a property that is a floating-point number.
  public func move<Rank: BinaryFloatingPoint>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    by path: ReferenceWritableKeyPath<Element, Rank>
  ) throws {
    try move(offsets, destination, RowRank(path))
  }

  private func move<Rank>(
    _ offsets: some Sequence<Int>, _ destination: Int, _ rank: RowRank<Rank>
  ) throws {
    let list = wrappedValue.list
    try source.writableStore.move(
      Set(offsets), to: destination, from: shown, by: rank, in: list.query,
      section: wrappedValue.keys.known(id) ?? wrappedValue.group)
  }

  /// The rows of the section that are on screen; those that were when its key was shown, if it has gone since.
  private var shown: SectionSpan {
    let grouping = wrappedValue.list.grouping
    let rows = source.query.shown(wrappedValue, group: wrappedValue.group).rows
    var range = grouping.range(of: wrappedValue.group, in: rows)
    // Taken long ago: the section has gone and come again.
    if range.isEmpty, let number = wrappedValue.keys.known(id) {
      range = grouping.range(of: number, in: rows)
    }
    return SectionSpan(rows: rows, range: range)
  }
}

extension BoundSection: Equatable {
  /// Two are equal if they are the same section of the same live sections.
  public static func == (lhs: BoundSection, rhs: BoundSection) -> Bool {
    lhs.wrappedValue == rhs.wrappedValue && lhs.wrappedValue.group == rhs.wrappedValue.group
  }
}
