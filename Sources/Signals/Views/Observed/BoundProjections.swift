/// What `$rows` of ``ObservedProjections`` offers: rows made with the view's state, and edits of what was on screen.
///
/// Offsets are those of the rows on screen, as in ``BoundResults``.
public struct BoundProjections<Row: RootedProjection> where Row.Root: Object {
  let source: ObservedSource<Results<Row.Root>>

  private var objects: BoundResults<Row.Root> { BoundResults(source: source) }

  /// The rows that satisfy a condition which uses the view's own state.
  ///
  /// `on` must hold all the state that the condition uses, as in ``BoundResults``.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Row) -> Bool
  ) -> ProjectedResults<Row> {
    results(on: state, file: file, line: line, column: column) { $0.where(isIncluded) }
  }

  /// The rows that a closure makes of these with the view's own state: of other order, narrowed, limited.
  ///
  /// `on` must hold all the state that the closure uses, as in ``BoundResults/results(on:file:line:column:_:)``.
  public func results<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ make: (ProjectedResults<Row>) -> ProjectedResults<Row>
  ) -> ProjectedResults<Row> {
    ProjectedResults(
      source.shown(on: state, at: SourcePlace(file: file, line: line, column: column)) {
        make(ProjectedResults(Results(query: $0))).results.query
      })
  }

  /// Adds the root of a row to the store, with all it reaches; nothing happens if it is there already.
  public func append(_ root: Row.Root) throws { try objects.append(root) }

  /// Deletes the root of a row from the store; nothing happens if it was deleted already.
  public func remove(_ row: Row) throws { try objects.remove(row.root) }

  /// Deletes the roots of the rows that stand at `offsets` on screen, in one commit.
  ///
  /// What was deleted since is passed over. Offsets outside of what is shown trap.
  public func remove(atOffsets offsets: some Sequence<Int>) throws {
    try objects.remove(atOffsets: offsets)
  }

  /// Deletes likewise the roots of the rows that stand at `offsets` in other rows that the view shows.
  ///
  /// They are those of `where(on:)` or `results(on:)`, or whatever else stands on screen; others trap.
  public func remove(
    atOffsets offsets: some Sequence<Int>, in shown: ProjectedResults<Row>
  ) throws {
    try objects.remove(atOffsets: offsets, in: shown.results)
  }

  /// Moves rows to another place, by the property that they are sorted by, in one commit.
  ///
  /// As those of ``BoundResults`` are moved; `path` is that of a ``ProjectedWritable``.
  public func move<Key: FixedWidthInteger>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    by path: ReferenceWritableKeyPath<Row, Key>, in shown: ProjectedResults<Row>? = nil
  ) throws {
    try objects.move(
      offsets, destination, RowRank(path, RowAccess<Row>.projections), in: shown?.results)
  }

  /// Moves rows likewise by a property that is a floating-point number.
  public func move<Key: BinaryFloatingPoint>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    by path: ReferenceWritableKeyPath<Row, Key>, in shown: ProjectedResults<Row>? = nil
  ) throws {
    try objects.move(
      offsets, destination, RowRank(path, RowAccess<Row>.projections), in: shown?.results)
  }
}
