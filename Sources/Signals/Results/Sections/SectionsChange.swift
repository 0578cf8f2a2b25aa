/// The position of a row in sections.
public struct RowPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The position of the section.
  public let section: Int
  /// The position of the row in the section.
  public let row: Int

  /// Creates a path from the positions of a section and of a row in it.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Orders paths by section, then by row.
  public static func < (lhs: RowPath, rhs: RowPath) -> Bool {
    (lhs.section, lhs.row) < (rhs.section, rhs.row)
  }

  /// The path as `section.row`.
  public var description: String { "\(section).\(row)" }
}

/// One version of a section: its key and its rows.
public struct SectionRows<Key: Hashable, Element> {
  /// The key that all rows have.
  public let key: Key
  /// The rows in order.
  public var rows: [Element]

  /// Creates a version of a section with the given rows.
  public init(key: Key, rows: [Element]) {
    self.key = key
    self.rows = rows
  }
}

extension SectionRows: Equatable where Element: Equatable {}
extension SectionRows: Hashable where Element: Hashable {}
extension SectionRows: Sendable where Key: Sendable, Element: Sendable {}

/// The exact difference between two consecutive versions of live sections.
///
/// - `deletions` has every removed row, and `insertions` every inserted row, including the rows of
///   sections that were removed or inserted. `moves` has each row that changed its section, or its
///   position among the rows that stayed in its section.
/// - Old paths are positions in the old version, new paths are positions in the new version.
/// - Applying the change to the old version always gives the new version.
///
/// ```swift
/// let token = books.sectioned(by: \.author).observe { change in change.apply(to: &shown) }
/// ```
public struct SectionsChange<Key: Hashable, Element> {
  /// The sections that were removed, inserted, moved and modified.
  ///
  /// A remaining section counts as modified if it has different or modified rows.
  public let sections: CollectionChange<Key>
  /// The paths of removed rows in the old version, ascending.
  public let deletions: [RowPath]
  /// The paths of inserted rows in the new version, ascending.
  public let insertions: [RowPath]
  /// Rows that changed their section or their position in it, ordered by their new path.
  public let moves: [PositionPair<RowPath>]
  /// Remaining rows that were modified, ordered by their new path.
  public let modifications: [PositionPair<RowPath>]
  /// The inserted rows, in the order of `insertions`.
  public let inserted: [Element]

  /// Whether the change is empty.
  public var isEmpty: Bool {
    sections.isEmpty && deletions.isEmpty && insertions.isEmpty && moves.isEmpty
      && modifications.isEmpty
  }

  /// Turns the old version into the new one.
  ///
  /// Traps if a removed or moved row isn't in the version.
  ///
  /// - Complexity: O(*n*).
  public func apply(to versions: inout [SectionRows<Key, Element>]) {
    let old = versions
    for path in deletions + moves.map(\.old)
    where path.section >= old.count || path.row >= old[path.section].rows.count {
      trap(
        "a change of \(Element.self) is applied to sections that have no row at \(path): it belongs to "
          + "others")
    }
    let leaving = Dictionary(grouping: deletions + moves.map(\.old), by: \.section)
      .mapValues { Set($0.map(\.row)) }
    var arriving = zip(insertions, inserted).map { (path: $0, row: $1) }
    arriving += moves.map { ($0.new, old[$0.old.section].rows[$0.old.row]) }
    let arrivals = Dictionary(grouping: arriving, by: \.path.section)
      .mapValues { $0.map { (position: $0.path.row, item: $0.row) } }

    var origins = old.indices.map { Optional($0) }
    sections.map { _ in Int?.none }.apply(to: &origins)
    var keys = sections.inserted.makeIterator()
    versions = origins.enumerated().compactMap { position, origin in
      var rows = origin.map { old[$0].rows } ?? []
      rows.replace(origin.flatMap { leaving[$0] } ?? [], with: arrivals[position] ?? [])
      guard let key = origin.map({ old[$0].key }) ?? keys.next() else { return nil }
      return SectionRows(key: key, rows: rows)
    }
  }
}

extension SectionsChange: CustomStringConvertible {
  /// The changes of the list of sections, followed by the four lists of paths.
  public var description: String {
    "sections (\(sections)), deletions \(deletions), insertions \(insertions), moves \(moves), "
      + "modifications \(modifications)"
  }
}
