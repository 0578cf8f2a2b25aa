// Results as publishers.

extension Results {
  /// The exact change of each commit, as ``observe(_:)`` gives it: applied one after another they
  /// lead from the rows at the time of subscription to those of now; none is lost.
  public var changes: some Publisher<CollectionChange<Element>, Never> {
    ChangesPublisher<Element>(query: query)
  }

  /// The present rows first, then those after each commit that changes membership or order.
  ///
  /// Values are coalesced: what happened in between is told by ``changes``. Each value is an array of
  /// its own, made in O(n).
  public var publisher: some Publisher<[Element], Never> {
    ObservationPublisher(name: "a subscriber of \(query.description)") { Array(self) }
  }
}

struct ChangesPublisher<Element: Object>: Publisher {
  typealias Output = CollectionChange<Element>
  typealias Failure = Never

  let query: Query

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    ResultsObserver(query) { change in
      downstream.receive(change.map { List<Element>.typed($0) })
    }
  }
}
