/// What `$books` offers: results made with the view's state, and edits that mean what was on screen.
///
/// Offsets are those of the rows on screen: in the frame that the host made last, whatever was written since, and
/// whichever view of it shows them. Of results that no view shows, as outside of a view, they are those of
/// the present rows. Over an `await` in an intent they mean nothing any more: take the objects before it.
public struct BoundResults<Element: _ResultElement> {
  let source: ObservedSource<Results<Element>>

  /// The results that satisfy a condition which uses the view's own state.
  ///
  /// `on` must hold all the state that the condition uses: the results are kept for as long as it is the
  /// same, and the condition's own reads of `@State` are no dependencies. Bodies that stop using a
  /// condition drop its results. A limit of the wrapper counts those that satisfy the condition.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> Results<Element> {
    results(on: state, file: file, line: line, column: column) { $0.where(isIncluded) }
  }

  /// The results that a closure makes of these with the view's own state: of other order, narrowed, limited.
  ///
  /// They are kept as those of ``where(on:file:line:column:_:)`` are, for as long as `on` is the same, which
  /// must hold all the state that the closure uses. The closure gets the results without the limit of the wrapper,
  /// which counts what it makes of them.
  ///
  /// ```swift
  /// ForEach($books.results(on: [order, query]) { $0.where { $0.title.contains(query) }.sorted(by: sorts[order]) })
  /// ```
  public func results<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ make: (Results<Element>) -> Results<Element>
  ) -> Results<Element> {
    source.shown(on: state, at: SourcePlace(file: file, line: line, column: column)) {
      make(Results(query: $0)).query
    }
  }

  /// Deletes an object, or the root of a projection, from the store; nothing happens if it was deleted already.
  public func remove(_ element: Element) throws { try source.writableStore.delete(element._object) }

  /// Deletes the objects that stand at `offsets` on screen, in one commit.
  ///
  /// What was deleted since is passed over. Offsets outside of what is shown trap.
  public func remove(atOffsets offsets: some Sequence<Int>) throws {
    try remove(atOffsets: offsets, in: source.live)
  }

  /// Deletes likewise the objects that stand at `offsets` in other results that the view shows.
  ///
  /// They are those of `where(on:)` or `results(on:)`, or whatever else stands on screen. Results that neither do
  /// nor came from this wrapper trap: with results made anew in an intent nobody saw offsets.
  public func remove(
    atOffsets offsets: some Sequence<Int>, in shown: Results<Element>
  ) throws {
    try source.writableStore.delete(offsets, from: rows(of: shown), of: Element.self)
  }

  private func rows(of shown: Results<Element>) -> SectionSpan {
    SectionSpan(source.query.shown(shown).rows)
  }
}

extension BoundResults {
  /// Moves rows to another place, by the property that they are sorted by, in one commit.
  ///
  /// - Offsets mean what is on screen, as ``remove(atOffsets:)`` has it; `destination` is the row before which they
  ///   come to stand. If that has gone since, the next that is still there stands for it, or the one before.
  /// - The values of the property are handed to the rows in their new order, so that only those between the old
  ///   and the new places change. Where two of these were the same, some are counted up or down: as few as
  ///   possible.
  /// - The results must be sorted by the property first, smallest or largest first; others trap by name.
  ///
  /// O(n).
  ///
  /// ```swift
  /// @ObservedResults(Song.self, sortedBy: \.rank) var songs
  /// ListBox(id: "songs", onMove: { try $songs.move(fromOffsets: $0, toOffset: $1, by: \.rank) }) { … }
  /// ```
  public func move<Key: FixedWidthInteger>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    by path: ReferenceWritableKeyPath<Element, Key>, in shown: Results<Element>? = nil
  ) throws {
    try move(offsets, destination, RowRank(path), in: shown)
  }

  /// Moves rows likewise by a property that is a floating-point number.
  public func move<Key: BinaryFloatingPoint>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    by path: ReferenceWritableKeyPath<Element, Key>, in shown: Results<Element>? = nil
  ) throws {
    try move(offsets, destination, RowRank(path), in: shown)
  }

  func move<Key>(
    _ offsets: some Sequence<Int>, _ destination: Int, _ rank: RowRank<Key>,
    in shown: Results<Element>?
  ) throws {
    let shown = shown ?? source.live
    try source.writableStore.move(
      Set(offsets), to: destination, from: rows(of: shown), by: rank, in: shown.query)
  }
}

extension BoundResults where Element: Object {
  /// Adds an object to the store, with all it reaches; nothing happens if it is there already.
  public func append(_ object: Element) throws { try source.writableStore.add(object) }
}

extension BoundResults where Element: RootedProjection, Element.Root: Object {
  /// Adds the root of a projection to the store, with all it reaches; nothing happens if it is there already.
  public func append(_ root: Element.Root) throws { try source.writableStore.add(root) }
}

extension Store {
  /// Deletes what stands at offsets of some rows, in one commit.
  func delete(
    _ offsets: some Sequence<Int>, from shown: SectionSpan, of type: Any.Type
  ) throws {
    let objects = Set(offsets).sorted().map { shown.object(at: $0, of: type) }
    try write { for object in objects { try delete(object) } }
  }
}

extension SectionSpan {
  /// All of some rows.
  init(_ rows: Tree<QueryRow>) { self.init(rows: rows, range: 0..<rows.count) }

  /// The object at an offset of an intent, among rows of a type.
  func object(at offset: Int, of type: Any.Type) -> Object {
    if offset < 0 || offset >= range.count {
      trap("offset \(offset) is outside of the \(range.count) rows of \(type) on screen")
    }
    return rows[range.lowerBound + offset].object
  }
}
