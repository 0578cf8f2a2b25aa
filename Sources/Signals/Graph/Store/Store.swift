// The owner of a graph.
//
// State. Only the isolation domain that made the store touches it, in the files named here:
// - `now`: the clock, which the user may replace;
// - `tables`, `sequence`: the stored objects by class, and the sequence number of the object added
//   last; Store+Insertion.swift and Store+Deletion.swift;
// - `transaction`: the open transaction; `isSealing`: whether a transaction is being sealed;
//   `ended`: the transactions of callbacks that are over but have not released their contents yet,
//   the innermost last; `spare`: a transaction to be reused; Store+Transactions.swift;
// - `originFilters`: observers that may skip the notification of the transaction;
//   OriginFilter.swift;
// - `queryRegistrationCount`: the number of registrations of queries with tables, which ask for the
//   objects that a commit modified; ObjectTable.swift;
// - `writeObserverCount`: the same number, plus one if a snapshot was ever made;
// - `snapshots`: the tables of the latest snapshot, once there was one; Store+Snapshots.swift;
// - `givenIDs`: an object of this process whose ID has a counter up to this one may already be
//   stored as another instance;
// - `history`, `histories`, and `historyCount`, the number of histories that keep commits;
//   Store+Undo.swift;
// - `commitObservers`: the observers that receive change sets; Commits.swift;
// - `faults`: the points where tests make the store fail; FaultPoints.swift;
// - `willEnd`: a hook for tests that check what is left when the store is released;
// - `offsets`: offsets of key paths, learned on stored objects;
// - `companions`: objects that higher layers keep for the store, one of each class;
// - `identities`, `trackedIDs`: the objects by ID, from the first lookup on, and the IDs that were
//   looked up under tracking; Store+Lookup.swift.

private import CSignalsThread

/// Owns a graph of objects, changes it in transactions, and reports the changes.
///
/// - A transaction is all or nothing: if its closure throws, every change is undone and no observer
///   is notified.
/// - Observers see a transaction as one change, after it is complete.
/// - A store and all its objects belong to the isolation domain that made the store. It takes no
///   lock.
/// - When a store is released, its objects are detached: links read as nil and lists as empty.
///
/// ```swift
/// let store = Store()
/// try store.write {
///   try store.add(library)
///   library.available.append(book)
/// }
/// ```
public final class Store {
  // Every write accesses these, so exclusivity isn't checked. No user code runs during an access.
  @safe @exclusivity(unchecked) var tables: [ObjectIdentifier: ObjectTable] = [:]
  @safe @exclusivity(unchecked) var sequence: UInt64 = 0
  @safe @exclusivity(unchecked) var transaction: Transaction?
  @safe @exclusivity(unchecked) var isSealing = false
  @safe @exclusivity(unchecked) var ended: [Transaction] = []
  @safe @exclusivity(unchecked) var spare: Transaction?
  @safe @exclusivity(unchecked) var originFilters: [OriginFilterReference] = []
  let undoLimit: Int
  /// The history that `undo()` uses.
  let history: UndoHistory
  @safe @exclusivity(unchecked) var histories: [HistoryReference] = []
  @safe @exclusivity(unchecked) var historyCount: Int
  /// The number of registrations of queries with tables.
  @safe @exclusivity(unchecked) var queryRegistrationCount = 0
  @safe @exclusivity(unchecked) var writeObserverCount = 0
  @safe @exclusivity(unchecked) var snapshots: SnapshotBase?
  @safe @exclusivity(unchecked) var givenIDs: UInt64 = 0
  package let commitObservers = CommitObservers()
  let offsets = PathOffsets()
  @safe @exclusivity(unchecked) private var companions: [ObjectIdentifier: AnyObject] = [:]
  @safe @exclusivity(unchecked) var identities: [ObjectID: Object]?
  @safe @exclusivity(unchecked) package var faults: FaultPoints?
  /// Called with all stored objects when the store is released.
  @safe @exclusivity(unchecked) package var willEnd: (([Object]) -> Void)?
  @safe @exclusivity(unchecked) var trackedIDs = TrackedKeys<ObjectID, ObjectIdentifier>()

  /// A closure called with the error of each refused write that has no caller to throw it to.
  ///
  /// By default it traps in debug builds and writes to standard error in release builds.
  public var onRefusal: (any Error) -> Void = { error in
    #if DEBUG
      trap("refused: \(error); within a `write` or an intent it would have been thrown")
    #else
      writeToStandardError("Signals: refused: \(error)\n")
    #endif
  }

  /// The wall clock that dates the steps of the undo history, as the time since 1970.
  ///
  /// It is called only for a step with a label. A test can replace it:
  ///
  /// ```swift
  /// store.now = { .seconds(1_000_000_000) }
  /// ```
  public var now: () -> Duration = { .nanoseconds(signals_wall_clock_nanoseconds()) }

  /// A closure called before each commit that changes something, which may write more or refuse the
  /// commit by throwing.
  ///
  /// It receives the changes of the transaction so far. If it writes, it is called again, until a
  /// call changes nothing more. After 100 rounds the commit fails with an ``EndlessChainError``.
  ///
  /// Its writes to other stores are part of the intent, effect or observer under way. Outside of
  /// these each is a commit of the other store, which remains even if this commit is refused.
  ///
  /// The store retains the closure, so the closure should not retain the store.
  @safe @exclusivity(unchecked) public var beforeCommit: ((ChangeSet) throws -> Void)?

  /// Creates an empty store that can undo its latest commits.
  ///
  /// Traps if `undoLimit` is negative.
  ///
  /// - Parameter undoLimit: The number of commits that can be undone; 0 turns undo off.
  public init(undoLimit: Int = 100) {
    (history, historyCount) = Store.history(of: undoLimit, .never)
    self.undoLimit = undoLimit
  }

  /// Creates an empty store that can undo its latest steps, each of one or several commits.
  ///
  /// With `.typing`, a word typed into a field is one step, instead of one step for each letter.
  /// Traps if `undoLimit` is negative.
  ///
  /// ```swift
  /// let store = Store(coalescing: .typing)
  /// ```
  ///
  /// - Parameters:
  ///   - undoLimit: The number of steps that can be undone; 0 turns undo off.
  ///   - coalescing: The commits that ``undo(onConflict:)`` takes back as one step.
  public init(undoLimit: Int = 100, coalescing: Coalescing) {
    (history, historyCount) = Store.history(of: undoLimit, coalescing)
    self.undoLimit = undoLimit
  }

  /// Creates the history that `undo()` uses, and counts it unless the limit is 0.
  private static func history(
    of undoLimit: Int, _ coalescing: Coalescing
  ) -> (UndoHistory, historyCount: Int) {
    if undoLimit < 0 { trap("Store(undoLimit: \(undoLimit)): a limit can't be negative") }
    return (
      UndoHistory(ownWithLimit: undoLimit, coalescing: coalescing), undoLimit > 0 ? 1 : 0
    )
  }

  /// Returns the stored object with a primary key, of a class or one of its subclasses.
  ///
  /// The read depends only on which object has the key, if any. Traps if the class has no primary
  /// key, or if its primary key has another type.
  ///
  /// - Complexity: O(1).
  public func object<Element: Object, Key: FieldValue & Hashable>(
    _ type: Element.Type, primaryKey: Key
  ) -> Element? {
    let table = table(of: type)
    guard let (_, index) = table.primaryKey else {
      trap("\(table.schema.name) has no primary key")
    }
    guard let index = index as? UniqueIndex<PrimaryKey<Key>> else {
      trap("the primary key of \(table.schema.name) is not of type \(Key.self)")
    }
    return index.object(primaryKey) as? Element
  }

  /// The tables of a class and of those of its subclasses that the store has met so far.
  func tables(covering type: Object.Type) -> [ObjectTable] {
    _ = table(of: type)
    return tables.values.filter { $0.isCovered(by: type) }
  }

  /// The table of a class.
  ///
  /// Superclasses get theirs first, because indexes are inherited.
  func table(of type: Object.Type) -> ObjectTable {
    if let table = tables[ObjectIdentifier(type)] { return table }
    let superclass = _getSuperclass(type) as? Object.Type
    let table = ObjectTable(self, type, superclass: superclass.map { self.table(of: $0) })
    tables[ObjectIdentifier(type)] = table
    for observer in coveringObservers(of: type) {
      table.add(observer)
      observer.didAppear(table)
    }
    return table
  }

  /// The object that a higher layer keeps for this store.
  ///
  /// It is created by the first call and released with the store.
  func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
    if let known = companions[ObjectIdentifier(Companion.self)] as? Companion { return known }
    let made = make()
    companions[ObjectIdentifier(Companion.self)] = made
    return made
  }

  private func coveringObservers(of type: Object.Type) -> [any TableObserver] {
    guard let superclass = _getSuperclass(type) as? Object.Type else { return [] }
    return tables[ObjectIdentifier(superclass)]?.observers ?? []
  }

  deinit {
    willEnd?(storedObjects)
    for reference in histories { unsafe reference.history.leave() }
    detachAll()
  }
}
