/// In which order sections stand.
public enum SectionOrder: Sendable {
  /// By their keys, smallest first; nil before everything.
  case ascending
  /// By their keys, largest first; nil after everything.
  case descending
  /// By their first rows, as these stand in the result.
  case firstRow
}

/// The rows of results by what they have in common: live sections, each a collection of rows.
///
/// - Rows are objects, or projections of them, as in the results.
/// - Rows stand in a section in the order of the results. A section that loses its last row goes, and comes
///   again with the next row of its key.
/// - Reading which sections there are is a dependency on that alone, and reading a section's rows one on the
///   rows of that section.
/// - Iterating goes over one version, of sections as of rows; subscripts read the present one.
/// - Copies are the same live sections.
///
/// A row that changes costs O(log n), and each section that somebody follows a look. The first read costs
/// O(n log n).
///
/// ```swift
/// let byAuthor = store.results(Book.self).sorted(by: \.title).sectioned(by: \.author)
/// for section in byAuthor { print(section.key, section.map(\.title)) }
/// ```
public struct Sections<Key: Hashable, Element: _ResultElement> {
  let query: Query
  let list: SectionList
  let keys: GroupKeys<Key>
  /// Makes the same sections of other results.
  let make: (Query) -> Sections

  init(
    _ query: Query, _ list: SectionList, _ keys: GroupKeys<Key>,
    _ make: @escaping (Query) -> Sections
  ) {
    self.query = query
    self.list = list
    self.keys = keys
    self.make = make
  }

  /// A live section: the rows of one key.
  ///
  /// It is the rows that have the key, whenever it is read: none after the last of them has gone.
  public struct Section: Identifiable {
    let list: SectionList
    let keys: GroupKeys<Key>
    /// The number of the section when it was taken, by which it is found in the versions of then.
    let group: Int
    /// What the rows have in common.
    public let key: Key

    /// The key, by which views tell sections apart.
    public var id: Key { key }

    var span: SectionSpan { list.rows { keys.known(key) } }
  }

  private func section(_ group: Int) -> Section? {
    keys.key(of: group).map {
      Section(list: list, keys: keys, group: group, key: $0)
    }
  }

  /// The results that the sections are made of.
  public var results: Results<Element> { Results(query: query) }

  /// The keys of the sections, in order.
  ///
  /// O(sections).
  public var sectionKeys: [Key] { list.read().compactMap { keys.key(of: $0.group) } }

  /// The section of a key, or nil if there is none.
  ///
  /// O(1).
  public func section(for key: Key) -> Section? {
    _ = list.read()
    guard let group = keys.known(key), list.places[group] != nil else { return nil }
    return section(group)
  }

  /// All sections with their rows, as they are now.
  ///
  /// O(n).
  public var contents: [SectionRows<Key, Element>] {
    map { SectionRows(key: $0.key, rows: Array($0)) }
  }
}

extension Sections: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { list.read().count }

  /// The section at a position; O(log n), and a trap outside of the sections.
  public subscript(position: Int) -> Section {
    let sections = list.read()
    guard position >= 0, position < sections.count, let section = section(sections[position].group)
    else {
      trap("section \(position) is none of the \(sections.count) of \(list.query.description)")
    }
    return section
  }

  /// Some sections of the present version, whatever becomes of it.
  public subscript(bounds: Range<Int>) -> ArraySlice<Section> {
    let present = present
    if bounds.lowerBound < 0 || bounds.upperBound > present.count {
      trap(
        "sections \(bounds) are outside of the \(present.count) of \(list.query.description)")
    }
    return present[bounds]
  }

  /// The sections of the present version, in order; each shows its present rows.
  ///
  /// O(sections).
  public func makeIterator() -> IndexingIterator<[Section]> { present.makeIterator() }

  /// What a closure makes of each section of the present version.
  public func map<Value, Failure: Error>(
    _ transform: (Section) throws(Failure) -> Value
  ) throws(Failure) -> [Value] { try present.map(transform) }

  /// What does not forget a section that goes meanwhile.
  var present: [Section] { list.read().compactMap { section($0.group) } }
}

extension Sections.Section: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { span.range.count }

  /// The row at a position; O(log n), and a trap outside of the rows.
  public subscript(position: Int) -> Element {
    let span = span
    guard position >= 0, position < span.range.count else {
      trap(
        "index \(position) is outside of a section of \(span.range.count) rows of \(Element.self)")
    }
    return Element._element(of: span.rows[span.range.lowerBound + position].object)
  }

  /// Some rows of one version.
  public typealias SubSequence = RowSlice<Element>

  /// The rows at some positions of the present version; a trap outside of the rows.
  public subscript(bounds: Range<Int>) -> RowSlice<Element> {
    RowSlice(span.tree, bounds, Element._element)
  }

  /// The rows of the present version, last first.
  public func reversed() -> ReversedCollection<RowSlice<Element>> { self[...].reversed() }

  /// What a closure makes of each row of the present version.
  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] { try self[...].map(transform) }

  /// The rows of the present version, in order.
  public func makeIterator() -> RowIterator<Element> {
    let span = span
    return RowIterator(span.rows, span.range, Element._element)
  }
}

extension Sections.Section: Equatable {
  /// Two are equal if they are of one key, in the same live sections.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.list === rhs.list && lhs.key == rhs.key
  }
}

extension Sections: Equatable {
  /// Two are equal if they are the same live sections.
  public static func == (lhs: Sections, rhs: Sections) -> Bool { lhs.list === rhs.list }
}
