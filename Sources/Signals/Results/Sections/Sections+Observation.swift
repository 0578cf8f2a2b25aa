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
    ChangesPublisher { receive in
      list.observe(skipping: origins) { receive(typed($0)) }
    }
  }

  /// Publishes the current sections, then the new ones after each commit that changes them.
  ///
  /// - Complexity: O(*n*) for each value.
  public var publisher: some Publisher<[SectionRows<Key, Element>], Never> {
    ObservationPublisher(name: "a subscriber of the sections of \(list.query.type)") { contents }
  }

  /// Returns a change with the keys and elements of these sections.
  private func typed(_ change: SectionsChange<Int, Object>) -> SectionsChange<Key, Element> {
    SectionsChange(
      sections: change.sections.map { group in
        guard let key = keys.key(of: group) else { trap("a section has lost its key") }
        return key
      },
      deletions: change.deletions, insertions: change.insertions, moves: change.moves,
      modifications: change.modifications, inserted: change.inserted.map(Element._element))
  }
}
