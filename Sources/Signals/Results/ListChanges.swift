// The changes of a list property, as those of results are told.

extension KeyPathObservable {
  /// The exact change of a list property, for each commit that changes it.
  ///
  /// - None is lost: applied one after another they lead from the list at the time of subscription to
  ///   that of now. What changes within a member is no change of the list.
  /// - They are delivered after the commit, after effects, in order, one at a time.
  /// - A subscription keeps the object alive.
  ///
  /// Costs O(n log n) for each change. The list's values are what ``publisher(for:)`` sends.
  ///
  /// ```swift
  /// let token = library.changes(of: \.available).sink { $0.apply(to: &rows) }
  /// ```
  public func changes<Member: Object>(
    of list: KeyPath<Self, List<Member>>
  ) -> some Publisher<CollectionChange<Member>, Never> {
    Deferred { [self] in
      let last = Box<List<Member>?>(nil)
      return publisher(for: list).compactMap { new -> CollectionChange<Member>? in
        let old = unsafe last.value
        unsafe last.value = new
        return old.map { CollectionChange(from: $0, to: new) }
      }
    }
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
