// The owner of a graph.
//
// State. Only the isolation domain that made the store touches it, in the files named here:
// - `now`, `onRefusal`: the clock and the receiver of refusals, which the user may replace;
// - `tables`, `sequence`: the stored objects by class, and the sequence number of the object added
//   last; Store+Insertion.swift and Store+Deletion.swift;
// - `transaction`: the open transaction; `isSealing`: whether a transaction is being sealed;
//   `ended`: the transactions of callbacks that are over but have not released their contents yet,
//   the innermost last; `spare`: a transaction to be reused; Store+Transactions.swift and
//   Store+Seal.swift;
// - `attention`: the number of reasons for which a write needs a transaction; see Store+Seal.swift;
// - `originFilters`: observers that may skip the notification of the transaction;
//   OriginFilter.swift;
// - `queryCount`: the number of registrations of queries with tables, which ask for the objects
//   that a commit modified; ObjectTable.swift;
// - `commitRules`: the closures that may refuse a commit; Store+BeforeCommit.swift;
// - `snapshots`: the tables of the latest snapshot, once there was one; Store+Snapshots.swift;
// - `givenIDs`: an object of this process whose ID has a counter up to this one may already be
//   stored as another instance;
// - `history` and `histories`: the store's own history, and the others that keep its commits;
//   Store+Undo.swift;
// - `captures`: the receivers of the changes of chosen classes; Capture/CommitCapture.swift;
// - `isFollowed`: whether one of them waits for the end of a write; Capture/CommitFollower.swift;
// - `keepsWrites`: whether a write without readers is an undo step, or may be captured;
// - `commitObservers`: the observers that receive change sets; Commits.swift;
// - `waitingLinks`: the links to objects that the store doesn't have; WaitingLinks.swift;
// - `faults`: the points where tests make the store fail; FaultPoints.swift;
// - `willEnd`: a hook for tests that check what is left when the store is released;
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
  @safe @exclusivity(unchecked) var attention = 0
  @safe @exclusivity(unchecked) var ended: [Transaction] = []
  @safe @exclusivity(unchecked) var spare: Transaction?
  @safe @exclusivity(unchecked) var originFilters: [OriginFilterReference] = []
  let undoLimit: Int
  /// The undo history of the store, which ``undo(onConflict:)`` and ``redo(onConflict:)`` use.
  ///
  /// It has the number of steps and their labels, combines commits into one step, and forgets its
  /// steps. With an undo limit of 0 it never has a step.
  ///
  /// ```swift
  /// store.history.group {
  ///   page.title = "Plan"
  ///   page.text = "Buy milk."
  /// }
  /// store.history.removeAll()
  /// ```
  public let history: UndoHistory
  @safe @exclusivity(unchecked) var histories: [Unretained<UndoHistory>] = []
  /// The number of registrations of queries with tables.
  @safe @exclusivity(unchecked) var queryCount = 0
  @safe @exclusivity(unchecked) var commitRules: [CommitRule] = []
  @safe @exclusivity(unchecked) var snapshots: SnapshotBase?
  @safe @exclusivity(unchecked) var givenIDs: UInt64 = 0
  @safe @exclusivity(unchecked) var captures: [any CommitCapture] = [] {
    didSet { keepsWrites = undoLimit > 0 || !captures.isEmpty }
  }
  /// Whether a ``CommitFollower`` waits for the end of a write.
  @safe @exclusivity(unchecked) var isFollowed = false
  @safe @exclusivity(unchecked) private(set) var keepsWrites: Bool
  package let commitObservers = CommitObservers()
  @safe @exclusivity(unchecked) var waitingLinks = WaitingLinks()
  @safe @exclusivity(unchecked) private var companions: [ObjectIdentifier: AnyObject] = [:]
  @safe @exclusivity(unchecked) var identities: [ObjectID: Object]?
  @safe @exclusivity(unchecked) package var faults: FaultPoints? {
    didSet { attention += (faults == nil ? 0 : 1) - (oldValue == nil ? 0 : 1) }
  }
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
  public init(undoLimit: Int = 100, coalescing: Coalescing = .never) {
    if undoLimit < 0 { trap("Store(undoLimit: \(undoLimit)): a limit can't be negative") }
    history = UndoHistory(ownWithLimit: undoLimit, coalescing: coalescing)
    self.undoLimit = undoLimit
    keepsWrites = undoLimit > 0
    commitObservers.store = Unretained(self)
    history.enter(self)
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
    let table = ObjectTable(of: type, in: self, superclass: superclass.map { self.table(of: $0) })
    tables[ObjectIdentifier(type)] = table
    if !captures.isEmpty { table.captures = captures.map { $0.capture(of: table.schema) } }
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
    history.leave()
    for history in histories { history.instance.leave() }
    for rule in commitRules { rule.store = nil }
    commitObservers.store = nil
    detachAll()
  }
}
