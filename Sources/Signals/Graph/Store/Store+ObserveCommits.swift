/// A commit of a store, as an observer of ``Store/observeCommits(_:)`` receives it.
public struct StoreCommit: Sendable {
  /// The role of a commit in the undo history of its store.
  public enum Kind: String, Codable, Sendable {
    /// The commit can be undone.
    case undoable
    /// The commit can't be undone, such as a load.
    case notUndoable
    /// The commit undid one step of the store's own history, and did nothing else.
    case undo
    /// The commit redid such a step.
    case redo
  }

  /// What made a commit.
  public enum Cause: Sendable {
    /// Code that runs outside of propagation: an intent, or a write of the app.
    case direct
    /// An effect, an observer, a view or a renderer, while the consequences of earlier changes run.
    case reaction
    /// A subscriber of ``Store/commits``, after the frames that show the earlier changes.
    case subscriber
  }

  /// The changes of the commit.
  public let changes: ChangeSet
  /// The commit's role in the undo history.
  public let kind: Kind
  /// What made the commit.
  public let cause: Cause
}

extension Store {
  /// Calls a closure with each commit while it is made, before the consequences of the commit.
  ///
  /// - It is called after the checks of the commit, when the commit can no longer fail, and before
  ///   effects, observers, frames, and the subscribers of ``commits``. Several closures are called in
  ///   the order of their registration.
  /// - It only takes note of the commit. It must not write to the store, which traps, and must not
  ///   read from it, because queries may not have received the commit yet.
  /// - To respond to commits, use ``commits``.
  ///
  /// ```swift
  /// let audit = store.observeCommits { commit in
  ///   lines.append("\(commit.kind): \(commit.changes)")
  /// }
  /// ```
  ///
  /// - Parameter note: Called with each commit.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observeCommits(_ note: @escaping (StoreCommit) -> Void) -> any Cancellable {
    commitObservers.addSynchronousObserver { commit in
      // Replacing an instance by an equal one with the same id isn't a change.
      if commit.changes.isEmpty { return }
      note(StoreCommit(changes: commit.changes, kind: commit.kind, cause: .current))
    }
  }
}
