/// The order of sections.
public enum SectionOrder: Sendable {
  /// By key, smallest first; nil before everything.
  case ascending
  /// By key, largest first; nil after everything.
  case descending
  /// By the position of their first rows in the results.
  case firstRow

  /// The order of sections whose keys aren't `Comparable`.
  public enum FirstRow: Sendable {
    /// By the position of their first rows in the results.
    case firstRow
  }
}

/// The rows of results grouped by a key: live sections, each of which is a collection of rows.
///
/// - Rows are objects or projections, as in the results.
/// - The rows of a section are in the order of the results. A section is removed with its last row,
///   and inserted again with the next row that has its key.
/// - Reading which sections exist depends on that alone. Reading the rows of a section depends on
///   the rows of that section.
/// - Iteration is over one version, of sections as well as of rows. Subscripts read the current
///   version.
/// - Copies are the same live sections.
/// - A changed row costs O(log *n*), plus a check of each section that has dependents. The first
///   read costs O(*n* log *n*).
///
/// ```swift
/// let byAuthor = store.results(Book.self).sorted(by: \.title).sectioned(by: \.author)
/// for section in byAuthor { print(section.key, section.map(\.title)) }
/// ```
public struct Sections<Key: Hashable, Element: _ResultElement> {
  let query: Query
  let list: SectionList
  let keys: GroupKeys<Key>
  /// Creates the same sections of other results.
  let make: (Query) -> Sections

  init(
    _ query: Query, list: SectionList, keys: GroupKeys<Key>,
    make: @escaping (Query) -> Sections
  ) {
    self.query = query
    self.list = list
    self.keys = keys
    self.make = make
  }

  /// A live section: the rows that have one key.
  ///
  /// Always shows the current rows for its key; empty once the last one is removed.
  public struct Section: Identifiable {
    let list: SectionList
    let keys: GroupKeys<Key>
    /// The group number of the key when the section was read.
    ///
    /// It identifies the section in versions from that time, even if the key has been given another
    /// number since.
    let group: Int
    /// The key that all rows of the section have.
    public let key: Key

    /// The key, which identifies the section in views.
    public var id: Key { key }

    var slice: RowSlice<Object> { list.rows { keys.known(key) } }
  }

  private func section(_ group: Int) -> Section? {
    keys.key(of: group).map {
      Section(list: list, keys: keys, group: group, key: $0)
    }
  }

  /// The results that are divided into sections.
  public var results: Results<Element> { Results(query: query) }

  /// The keys of the sections, in order.
  ///
  /// - Complexity: O(*s*), where *s* is the number of sections.
  public var sectionKeys: [Key] { list.read().compactMap { keys.key(of: $0.group) } }

  /// Returns the section of a key.
  ///
  /// - Returns: The section, or nil if no row has the key.
  /// - Complexity: O(1).
  public func section(for key: Key) -> Section? {
    _ = list.read()
    guard let group = keys.known(key), list.sortKeys[group] != nil else { return nil }
    return section(group)
  }

  /// All current sections with their rows.
  ///
  /// - Complexity: O(*n*).
  public var contents: [SectionRows<Key, Element>] {
    map { SectionRows(key: $0.key, rows: Array($0)) }
  }
}

extension Sections: RandomAccessCollection {
  /// The position of the first section, which is always 0.
  public var startIndex: Int { 0 }

  /// The position after the last section, which is the number of sections.
  public var endIndex: Int { list.read().count }

  /// The section at a position; a position outside of the sections traps.
  ///
  /// - Complexity: O(log *s*), where *s* is the number of sections.
  public subscript(position: Int) -> Section {
    let sections = list.read()
    guard position >= 0, position < sections.count, let section = section(sections[position].group)
    else {
      trap(
        "index \(position) is outside of \(list.description), of which there are \(sections.count)")
    }
    return section
  }

  /// The sections in a range of positions of the current version; positions outside of it trap.
  ///
  /// The slice keeps these sections whatever is inserted or removed later.
  public subscript(bounds: Range<Int>) -> ArraySlice<Section> {
    let present = present
    if bounds.lowerBound < 0 || bounds.upperBound > present.count {
      trap(
        "positions \(bounds) are outside of \(list.description), of which there are \(present.count)"
      )
    }
    return present[bounds]
  }

  /// Iterates over the sections of the current version, in order; each section shows its current
  /// rows.
  ///
  /// - Complexity: O(*s*), where *s* is the number of sections.
  public func makeIterator() -> IndexingIterator<[Section]> { present.makeIterator() }

  /// Returns an array of the results of calling `transform` with each section of the current
  /// version.
  public func map<Value, Failure: Error>(
    _ transform: (Section) throws(Failure) -> Value
  ) throws(Failure) -> [Value] { try present.map(transform) }

  /// The sections of the current version, as an array that keeps sections even if they are removed
  /// later.
  var present: [Section] { list.read().compactMap { section($0.group) } }
}

extension Sections.Section: RandomAccessCollection {
  /// The position of the first row, which is always 0.
  public var startIndex: Int { 0 }

  /// The position after the last row, which is the number of rows.
  public var endIndex: Int { slice.range.count }

  /// The row at a position; a position outside of the rows traps.
  ///
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Element {
    let slice = slice
    guard position >= 0, position < slice.range.count else {
      trap(
        "index \(position) is outside of a section of \(slice.range.count) rows of \(Element.self)")
    }
    return Element._element(of: slice.rows[slice.range.lowerBound + position].object)
  }

  /// A range of the rows of one version.
  public typealias SubSequence = RowSlice<Element>

  /// The rows in a range of positions of the current version; positions outside of the rows trap.
  public subscript(bounds: Range<Int>) -> RowSlice<Element> {
    RowSlice(slice.tree, in: bounds)
  }

  /// Returns the rows of the current version in reverse order.
  public func reversed() -> ReversedCollection<RowSlice<Element>> { self[...].reversed() }

  /// Returns an array of the results of calling `transform` with each row of the current version.
  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] { try self[...].map(transform) }

  /// Iterates over the rows of the current version, in order.
  public func makeIterator() -> RowIterator<Element> {
    let slice = slice
    return RowIterator(slice.rows, in: slice.range)
  }
}

extension Sections.Section: Equatable {
  /// Returns whether two sections have the same key in the same live sections.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.list === rhs.list && lhs.key == rhs.key
  }
}

extension Sections: Equatable {
  /// Returns whether two values are the same live sections.
  public static func == (lhs: Sections, rhs: Sections) -> Bool { lhs.list === rhs.list }
}
