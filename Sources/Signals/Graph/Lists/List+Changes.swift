// The changes of a list property, in the same form as those of results.

extension KeyPathObservable {
  /// Publishes the exact change of a list property for each commit that changes it.
  ///
  /// - No change is lost: applied one after another, they turn the list at the time of subscription
  ///   into the current one. Changes within a member aren't changes of the list.
  /// - Changes are delivered after the commit, after effects, in order, one at a time.
  /// - The deletion of the object is reported once, with all members in `deletions`, which is empty
  ///   if the list was. No changes are reported after that unless the object is added again.
  /// - Commits with one of the `origins` given to `skipping` aren't reported. The next change
  ///   starts from the list that they left, as for ``Results/observe(skipping:_:)``.
  /// - A subscription keeps the object alive.
  ///
  /// Use ``publisher(for:)`` to receive the values of the list instead.
  ///
  /// ```swift
  /// let token = library.changes(of: \.available).sink { $0.apply(to: &rows) }
  /// ```
  ///
  /// - Parameters:
  ///   - list: The key path of the list.
  ///   - origins: The origins whose commits aren't reported; the next change starts from the state
  ///     after them.
  /// - Returns: A publisher of the changes.
  /// - Complexity: O(*n* log *n*) for each change.
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
    let observer = UncheckedState<(any Cancellable)?>(nil)
    let end = Cancellation { observer.value.take()?.cancel() }
    let type = type(of: object)
    observer.value = ValueObserver<ListState<Member>>(
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

/// A list, and whether its owner is deleted.
///
/// The list of a deleted owner counts as empty, whatever is written to it.
private struct ListState<Member: Object>: Equatable {
  let members: List<Member>
  let isDeleted: Bool

  init<Root: Object>(of object: Root, _ list: KeyPath<Root, List<Member>>) {
    isDeleted = object.isDeleted
    members = isDeleted ? [] : object[keyPath: list]
  }
}

extension CollectionChange where Member: Object {
  /// Creates the difference between two versions of a list.
  ///
  /// - Complexity: O(*n* log *n*).
  init(from old: List<Member>, to new: List<Member>) {
    self.init(from: Array(old), to: Array(new))
  }
}
