/// What `$books` offers: results narrowed by the view's state, and edits that mean what was on screen.
public struct BoundResults<Element: Object> {
  let query: ObservedQuery<Results<Element>>
  let make: (Store) -> Results<Element>

  private var results: Results<Element> {
    query.results("@ObservedResults of \(Element.self)", make)
  }
  private var store: Store { results.query.store }

  /// The results that satisfy a condition which uses the view's own state.
  ///
  /// `on` must hold all the state that the condition uses: the results are kept for as long as it is the
  /// same, and the condition's own reads of `@State` are no dependencies. Bodies that stop using a
  /// condition drop its results.
  public func `where`<State: Hashable>(
    on state: State, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> Results<Element> {
    let key = NarrowedKey(file: file, line: line, column: column, state: AnyHashable(state))
    return query.narrowed(key) {
      results.where { element in ViewState.ignored { isIncluded(element) } }
    }
  }

  /// Adds an object to the store, with all it reaches; nothing happens if it is there already.
  public func append(_ object: Element) throws { try store.add(object) }

  /// Deletes an object from the store; nothing happens if it was deleted already.
  public func remove(_ object: Element) throws { try store.delete(object) }

  /// Deletes the objects that stood at `offsets` when the view was last evaluated, in one commit.
  ///
  /// What was deleted since is passed over. Offsets outside of what was shown trap.
  public func remove(atOffsets offsets: some Sequence<Int>) throws {
    try store.delete(offsets, from: query.shown(results))
  }

  /// Deletes likewise the objects that stood at `offsets` in results of `where(on:)`.
  public func remove(
    atOffsets offsets: some Sequence<Int>, in narrowed: Results<Element>
  ) throws {
    try store.delete(offsets, from: query.shown(narrowed))
  }
}

extension Store {
  /// Deletes what stood at offsets of some rows, in one commit.
  func delete(_ offsets: some Sequence<Int>, from shown: Tree<QueryRow>) throws {
    let objects = Set(offsets).sorted().map { offset in
      if offset < 0 || offset >= shown.count {
        trap("offset \(offset) is outside of the \(shown.count) rows on screen")
      }
      return shown[offset].object
    }
    try write { for object in objects { try delete(object) } }
  }
}
