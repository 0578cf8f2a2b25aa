// Results as publishers: `publisher` sends coalesced values, and `changes` sends every change.

extension Results {
  /// Publishes the exact change of each commit, as ``observe(skipping:_:)`` reports it.
  ///
  /// - No change is lost: applied one after another, they turn the rows at the time of subscription
  ///   into the current ones.
  /// - Changes are delivered after the commit, after effects, in order, one at a time.
  public var changes: some Publisher<CollectionChange<Element>, Never> { changes(skipping: []) }

  /// Publishes the exact change of each commit, except commits with one of the given origins.
  ///
  /// Skipped commits are handled as in ``observe(skipping:_:)``.
  public func changes(
    skipping origins: Set<Origin>
  ) -> some Publisher<CollectionChange<Element>, Never> {
    ChangesPublisher { receive in
      query.observe(skipping: origins) { receive($0.map(Element._element)) }
    }
  }

  /// Publishes the current rows, then the new ones after each commit that changes membership or
  /// order.
  ///
  /// - Values are coalesced; ``changes`` reports every change in between.
  /// - A modification that changes neither membership nor order sends no value.
  ///
  /// - Complexity: O(*n*) for each value, which is a separate array.
  public var publisher: some Publisher<[Element], Never> {
    ObservationPublisher(name: "a subscriber of \(query.description)") { Array(self) }
  }
}
