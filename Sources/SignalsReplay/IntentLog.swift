public import Signals

/// A log of the intents that a host performed and of their changes, which can be encoded and
/// replayed.
///
/// - There is an entry for each intent from outside, including those that threw, for each move of
///   the focus, and for commits that no known intent made. An intent that the host refused with a
///   `HostError` wasn't performed and has no entry.
/// - Changes made by effects, observers, view lifecycles and intents within intents are part of the
///   entry that caused them. A write by an observer of `Store.commits` has a separate entry,
///   as changes from elsewhere arrive that way.
/// - An async intent has an entry for its beginning and one for its end. Each of its commits has an
///   entry between them.
/// - A frame contains the rows that renderers had asked for by then, and the number of the others.
///   The entry names these rows, so a replay compares the same ones whatever its renderer asks for.
/// - A write of a signal that no intent makes has an entry if the signal is recorded, by
///   `record(_:as:)` of the host.
/// - The log covers the host's own store. Changes to other stores, and writes to other signals and
///   `@State` outside of intents, have no entry. If they change the screen, the next entry's frame
///   shows it.
///
/// A host keeps a log if its `intentLog` is set, and `replay(_:comparingFrames:performing:)` of a host
/// replays a log.
///
/// ```swift
/// host.intentLog = IntentLog(start: store.snapshot())
/// try host.perform("borrow-0441569595")
/// let report = try JSONEncoder().encode(host.intentLog)
/// ```
public struct IntentLog: Equatable, Sendable {
  /// The contents of the store when the log began, if they were recorded.
  public var start: Snapshot?
  /// The recorded entries, in order.
  public var entries: [Entry] = []
  /// Whether entries store the screen's text in addition to its hash.
  public var keepsScreens: Bool

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - start: The current contents of the store, for a log that can be replayed on its own.
  ///   - keepingScreens: Whether each entry stores the screen's text, so that a mismatch can be
  ///     shown as a diff. Otherwise a mismatch can only be detected.
  public init(start: Snapshot? = nil, keepingScreens: Bool = false) {
    self.start = start
    keepsScreens = keepingScreens
  }

  /// An intent, a move of the focus, a write of a recorded signal, or commits that no known intent
  /// made.
  public struct Entry: Equatable, Sendable {
    /// The kind of event.
    public var kind: Kind
    /// The kind and label of an element, a key, the name of an intent or of a recorded signal,
    /// `commit` or `focus`.
    public var name: String
    /// The element's id, if there is an element and it has one.
    public var element: String?
    /// The position of the element among those with the same name and id, if its id doesn't
    /// identify it: the offsets of the rows that contained it, from the outermost, followed by its
    /// number among the matches there.
    public var place: [Int]?
    /// The input to the element, or the value of a recorded signal as text; nil for an app-defined
    /// intent, a commit, or a move of the focus.
    public var input: ElementInput?
    /// Whether the entry is in one batch with the previous one, with no frame between them.
    public var isSameBatch = false
    /// The total changes.
    public var changes = ChangeSet()
    /// The commits that caused the changes, without commits that followed from them.
    ///
    /// Empty for an intent of an element or key, because replaying the intent makes the commits
    /// again.
    public var commits: [Commit] = []
    /// The description of the error, if one was thrown.
    public var error: String?
    /// A hash of the screen and the focus after the entry; nil if the clock had not allowed the
    /// frame yet.
    public var frame: UInt64?
    /// The rows of each `ForEach` on screen that the frame contains, in order; nil if renderers
    /// had asked for all rows.
    public var rows: [[Range<Int>]]?
    /// The text of the screen, with a line for each element, if the log keeps screens.
    public var screen: String?
    /// The time until everything that the entry caused had run, frames included; encoded in
    /// nanoseconds.
    public var duration = Duration.zero

    /// Whether the entry is the beginning or the end of an asynchronous intent.
    public var isAsync: Bool {
      switch kind {
      case .beginning, .end: true
      case .intent, .commit, .focus, .signal: false
      }
    }
  }

  /// The kind of an entry.
  public enum Kind: Equatable, Sendable {
    /// A synchronous intent of an element, a key, or the app.
    case intent
    /// The beginning of an asynchronous intent, with its number in the log.
    case beginning(Int)
    /// The end of the asynchronous intent with a number.
    case end(Int)
    /// Commits that no intent made.
    case commit
    /// A move of the focus to an element, or to none.
    case focus
    /// A write of a recorded signal that no intent made.
    case signal
  }

  /// A commit of the store, with its role in the undo history.
  public struct Commit: Equatable, Sendable {
    /// The changes of the commit.
    public var changes: ChangeSet
    /// The commit's role in the undo history.
    public var kind: StoreCommit.Kind
  }
}
