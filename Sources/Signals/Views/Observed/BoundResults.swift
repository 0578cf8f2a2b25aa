/// The projected value of `@ObservedResults`: results that use the view's state, and edits by the
/// offsets on screen.
///
/// Offsets refer to the rows on screen, in the frame that the host made last. It doesn't matter
/// what has been written since, or which of the host's views shows them. Outside of a view, they
/// refer to the current rows. Offsets aren't valid after an `await` in an intent: take the objects
/// before it.
public struct BoundResults<Element: _ResultElement> {
  let source: ObservedSource<Results<Element>>

  /// Returns the results that satisfy a condition that uses the view's own state.
  ///
  /// Call it in the body of the view that has the wrapper, or in the rows of that body. There the
  /// results are kept as long as `state` has an equal value, and offsets on screen may refer to them.
  /// In the body of another view that the projected value was passed to, each call makes new results:
  /// pass the results to that view instead. Reads of `@State` in the condition
  /// aren't dependencies. The results are released once no body uses the condition. A limit of the
  /// wrapper counts the results that satisfy the condition.
  ///
  /// - Parameters:
  ///   - state: A value that must contain all the state that the condition uses.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - column: The column of the call; leave it to the compiler.
  ///   - isIncluded: The condition.
  /// - Returns: The results, the same ones as long as `state` is equal.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> Results<Element> {
    results(on: state, file: file, line: line, column: column) { $0.where(isIncluded) }
  }

  /// Returns the results that a closure makes with the view's own state: sorted, narrowed or
  /// limited.
  ///
  /// Like those of ``where(on:file:line:column:_:)``, they are kept as long as `state` is equal, and
  /// only in the view that has the wrapper.
  ///
  /// ```swift
  /// ForEach($books.results(on: [order, query]) { $0.where { $0.title.contains(query) }.sorted(by: sorts[order]) })
  /// ```
  ///
  /// - Parameters:
  ///   - state: A value that must contain all the state that the closure uses.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - column: The column of the call; leave it to the compiler.
  ///   - make: Returns the results, given those without the wrapper's limit. The limit is applied
  ///     to its result.
  /// - Returns: The results that `make` returned, the same ones as long as `state` is equal.
  public func results<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ make: (Results<Element>) -> Results<Element>
  ) -> Results<Element> {
    source.shown(on: state, at: SourcePlace(file: file, line: line, column: column)) {
      make(Results(query: $0)).query
    }
  }

  /// Deletes an object, or the root of a projection, from the store.
  ///
  /// Does nothing if it has been deleted already.
  ///
  /// - Throws: ``StoreError/deletionDenied(_:target:)`` if a link with the rule `.deny` leads to
  ///   the object; or the error of a ``Store/beforeCommit(file:line:_:)`` rule.
  public func remove(_ element: Element) throws { try source.writableStore.delete(element._object) }

  /// Deletes the objects at the given offsets on screen, in one commit.
  ///
  /// Objects that have been deleted since are skipped. Offsets outside of the rows on screen trap.
  ///
  /// Without `shown`, the offsets are those of the rows on screen that come from the wrapper: its
  /// own, or those of `where(on:)` or `results(on:)`. If several of these are on screen, or none,
  /// the call traps and says so. Reading only the number of rows doesn't put them on screen.
  ///
  /// - Parameters:
  ///   - offsets: Offsets in `shown`, as it is on screen.
  ///   - shown: Any results on screen; nil for the only ones that come from the wrapper. Other
  ///     results trap, such as new ones made in an intent, because their offsets were never on
  ///     screen.
  /// - Throws: ``StoreError/deletionDenied(_:target:)`` if a link with the rule `.deny` leads to
  ///   one of the objects, or the error of a ``Store/beforeCommit(file:line:_:)`` rule. Then none is deleted.
  public func remove(
    atOffsets offsets: some Sequence<Int>, in shown: Results<Element>? = nil
  ) throws {
    let rows = source.query.shown(shown ?? source.onScreen).rows
    try source.writableStore.delete(
      offsets, from: RowSlice(rows, in: 0..<rows.count), of: Element.self)
  }
}

extension BoundResults where Element: Object {
  /// Adds an object to the store, with all objects it reaches.
  ///
  /// Does nothing if it is stored already.
  ///
  /// - Throws: The errors of `Store.add`, such as ``StoreError/duplicateKey(_:key:)``.
  public func append(_ object: Element) throws { try source.writableStore.add(object) }
}

extension BoundResults where Element: ProjectionProtocol, Element.Root: Object {
  /// Adds the root of a projection to the store, with all objects it reaches.
  ///
  /// Does nothing if it is stored already.
  ///
  /// - Throws: The errors of `Store.add`, such as ``StoreError/duplicateKey(_:key:)``.
  public func append(_ root: Element.Root) throws { try source.writableStore.add(root) }
}

extension Store {
  /// Deletes the objects at the given offsets of displayed rows, in one commit.
  func delete(
    _ offsets: some Sequence<Int>, from shown: RowSlice<Object>, of type: Any.Type
  ) throws {
    let objects = Set(offsets).sorted().map { shown.object(at: $0, of: type) }
    try write { for object in objects { try delete(object) } }
  }
}

extension RowSlice<Object> {
  /// The object at an offset that an intent was given, in rows of a type.
  func object(at offset: Int, of type: Any.Type) -> Object {
    if offset < 0 || offset >= range.count {
      trap("offset \(offset) is outside of the \(range.count) rows of \(type) on screen")
    }
    return rows[range.lowerBound + offset].object
  }
}
