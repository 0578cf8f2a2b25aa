// The owner of a graph.
//
// Mutable state, and who may touch it:
// - `now`: the clock, which belongs to the user;
// - `extents`, `sequence`: the stored objects; Adding.swift and Deleting.swift;
// - `transaction`: what is open, `isSealing`, whether one is being made final, `ended`, those of callbacks that are over
//   and have not released what they hold, the innermost last, and `spare`, one to be used again; Transactions.swift;
// - `skippers`: observers that may not want to be told of the transaction; SkippingOrigins.swift;
// - `watches`: how many queries want to know what a commit modified; Extent.swift;
// - `followers`: they, and the snapshots, if there was one;
// - `snapshots`: what the last snapshot had, once there was one; TakingSnapshots.swift;
// - `givenIDs`: up to which counter an object of this process may be here already as another instance;
// - `history`, `histories`, and `keepers`, how many of them keep commits; Undoing.swift;
// - `commitObservers`: who gets change sets; Commits.swift;
// - `faults`: where tests let it fail; FaultPoints.swift;
// - `willEnd`: tests that look for what is left when it goes;
// - `offsets`: key paths learnt on stored objects;
// - `companions`: what higher rooms keep for the store, one of each class;
// - `identities`, `trackedIDs`: the objects by id, once somebody asked, and who did; FindingByID.swift.

private import CSignalsThread

/// Owns a graph of objects, changes it in transactions, and tells what changed.
///
/// - A transaction is all or nothing: if its closure throws, everything is as it was and nobody is told.
/// - Observers see it as one change, after it is complete.
/// - A store belongs to the isolation domain that made it, with all its objects; it takes no lock.
/// - When it goes, its objects are detached: links read as nil and lists as empty.
///
/// ```swift
/// let store = Store()
/// try store.write {
///   try store.add(library)
///   library.available.append(book)
/// }
/// ```
public final class Store {
  // What is touched on every write is not checked for exclusive access: no user code runs within.
  @safe @exclusivity(unchecked) var extents: [ObjectIdentifier: Extent] = [:]
  @safe @exclusivity(unchecked) var sequence: UInt64 = 0
  @safe @exclusivity(unchecked) var transaction: Transaction?
  @safe @exclusivity(unchecked) var isSealing = false
  @safe @exclusivity(unchecked) var ended: [Transaction] = []
  @safe @exclusivity(unchecked) var spare: Transaction?
  @safe @exclusivity(unchecked) var skippers: [SkipperReference] = []
  let undoLimit: Int
  /// What `undo()` undoes.
  let history: UndoHistory
  @safe @exclusivity(unchecked) var histories: [HistoryReference] = []
  @safe @exclusivity(unchecked) var keepers: Int
  /// How many queries watch an extent.
  @safe @exclusivity(unchecked) var watches = 0
  @safe @exclusivity(unchecked) var followers = 0
  @safe @exclusivity(unchecked) var snapshots: SnapshotBase?
  @safe @exclusivity(unchecked) var givenIDs: UInt64 = 0
  package let commitObservers = CommitObservers()
  let offsets = PathOffsets()
  @safe @exclusivity(unchecked) private var companions: [ObjectIdentifier: AnyObject] = [:]
  @safe @exclusivity(unchecked) var identities: [ObjectID: Object]?
  @safe @exclusivity(unchecked) package var faults: FaultPoints?
  /// Told, with all that is stored, when the store goes.
  @safe @exclusivity(unchecked) package var willEnd: (([Object]) -> Void)?
  @safe @exclusivity(unchecked) var trackedIDs = TrackedKeys<ObjectID>()

  /// Gets each write that was refused where no caller could be given the error.
  ///
  /// By default it traps in debug builds and writes to standard error in release builds.
  public var onRefusal: (any Error) -> Void = { error in
    #if DEBUG
      trap("refused: \(error); within a `write` or an intent it would have been thrown")
    #else
      writeToStandardError("Signals: refused: \(error)\n")
    #endif
  }

  /// The wall clock that dates the steps of the undo history: the time since 1970.
  ///
  /// It is only asked for a step with a label. A test sets another one:
  ///
  /// ```swift
  /// store.now = { .seconds(1_000_000_000) }
  /// ```
  public var now: () -> Duration = { .nanoseconds(signals_wall_clock_nanoseconds()) }

  /// Runs before each commit that changes something, and may write more or refuse it by throwing.
  ///
  /// It is given what changed, and again after it wrote, until nothing else has changed; after 100 rounds
  /// the commit fails with an ``EndlessChainError``. What it writes to other stores is part of the intent,
  /// effect or observer under way, and outside of these a commit there, which stands if this one is refused.
  /// The store keeps the closure: it should not keep the store.
  @safe @exclusivity(unchecked) public var beforeCommit: ((ChangeSet) throws -> Void)?

  /// Creates an empty store that can undo its latest `undoLimit` commits; 0 turns undo off.
  public init(undoLimit: Int = 100) {
    (history, keepers) = Store.history(of: undoLimit, .never)
    self.undoLimit = undoLimit
  }

  /// Creates an empty store that can undo its latest `undoLimit` steps, each of one commit or of several.
  ///
  /// `coalescing` says which commits ``undo(onConflict:)`` takes back as one. With `.typing` a word that was typed into a field
  /// is a step, and not each of its letters.
  ///
  /// ```swift
  /// let store = Store(coalescing: .typing)
  /// ```
  public init(undoLimit: Int = 100, coalescing: Coalescing) {
    (history, keepers) = Store.history(of: undoLimit, coalescing)
    self.undoLimit = undoLimit
  }

  /// What `undo()` undoes, and how many histories that is: none that keeps anything if the limit is 0.
  private static func history(
    of undoLimit: Int, _ coalescing: Coalescing
  ) -> (UndoHistory, keepers: Int) {
    if undoLimit < 0 { trap("Store(undoLimit: \(undoLimit)): a limit can't be negative") }
    return (
      UndoHistory(ownWithLimit: undoLimit, coalescing: coalescing), undoLimit > 0 ? 1 : 0
    )
  }

  /// The stored object of a class, or of its subclasses, with a primary key.
  ///
  /// O(1).
  ///
  /// The read is a dependency on whether there is such an object. Traps if the class has no
  /// primary key, or one of another type.
  public func object<Element: Object, Key: FieldValue & Hashable>(
    _ type: Element.Type, primaryKey: Key
  ) -> Element? {
    let extent = extent(of: type)
    guard let (_, index) = extent.primaryKey else {
      trap("\(extent.schema.name) has no primary key")
    }
    guard let index = index as? UniqueIndex<PrimaryKey<Key>> else {
      trap("the primary key of \(extent.schema.name) is not of type \(Key.self)")
    }
    return index.object(primaryKey) as? Element
  }

  /// The extents of a class and those of its subclasses that were met so far.
  func extents(covering type: Object.Type) -> [Extent] {
    _ = extent(of: type)
    return extents.values.filter { $0.isCovered(by: type) }
  }

  /// The extent of a class; its superclasses get theirs first, because indexes are inherited.
  func extent(of type: Object.Type) -> Extent {
    if let extent = extents[ObjectIdentifier(type)] { return extent }
    let superclass = _getSuperclass(type) as? Object.Type
    let extent = Extent(self, type, superclass: superclass.map { self.extent(of: $0) })
    extents[ObjectIdentifier(type)] = extent
    for observer in coveringObservers(of: type) {
      extent.add(observer)
      observer.didAppear(extent)
    }
    return extent
  }

  /// What a higher room keeps for this store, made the first time; it goes with the store.
  func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
    if let known = companions[ObjectIdentifier(Companion.self)] as? Companion { return known }
    let made = make()
    companions[ObjectIdentifier(Companion.self)] = made
    return made
  }

  private func coveringObservers(of type: Object.Type) -> [any ExtentObserver] {
    guard let superclass = _getSuperclass(type) as? Object.Type else { return [] }
    return extents[ObjectIdentifier(superclass)]?.observers ?? []
  }

  deinit {
    willEnd?(storedObjects)
    for reference in histories { unsafe reference.history.leave() }
    detachAll()
  }
}
