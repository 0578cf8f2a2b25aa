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
/// - Rows stand in a section in the order of the results. A section that loses its last row goes, and comes
///   again with the next row of its key.
/// - Reading which sections there are is a dependency on that alone, and reading a section's rows one on the
///   rows of that section.
/// - Iterating goes over one version; subscripts read the present one.
/// - Copies are the same live sections.
///
/// A row that changes costs O(log n), and each section that somebody follows a look. The first read costs
/// O(n log n).
///
/// ```swift
/// let byAuthor = store.results(Book.self).sorted(by: \.title).sectioned(by: \.author)
/// for section in byAuthor { print(section.key, section.map(\.title)) }
/// ```
public struct Sections<Key: Hashable, Element: Object> {
  /// The results that the sections are made of.
  public let results: Results<Element>
  let list: SectionList
  let keys: GroupKeys<Key>
  /// Makes the same sections of other results.
  let make: (Results<Element>) -> Sections

  init(
    _ results: Results<Element>, _ list: SectionList, _ keys: GroupKeys<Key>,
    _ make: @escaping (Results<Element>) -> Sections
  ) {
    self.results = results
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
    /// What the rows have in common.
    public let key: Key

    /// The key, by which views tell sections apart.
    public var id: Key { key }

    var rows: Tree<QueryRow> { list.rows { keys.known(key) } }
  }

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
    return Section(list: list, keys: keys, key: key)
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
    guard position >= 0, position < sections.count,
      let key = keys.key(of: sections[position].group)
    else {
      trap("section \(position) is none of the \(sections.count) of \(list.query.description)")
    }
    return Section(list: list, keys: keys, key: key)
  }
}

extension Sections.Section: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { rows.count }

  /// The row at a position; O(log n), and a trap outside of the rows.
  public subscript(position: Int) -> Element {
    let rows = rows
    guard position >= 0, position < rows.count else {
      trap("index \(position) is outside of a section of \(rows.count) rows")
    }
    return List<Element>.typed(rows[position].object)
  }

  /// The rows of the present version, in order.
  public func makeIterator() -> Results<Element>.Iterator {
    Results<Element>.Iterator(base: rows.makeIterator())
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

extension Sections {
  /// Calls `receive` with the exact change after each commit that changes sections, or a row in them.
  ///
  /// As observers of results are, it is called in the order of registration, after effects, and ends when the
  /// token is cancelled or released.
  public func observe(
    _ receive: @escaping (SectionsChange<Key, Element>) -> Void
  ) -> any Cancellable {
    changes.sink(receiveValue: receive)
  }

  /// The exact change of each commit, as ``observe(_:)`` gives it; none is lost.
  public var changes: some Publisher<SectionsChange<Key, Element>, Never> {
    SectionsPublisher(sections: self)
  }

  /// The present sections first, then those after each commit that changes them.
  ///
  /// Each value is made in O(n).
  public var publisher: some Publisher<[SectionRows<Key, Element>], Never> {
    ObservationPublisher(name: "a subscriber of the sections of \(list.query.type)") { contents }
  }

  func typed(_ difference: SectionsDifference) -> SectionsChange<Key, Element> {
    SectionsChange(
      sections: difference.sections.map { group in
        guard let key = keys.key(of: group) else { trap("a section has lost its key") }
        return key
      },
      deletions: difference.deletions, insertions: difference.arrivals.map(\.path),
      moves: difference.moves, modifications: difference.modifications,
      inserted: difference.arrivals.map { List<Element>.typed($0.object) })
  }
}

struct SectionsPublisher<Key: Hashable, Element: Object>: Publisher {
  typealias Output = SectionsChange<Key, Element>
  typealias Failure = Never

  let sections: Sections<Key, Element>

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    SectionsObserver(sections.list) { downstream.receive(sections.typed($0)) }
  }
}
