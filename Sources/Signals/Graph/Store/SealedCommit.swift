// A commit is passed to its observers while it is sealed. The change set has the values of all properties of
// inserted and deleted objects, so it is made for the first observer that reads it, and for none if none does.

/// A commit that is being sealed.
///
/// It is valid only while an observer is called with it.
package struct SealedCommit {
  private let transaction: Transaction
  private let store: Store
  private var known: ChangeSet?
  private var knownStore: CurrentStore?

  init(_ transaction: Transaction, of store: Store) {
    (self.transaction, self.store) = (transaction, store)
  }

  /// The origin of the commit.
  package var origin: Origin? { store.origin(of: transaction) }

  /// The number of writes, at least as many as there are changed objects.
  package var entryCount: Int { transaction.journal.entries.count }

  var kind: StoreCommit.Kind { store.kind(of: transaction) }

  /// The changes, which are empty if an instance was replaced by an equal one with the same id.
  package var changes: ChangeSet {
    mutating get {
      if let known { return known }
      let changes = store.changeSet(of: transaction)
      known = changes
      return changes
    }
  }

  /// The store, for those that receive the changes later.
  var currentStore: CurrentStore {
    mutating get {
      if let knownStore { return knownStore }
      let current = store.currentStore(transaction)
      knownStore = current
      return current
    }
  }

  /// Returns the changes of some objects.
  ///
  /// - Parameter isChosen: Returns whether the change of an object is included. It is called once for each
  ///   object that may have changed, in order, with its id, the kind of its change, and the object unless
  ///   it was deleted.
  package func changes(
    where isChosen: (ObjectID, ObjectChange.Kind, Object?) -> Bool
  ) -> ChangeSet {
    withoutActuallyEscaping(isChosen) {
      ChangeSet(transaction.journal, origin: origin, in: store, where: $0)
    }
  }
}
