/// The common part of the wrappers of live results: how the results are made, and where they are
/// kept.
struct ObservedSource<Live: ObservedLive> {
  /// A description of the wrapper, for the error that it has no store.
  let name: () -> String
  /// The store; nil for that of the view's environment.
  let store: Store?
  /// Makes the query for all results of a store.
  let base: (Store) -> Query
  /// Makes the live results or sections from a query, with the limit applied.
  let make: (Query) -> Live
  private let unbound = ObservedResultsStorage<Live>()
  private var bound: ObservedResultsStorage<Live>?

  /// Creates the source of the objects of a class that satisfy a condition, in an order.
  init<Element: _ResultElement>(
    _ name: @autoclosure @escaping () -> String, _ type: Element.Type,
    sortedBy sorts: [RowSort<Element>], where isIncluded: ((Element) -> Bool)?, in store: Store?,
    make: @escaping (Query) -> Live
  ) {
    self.name = name
    self.store = store
    base = { store in
      let results = store.results(type).sorted(by: sorts)
      return (isIncluded.map { results.where($0) } ?? results).query
    }
    self.make = make
  }

  /// Binds the wrapper to the state kept for a view.
  mutating func bind(to slot: ViewSlot) {
    let query = slot.value {
      let made = ObservedResultsStorage<Live>()
      slot.scope.perBodySlots.append(made)
      return made
    }
    query.beginBody(of: slot.scope)
    query.store = store ?? slot.scope.bindEnvironmentReads().value(at: \.store)
    bound = query
  }

  var query: ObservedResultsStorage<Live> {
    if let bound { return bound }
    unbound.store = store
    return unbound
  }

  /// The live results or sections.
  var live: Live { query.present(self) }

  /// The only live results or sections of the wrapper that are on screen, which offsets refer to.
  var onScreen: Live { query.onScreen(self) }

  /// The query for all results, without the limit.
  var all: Query { query.base(self) }

  /// The live results or sections that `make` makes with the view's state, from all results or from
  /// `base`.
  func made(
    on state: some Hashable, at place: SourcePlace, of base: Query? = nil,
    _ make: (Query) -> Live
  ) -> Live {
    let base = base ?? all
    let key = StateQueryKey(place: place, base: ObjectIdentifier(base), state: AnyHashable(state))
    return query.narrowed(key, of: base, make: make)
  }

  /// The live results that a closure makes with the view's state, with the limit applied.
  func shown(
    on state: some Hashable, at place: SourcePlace, _ narrow: (Query) -> Query
  ) -> Live {
    made(on: state, at: place) { make(narrow($0)) }
  }

  /// The store of the results, for edits.
  var writableStore: Store { all.store }
}
