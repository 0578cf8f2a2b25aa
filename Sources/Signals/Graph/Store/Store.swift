// The owner of a graph.
//
// Only the isolation domain that made the store touches its state.
//
// Invariants:
// - A transaction is open, then sealed, then ended. `transaction` is nil before `isSealing` is set,
//   so no code finds a transaction that is being sealed.
// - `fullWriteReasons` counts the registrations that other properties hold (Store+Seal.swift has
//   the list). Each code that adds or removes one of them changes the counter.
// - `captures` and the `captures` of each table have the same order.

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

  /// The stored objects, by class.
  @safe @exclusivity(unchecked) var tables: [ObjectIdentifier: ObjectTable] = [:]
  /// The highest sequence number of an object that was ever added or restored.
  @safe @exclusivity(unchecked) var sequence: UInt64 = 0
  /// The open transaction.
  @safe @exclusivity(unchecked) var transaction: Transaction?
  /// Whether a transaction is being sealed, when nothing may write.
  @safe @exclusivity(unchecked) var isSealing = false
  /// The transaction whose commit is being observed.
  var sealedTransaction: Transaction?
  /// The number of reasons for which a write needs a transaction, or a transaction its delivery.
  @safe @exclusivity(unchecked) var fullWriteReasons = 0
  /// The transactions of callbacks that are over but haven't released their contents yet, the
  /// innermost last.
  @safe @exclusivity(unchecked) var ended: [Transaction] = []
  /// A transaction to be reused.
  @safe @exclusivity(unchecked) var spare: Transaction?
  /// The observers that may skip the notification of the open transaction.
  @safe @exclusivity(unchecked) var originFilters: [OriginFilterReference] = []
  /// The queries with objects that the open transaction has removed, or that have left the value that
  /// the query watches, and that nothing observes.
  @safe @exclusivity(unchecked) var queriesToRelease: ContiguousArray<Query> = []
  /// The maximum number of steps of the store's own history.
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
  /// The other histories that keep the store's commits.
  @safe @exclusivity(unchecked) var histories: [Unretained<UndoHistory>] = []
  /// The number of registrations of queries with tables and indexes.
  @safe @exclusivity(unchecked) var queryCount = 0
  /// The closures that may refuse a commit, in the order of registration.
  @safe @exclusivity(unchecked) var commitRules: [CommitRule] = []
  /// The tables of the latest snapshot, once there was one.
  @safe @exclusivity(unchecked) var snapshots: SnapshotBase?
  /// An object of this process whose id has a counter up to this one may already be stored as
  /// another instance.
  @safe @exclusivity(unchecked) var givenIDs: UInt64 = 0
  /// The receivers of the changes of chosen classes.
  @safe @exclusivity(unchecked) var captures: [any CommitCapture] = [] {
    didSet { keepsWrites = undoLimit > 0 || !captures.isEmpty }
  }
  /// Whether a write without readers is an undo step, or may be captured.
  @safe @exclusivity(unchecked) private(set) var keepsWrites: Bool
  /// The observers that receive change sets.
  package let commitObservers = CommitObservers()
  /// The links to objects that the store doesn't have.
  @safe @exclusivity(unchecked) var waitingLinks = WaitingLinks()
  /// Objects that higher rooms keep for the store, one of each class.
  @safe @exclusivity(unchecked) private var companions: [ObjectIdentifier: AnyObject] = [:]
  /// The objects by id, from the first lookup on.
  @safe @exclusivity(unchecked) var identities: [ObjectID: Object]?
  /// The points where a test makes the store fail.
  @safe @exclusivity(unchecked) package var faults: FaultPoints? {
    didSet { fullWriteReasons += (faults == nil ? 0 : 1) - (oldValue == nil ? 0 : 1) }
  }
  /// Called with all stored objects when the store is released.
  @safe @exclusivity(unchecked) package var willEnd: (([Object]) -> Void)?
  /// The ids that were looked up under tracking.
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
  /// - Parameters:
  ///   - type: The class of the object, or a superclass of it.
  ///   - primaryKey: The primary key.
  /// - Returns: The object, or `nil` if no stored object of the class has the key.
  /// - Complexity: O(1).
  public func object<Element: Object, Key: FieldValue & Hashable>(
    _ type: Element.Type, primaryKey: Key
  ) -> Element? {
    table(of: type).object(primaryKey) as? Element
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
    if let superclass, let covering = tables[ObjectIdentifier(superclass)] {
      for observer in covering.observers + covering.valueObservers { observer.didAppear(table) }
    }
    return table
  }

  /// The object that a higher layer keeps for this store.
  ///
  /// It is created by the first call and released with the store.
  package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
    if let known = companions[ObjectIdentifier(Companion.self)] as? Companion { return known }
    let made = make()
    companions[ObjectIdentifier(Companion.self)] = made
    return made
  }

  /// Notes that queries were registered or removed.
  func queryCountDidChange(by count: Int) {
    queryCount += count
    fullWriteReasons += count
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
