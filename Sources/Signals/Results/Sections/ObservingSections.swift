// The changes of sections, told to observers and published.

extension Sections {
  /// Calls `receive` with the exact change after each commit that changes sections, or a row in them.
  ///
  /// As observers of results are, it is called in the order of registration, after effects, and ends when the
  /// token is cancelled or released. Commits with one of the `origins` given to `skipping` are not told, and the
  /// next change leads from what they left, as for ``Results/observe(skipping:_:)``.
  public func observe(
    skipping origins: Set<Origin> = [],
    _ receive: @escaping (SectionsChange<Key, Element>) -> Void
  ) -> any Cancellable {
    changes(skipping: origins).sink(receiveValue: receive)
  }

  /// The exact change of each commit, as ``observe(skipping:_:)`` gives it; none is lost.
  public var changes: some Publisher<SectionsChange<Key, Element>, Never> { changes(skipping: []) }

  /// The exact change of each commit but those of some origins.
  public func changes(
    skipping origins: Set<Origin>
  ) -> some Publisher<SectionsChange<Key, Element>, Never> {
    SectionsPublisher(sections: self, origins: origins)
  }

  /// The present sections first, then those after each commit that changes them.
  ///
  /// Each value is made in O(n).
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
    SectionsObserver(sections.list, skipping: origins) { downstream.receive(sections.typed($0)) }
  }
}
