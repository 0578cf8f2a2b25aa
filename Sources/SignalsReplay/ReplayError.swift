package import Signals

/// The first entry of a replayed log whose outcome differs.
public struct ReplayError: Error, CustomStringConvertible {
  /// The index of the entry in the log.
  public let index: Int
  /// The entry as recorded.
  public let expected: IntentLog.Entry
  /// The outcome in the replay.
  ///
  /// Ids of new objects are those of the log.
  public let found: IntentLog.Entry
  let names: ReplayedIDs

  /// Names the entry, and states its outcome in the log and in the replay.
  public var description: String {
    let (old, new) = (outcome(of: expected), outcome(of: found))
    return "entry \(index + 1), \(expected.title), came out otherwise than in the log\n"
      + "in the log:\n\(old)\nnow:\n\(new)" + (hint.map { "\n\($0)" } ?? "")
  }

  /// A hint for an intent that was performed but left the store unchanged.
  ///
  /// The usual cause is a view that has captured an object of the recorded store.
  package var hint: String? {
    let isUntouched = found.changes.isEmpty && found.error == nil && !expected.changes.isEmpty
    return isUntouched ? "nothing in the host's store: does the view show objects of another?" : nil
  }

  /// Whether only the screen differs.
  package var isOfScreen: Bool {
    expected.changes == found.changes && expected.error.isSameError(as: found.error)
  }

  /// Replaces the ids of the log's objects in changes by their ids in the replay.
  package func present(_ changes: ChangeSet) -> ChangeSet { names.replayed(changes) }

  /// The outcome of an entry, in lines.
  private func outcome(of entry: IntentLog.Entry) -> String {
    if isOfScreen { return entry.screen ?? "another screen" }
    let lines =
      (entry.error.map { ["it threw \($0)"] } ?? [])
      + (entry.changes.isEmpty ? [] : [entry.changes.description])
    return lines.isEmpty ? "nothing has changed" : lines.joined(separator: "\n")
  }
}

/// The error of an asynchronous intent that is replayed without being performed again, with the
/// recorded description.
public struct ReplayedError: Error, Equatable, CustomStringConvertible {
  /// The recorded description.
  public let description: String
}

extension Optional<String> {
  /// Whether two errors have the same description.
  ///
  /// Object numbers are ignored, since they differ each time.
  func isSameError(as other: String?) -> Bool {
    self?.withoutObjectNumbers == other?.withoutObjectNumbers
  }
}

extension String {
  /// `Book of #` for `Book of #12`.
  fileprivate var withoutObjectNumbers: String {
    var text = ""
    var isNumber = false
    for character in self where !isNumber || !character.isWholeNumber || !character.isASCII {
      isNumber = character == "#"
      text.append(character)
    }
    return text
  }
}
