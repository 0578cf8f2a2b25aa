/// What the wrappers of live results have in common: how these are made, and where they are kept.
struct ObservedSource<Live: ObservedLive> {
  /// What the wrapper is, for who has no store.
  let name: () -> String
  /// The store, unless it is the one around the view.
  let store: Store?
  /// The results of a store.
  let base: (Store) -> Query
  /// What is shown of results: no more than a limit allows, or sections.
  let make: (Query) -> Live
  private let unbound = ObservedQuery<Live>()
  private var bound: ObservedQuery<Live>?

  init(
    _ name: @autoclosure @escaping () -> String, in store: Store?,
    _ base: @escaping (Store) -> Query,
    make: @escaping (Query) -> Live
  ) {
    self.name = name
    self.store = store
    self.base = base
    self.make = make
  }

  /// Binds the wrapper to what is kept for a view.
  mutating func bind(to slot: Slot) {
    let query = slot.value {
      let made = ObservedQuery<Live>()
      slot.scope.sweeps.append(made)
      return made
    }
    query.beginBody(of: slot.scope)
    query.store = store ?? slot.scope.bindSurroundings().value(at: \.store)
    bound = query
  }

  var query: ObservedQuery<Live> {
    if let bound { return bound }
    unbound.store = store
    return unbound
  }

  /// What is shown.
  var live: Live { query.present(self) }

  /// All results, of which a limit may show less.
  var all: Query { query.base(self) }

  /// What is made with the state of a view, of all results or of those that were made likewise.
  func made(
    on state: some Hashable, at place: SourcePlace, of base: Query? = nil,
    _ make: (Query) -> Live
  ) -> Live {
    let base = base ?? all
    return query.narrowed(NarrowedKey(place, base, state), of: base, make)
  }

  /// What is shown of the results that a closure makes with the state of a view.
  func shown(
    on state: some Hashable, at place: SourcePlace, _ narrow: (Query) -> Query
  ) -> Live {
    made(on: state, at: place) { make(narrow($0)) }
  }

  /// The store, to which what is on screen belongs.
  var writableStore: Store { all.store }
}
