/// The projected value of `@ObservedSections`: the sections with edits by the offsets on screen,
/// and sections that use the view's state.
public struct BoundSections<Key: Hashable, Element: _ResultElement> {
  let source: ObservedSource<Sections<Key, Element>>
  /// The live sections.
  public let sections: Sections<Key, Element>

  func made(
    on state: some Hashable, at place: SourcePlace, _ make: (Query) -> Sections<Key, Element>
  ) -> BoundSections {
    BoundSections(
      source: source, sections: source.made(on: state, at: place, of: sections.query, make))
  }

  /// The section as it is passed to rows.
  private func bound(_ section: Sections<Key, Element>.Section) -> BoundSection<Key, Element> {
    BoundSection(source: source, wrappedValue: section)
  }

  /// Deletes the objects at the given paths in these sections on screen, in one commit.
  ///
  /// Objects that have been deleted since are skipped. Paths outside of the rows on screen trap.
  ///
  /// - Parameter paths: The places of the rows, as they are on screen.
  /// - Throws: ``StoreError/deletionDenied(_:target:)`` if a link with the rule `.deny` leads to
  ///   one of the objects, or the error of a ``Store/beforeCommit(file:line:_:)`` rule. Then none is deleted.
  public func remove(at paths: some Sequence<RowPath>) throws {
    let shown = source.query.shown(sections).sections ?? Tree()
    let objects = Set(paths).sorted().map { path in
      if path.section < 0 || path.section >= shown.count {
        trap(
          "section \(path.section) is outside of the \(shown.count) sections of \(Element.self) on "
            + "screen")
      }
      let group = shown[path.section].group
      let rows = source.query.shown(sections, group: group).rows
      let range = sections.list.grouping.range(of: group, in: rows)
      return RowSlice<Object>(rows, in: range).object(at: path.row, of: Element.self)
    }
    let store = source.writableStore
    try store.write { for object in objects { try store.delete(object) } }
  }
}

extension BoundSections {
  /// Returns the sections of the rows that satisfy a condition that uses the view's own state.
  ///
  /// The rules are those of ``BoundResults/where(on:file:line:column:_:)``.
  ///
  /// - Parameters:
  ///   - state: A value that must contain all the state that the condition uses.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - column: The column of the call; leave it to the compiler.
  ///   - isIncluded: The condition.
  /// - Returns: The sections, the same ones as long as `state` is equal.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> BoundSections {
    made(on: state, at: SourcePlace(file: file, line: line, column: column)) {
      sections.make(Results<Element>(query: $0).where(isIncluded).query)
    }
  }

  /// Returns the sections that a closure makes from the results with the view's own state:
  /// narrowed, or with other keys or another order.
  ///
  /// The rules are those of ``BoundResults/results(on:file:line:column:_:)``.
  ///
  /// ```swift
  /// ForEach($shelves.sections(on: order) { $0.sectioned(by: \.author, order: order) }) { $shelf in … }
  /// ```
  ///
  /// - Parameters:
  ///   - state: A value that must contain all the state that the closure uses.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - column: The column of the call; leave it to the compiler.
  ///   - make: Returns the sections, given all results.
  /// - Returns: The sections that `make` returned, the same ones as long as `state` is equal.
  public func sections<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ make: (Results<Element>) -> Sections<Key, Element>
  ) -> BoundSections {
    made(on: state, at: SourcePlace(file: file, line: line, column: column)) {
      make(Results(query: $0))
    }
  }

  /// Deletes an object, or the root of a projection, from the store.
  ///
  /// Does nothing if it has been deleted already.
  ///
  /// - Throws: ``StoreError/deletionDenied(_:target:)`` if a link with the rule `.deny` leads to
  ///   the object; or the error of a ``Store/beforeCommit(file:line:_:)`` rule.
  public func remove(_ element: Element) throws { try source.writableStore.delete(element._object) }
}

extension BoundSections where Element: Object {
  /// Adds an object to the store, with all objects it reaches.
  ///
  /// Does nothing if it is stored already.
  ///
  /// - Throws: The errors of `Store.add`, such as ``StoreError/duplicateKey(_:key:)``.
  public func append(_ object: Element) throws { try source.writableStore.add(object) }
}

extension BoundSections where Element: ProjectionProtocol, Element.Root: Object {
  /// Adds the root of a projection to the store, with all objects it reaches.
  ///
  /// Does nothing if it is stored already.
  ///
  /// - Throws: The errors of `Store.add`, such as ``StoreError/duplicateKey(_:key:)``.
  public func append(_ root: Element.Root) throws { try source.writableStore.add(root) }
}

extension BoundSections: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { sections.endIndex }

  /// The section at a position; traps outside of the sections.
  ///
  /// - Complexity: O(log n)
  public subscript(position: Int) -> BoundSection<Key, Element> { bound(sections[position]) }

  /// The sections of the current version in a range.
  ///
  /// Later changes don't affect the slice.
  public subscript(bounds: Range<Int>) -> ArraySlice<BoundSection<Key, Element>> {
    sections.present.map(bound)[bounds]
  }

  /// Iterates over the sections of the current version, in order.
  ///
  /// Each shows its current rows.
  ///
  /// - Returns: The iterator, over a fixed list of sections.
  /// - Complexity: O(sections)
  public func makeIterator() -> IndexingIterator<[BoundSection<Key, Element>]> {
    sections.present.map(bound).makeIterator()
  }
}
