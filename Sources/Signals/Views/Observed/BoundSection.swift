/// A section on screen with its edits: `section` in `ForEach($sections) { $section in … }`.
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

  /// Creates the wrapper from the section that a `ForEach` passes to its closure.
  public init(projectedValue: BoundSection) { self = projectedValue }

  /// The section with its edits.
  public var projectedValue: BoundSection { self }

  /// The section's key.
  public var id: Key { wrappedValue.key }

  /// Deletes the objects at the given offsets of the section on screen, in one commit.
  ///
  /// Objects that have been deleted since are skipped. Offsets outside of the rows on screen trap.
  ///
  /// - Parameter offsets: Offsets in the section, as it is on screen.
  /// - Throws: ``StoreError/deletionDenied(_:target:)`` if a link with the rule `.deny` leads to
  ///   one of the objects, or the error of a ``Store/beforeCommit(file:line:_:)`` rule. Then none is deleted.
  public func remove(atOffsets offsets: some Sequence<Int>) throws {
    try source.writableStore.delete(offsets, from: shown, of: Element.self)
  }

  /// The section's rows on screen.
  ///
  /// If the section has been removed since, the rows when its key was last shown.
  private var shown: RowSlice<Object> {
    let grouping = wrappedValue.list.grouping
    let rows = source.query.shown(wrappedValue, group: wrappedValue.group).rows
    var range = grouping.range(of: wrappedValue.group, in: rows)
    // An old value: the section was removed and inserted again with another number.
    if range.isEmpty, let number = wrappedValue.keys.known(id) {
      range = grouping.range(of: number, in: rows)
    }
    return RowSlice(rows, in: range)
  }
}

extension BoundSection: Equatable {
  /// Returns whether both are the same section of the same live sections.
  public static func == (lhs: BoundSection, rhs: BoundSection) -> Bool {
    lhs.wrappedValue == rhs.wrappedValue && lhs.wrappedValue.group == rhs.wrappedValue.group
  }
}
