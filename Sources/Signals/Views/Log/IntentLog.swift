/// What a host was asked to do, and what that changed: a value that can be written down and done again.
///
/// - It has an entry for each intent that came from outside, those that threw included, for each move of the focus,
///   and for what was committed by nobody that the host knows. What the host refused with a ``HostError`` was not
///   done, and has none.
/// - What effects, observers, the lives of views and intents within intents set off is part of the entry that it
///   follows from. What an observer of ``Store/commits`` writes is an entry of its own: so changes come from elsewhere.
/// - An async intent has an entry when it begins and one when it ends, and each of its commits is one between them.
/// - A frame has the rows that renderers have asked for until then, and how many others there are; entries say which,
///   so that a replay compares those, whatever its own renderer asks for.
/// - It is of the host's own store. What happens to other stores, and what is written to signals and `@State` outside
///   of intents, is in no entry; that it shows on screen is in the next one.
///
/// A host keeps one if it is given one, see ``ViewHost/intentLog``; ``ViewHost/replay(_:comparingFrames:performing:)``
/// does it again.
///
/// ```swift
/// host.intentLog = IntentLog(start: store.snapshot())
/// try host.perform("borrow-0441569595")
/// let report = try JSONEncoder().encode(host.intentLog)
/// ```
public struct IntentLog: Equatable, Sendable {
  /// What the store had when the log began, if that was asked for.
  public var start: Snapshot?
  /// What happened since, in order.
  public var entries: [Entry] = []
  /// Whether entries have what was on screen as text, and not just a number that stands for it.
  public var keepsScreens: Bool

  /// Creates an empty log, with what the store has now if it shall be replayed by itself.
  ///
  /// Keeping screens costs their text in each entry, and tells what is different on a screen where else one is told
  /// that something is.
  public init(start: Snapshot? = nil, keepingScreens: Bool = false) {
    self.start = start
    keepsScreens = keepingScreens
  }

  /// One intent, one move of the focus, or what nobody that the host knows has committed.
  public struct Entry: Equatable, Sendable {
    /// What happened.
    public var kind: Kind
    /// What was asked: the kind and label of an element, a key, the name of an intent, `commit` or `focus`.
    public var name: String
    /// The id of the element, if there was one that has one.
    public var element: String?
    /// Where it stood among those on screen with this name and id, if its id alone does not tell: the offsets of the
    /// rows that it was in, from the outermost, and then which of them it was there.
    public var place: [Int]?
    /// What was done with it; nil for an intent of the app's own, a commit, and a move of the focus.
    public var input: ElementInput?
    /// Whether it came in one batch with the entry before, so that no frame was made between them.
    public var isSameTurn = false
    /// What was changed in all.
    public var changes = ChangeSet()
    /// The commits that the changes came from, without those that followed from them; none where the intent of an
    /// element or key makes them again.
    public var commits: [Commit] = []
    /// What was thrown, if that is how it ended.
    public var error: String?
    /// A number that stands for what was on screen then, and for the focus.
    ///
    /// Nil where a clock had not allowed the frame yet.
    public var frame: UInt64?
    /// Which rows of each ``ForEach`` on screen the frame is of, in order, where somebody had not asked for all.
    public var rows: [[Range<Int>]]?
    /// What was on screen then, a line an element, if the log keeps that.
    public var screen: String?
    /// How long it took until all that it set off had run, frames included; encoded in nanoseconds.
    public var duration = Duration.zero

    /// Whether it is the beginning or the end of an asynchronous intent.
    public var isAsync: Bool {
      switch kind {
      case .beginning, .end: true
      case .intent, .commit, .focus: false
      }
    }
  }

  /// What an entry is of.
  public enum Kind: Equatable, Sendable {
    /// A synchronous intent, of an element, a key, or the app's own.
    case intent
    /// The beginning of an asynchronous intent, which the log gives a number.
    case beginning(Int)
    /// The end of the asynchronous intent with a number.
    case end(Int)
    /// Commits that no intent made.
    case commit
    /// A move of the focus to an element, or to none.
    case focus
  }

  /// One commit of the store, with what it was to the undo history.
  public struct Commit: Equatable, Sendable {
    /// What a commit is to the undo history of its store.
    public enum Kind: String, Codable, Sendable {
      /// It can be undone.
      case undoable
      /// It can't be undone: a load.
      case notUndoable
      /// It took a step of the store's own history back.
      case undo
      /// It took such a step again.
      case redo
    }

    /// What it changed.
    public var changes: ChangeSet
    /// What it was to the undo history.
    public var kind: Kind
  }
}
