// Results as publishers: `publisher` is of values, coalesced; `changes` of what happened, all of it.

extension Results {
  /// The exact change of each commit, as ``observe(skipping:_:)`` gives it.
  ///
  /// - None is lost: applied one after another they lead from the rows at the time of subscription to
  ///   those of now.
  /// - They are delivered after the commit, after effects, in order, one at a time.
  public var changes: some Publisher<CollectionChange<Element>, Never> { changes(skipping: []) }

  /// The exact change of each commit but those of some origins, as ``observe(skipping:_:)`` gives it.
  public func changes(
    skipping origins: Set<Origin>
  ) -> some Publisher<CollectionChange<Element>, Never> {
    ChangesPublisher<Element>(query: query, origins: origins)
  }

  /// The present rows first, then those after each commit that changes membership or order.
  ///
  /// - Values are coalesced: what happened in between is told by ``changes``.
  /// - A modification that changes neither membership nor order is no new value.
  ///
  /// Each value is an array of its own, made in O(n).
  public var publisher: some Publisher<[Element], Never> {
    ObservationPublisher(name: "a subscriber of \(query.description)") { Array(self) }
  }
}

struct ChangesPublisher<Element: _ResultElement>: Publisher {
  typealias Output = CollectionChange<Element>
  typealias Failure = Never

  let query: Query
  let origins: Set<Origin>

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    ResultsObserver(query, skipping: origins) { change in
      downstream.receive(change.map(Element._element))
    }
  }
}
