// Observing and publishing the changes of sections.

extension Sections {
  /// Calls `receive` with the exact change after each commit that changes the sections or a row in
  /// them.
  ///
  /// Observers run in the order of registration, after effects. The subscription ends when the
  /// token is cancelled or released.
  ///
  /// Commits with one of the `origins` given to `skipping` aren't reported. The next change starts
  /// from the version that they left, as described for ``Results/observe(skipping:_:)``.
  public func observe(
    skipping origins: Set<Origin> = [],
    _ receive: @escaping (SectionsChange<Key, Element>) -> Void
  ) -> any Cancellable {
    changes(skipping: origins).sink(receiveValue: receive)
  }

  /// Publishes the exact change of each commit, as ``observe(skipping:_:)`` reports it, without
  /// losing any.
  public var changes: some Publisher<SectionsChange<Key, Element>, Never> { changes(skipping: []) }

  /// Publishes the exact change of each commit, except commits with one of the given origins.
  public func changes(
    skipping origins: Set<Origin>
  ) -> some Publisher<SectionsChange<Key, Element>, Never> {
    SectionsPublisher(sections: self, origins: origins)
  }

  /// Publishes the current sections, then the new ones after each commit that changes them.
  ///
  /// - Complexity: O(*n*) for each value.
  public var publisher: some Publisher<[SectionRows<Key, Element>], Never> {
    ObservationPublisher(name: "a subscriber of the sections of \(list.query.type)") { contents }
  }

  func typed(_ difference: SectionsDifference) -> SectionsChange<Key, Element> {
    SectionsChange(
      sections: difference.sections.map { group in
        guard let key = keys.key(of: group) else { trap("a section has lost its key") }
        return key
      },
      deletions: difference.deletions, insertions: difference.arrivals.map(\.path),
      moves: difference.moves, modifications: difference.modifications,
      inserted: difference.arrivals.map { Element._element(of: $0.object) })
  }
}

struct SectionsPublisher<Key: Hashable, Element: _ResultElement>: Publisher {
  typealias Output = SectionsChange<Key, Element>
  typealias Failure = Never

  let sections: Sections<Key, Element>
  let origins: Set<Origin>

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    sections.list.observe(skipping: origins) { downstream.receive(sections.typed($0)) }
  }
}
