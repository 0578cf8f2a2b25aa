/// What `$sections` offers: the sections with edits that mean what was on screen, and narrowed by state.
public struct BoundSections<Key: Hashable, Element: Object> {
  let query: ObservedQuery<Sections<Key, Element>>
  /// The live sections.
  public let sections: Sections<Key, Element>

  /// The sections of the rows that satisfy a condition which uses the view's own state.
  ///
  /// `on` must hold all the state that the condition uses, as in ``BoundResults``.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> BoundSections {
    let key = NarrowedKey(file: file, line: line, column: column, state: AnyHashable(state))
    let narrowed = query.narrowed(key) {
      sections.make(
        sections.results.where { element in ViewState.ignored { isIncluded(element) } })
    }
    return BoundSections(query: query, sections: narrowed)
  }

  /// Adds an object to the store, with all it reaches; nothing happens if it is there already.
  public func append(_ object: Element) throws { try sections.list.query.store.add(object) }

  /// Deletes an object from the store; nothing happens if it was deleted already.
  public func remove(_ object: Element) throws { try sections.list.query.store.delete(object) }

  /// Deletes the objects that stood at `offsets` of a section when the view was last evaluated, in one commit.
  ///
  /// What was deleted since is passed over. Offsets outside of what was shown trap.
  public func remove(
    atOffsets offsets: some Sequence<Int>, in section: Sections<Key, Element>.Section
  ) throws {
    try BoundSection(query: query, sections: sections, section).remove(atOffsets: offsets)
  }
}

extension BoundSections: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { sections.endIndex }

  /// The section at a position; O(log n), and a trap outside of the sections.
  public subscript(position: Int) -> BoundSection<Key, Element> {
    BoundSection(query: query, sections: sections, sections[position])
  }
}

/// A section on screen: `section` in `ForEach($sections) { $section in … }`.
@propertyWrapper
public struct BoundSection<Key: Hashable, Element: Object>: Identifiable {
  /// The live section.
  public let wrappedValue: Sections<Key, Element>.Section
  private let query: ObservedQuery<Sections<Key, Element>>
  private let sections: Sections<Key, Element>
  /// The number under which the section is on screen.
  private let group: Int?

  init(
    query: ObservedQuery<Sections<Key, Element>>, sections: Sections<Key, Element>,
    _ section: Sections<Key, Element>.Section
  ) {
    self.query = query
    self.sections = sections
    wrappedValue = section
    group = section.keys.known(section.key)
  }

  /// Takes the section that a `ForEach` hands out.
  public init(projectedValue: BoundSection) { self = projectedValue }

  /// The section with its edits.
  public var projectedValue: BoundSection { self }

  /// The section's key.
  public var id: Key { wrappedValue.key }

  /// Deletes the objects that stood at `offsets` when the view was last evaluated, in one commit.
  ///
  /// What was deleted since is passed over. Offsets outside of what was shown trap.
  public func remove(atOffsets offsets: some Sequence<Int>) throws {
    let shown = query.shown(sections)
    let rows = group.map { sections.list.grouping.rows(of: $0, in: shown) } ?? Tree()
    try sections.list.query.store.delete(offsets, from: rows)
  }
}

extension BoundSection: Equatable {
  /// Two are equal if they are the same section of the same live sections.
  public static func == (lhs: BoundSection, rhs: BoundSection) -> Bool {
    lhs.wrappedValue == rhs.wrappedValue && lhs.group == rhs.group
  }
}
