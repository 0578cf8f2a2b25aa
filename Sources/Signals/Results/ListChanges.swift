// The changes of a list property, as those of results are told.

extension KeyPathObservable {
  /// The exact change of a list property, for each commit that changes it.
  ///
  /// - None is lost: applied one after another they lead from the list at the time of subscription to
  ///   that of now. What changes within a member is no change of the list.
  /// - They are delivered after the commit, after effects, in order, one at a time.
  /// - The deletion of the object is told once, with all members in `deletions`: none if the list is empty. Nothing
  ///   is told after it, unless the object is added again.
  /// - Commits with one of the `origins` given to `skipping` are not told, and the next change leads from the list
  ///   that they left, as for ``Results/observe(skipping:_:)``.
  /// - A subscription keeps the object alive.
  ///
  /// Costs O(n log n) for each change. The list's values are what ``publisher(for:)`` sends.
  ///
  /// ```swift
  /// let token = library.changes(of: \.available).sink { $0.apply(to: &rows) }
  /// ```
  public func changes<Member: Object>(
    of list: KeyPath<Self, List<Member>>, skipping origins: Set<Origin> = []
  ) -> some Publisher<CollectionChange<Member>, Never> {
    ListChangesPublisher(object: self, list: list, origins: origins)
  }
}

private struct ListChangesPublisher<Root: KeyPathObservable, Member: Object>: Publisher {
  typealias Output = CollectionChange<Member>
  typealias Failure = Never

  let object: Root
  let list: KeyPath<Root, List<Member>>
  let origins: Set<Origin>

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let observer = Box<(any Cancellable)?>(nil)
    let end = Cancellation { unsafe observer.value.take()?.cancel() }
    let type = type(of: object)
    unsafe observer.value = ValueObserver<ListState<Member>>(
      of: object, initial: false, skipping: origins,
      describe: { "an observer of a list of \(type)" },
      named: SubscriptionName("an observer of a list of \(type)"), isEqual: ==
    ) { [object, list] in
      ListState(of: object, list)
    } _: { old, new in
      let change = CollectionChange(from: old.members, to: new.members)
      // An object that is added again may have an empty list.
      if change.isEmpty, !new.isDeleted { return }
      if !downstream.receive(change) { end.cancel() }
    }
    return end
  }
}

/// A list, and whether its owner was deleted: then it is empty, whatever is written to it.
private struct ListState<Member: Object>: Equatable {
  let members: List<Member>
  let isDeleted: Bool

  init<Root: Object>(of object: Root, _ list: KeyPath<Root, List<Member>>) {
    isDeleted = object.isDeleted
    members = isDeleted ? [] : object[keyPath: list]
  }
}

extension CollectionChange where Member: Object {
  /// Compares two versions of a list.
  ///
  /// O(n log n).
  init(from old: List<Member>, to new: List<Member>) {
    let edits = ListEdits(from: old.map(\.objectID), to: new.map(\.objectID))
    self.init(
      deletions: edits.removals.map(\.position), insertions: edits.insertions.map(\.position),
      moves: edits.moves.map { Pair(old: $0.old, new: $0.new) }, modifications: [],
      inserted: edits.insertions.map { new[$0.position] })
  }
}
