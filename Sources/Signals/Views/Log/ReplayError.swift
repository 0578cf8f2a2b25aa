/// Where doing a log again first came out otherwise.
public struct ReplayError: Error, CustomStringConvertible {
  /// The place of the entry in the log.
  public let index: Int
  /// What the log has.
  public let expected: IntentLog.Entry
  /// What happened now; ids of objects that were made are those of the log.
  public let found: IntentLog.Entry
  let names: ReplayedIDs

  /// Names the entry, and tells what it did in the log and now.
  public var description: String {
    let (old, new) = (outcome(of: expected), outcome(of: found))
    return "entry \(index + 1), \(expected.title), came out otherwise than in the log\n"
      + "in the log:\n\(old)\nnow:\n\(new)" + (hint.map { "\n\($0)" } ?? "")
  }

  /// What to look for where an intent was performed and the store is as it was: most often whoever made the view has
  /// captured an object of the store that the log was kept of.
  package var hint: String? {
    let isUntouched = found.changes.isEmpty && found.error == nil && !expected.changes.isEmpty
    return isUntouched ? "nothing in the host's store: does the view show objects of another?" : nil
  }

  /// Whether all that differs is what was on screen.
  package var isOfScreen: Bool {
    expected.changes == found.changes && expected.error.isSameError(as: found.error)
  }

  /// Changes of the log, or as the log has them, with the ids that objects have now.
  package func present(_ changes: ChangeSet) -> ChangeSet { names.replayed(changes) }

  /// What came of an entry, in lines.
  private func outcome(of entry: IntentLog.Entry) -> String {
    if isOfScreen { return entry.screen ?? "another screen" }
    let lines =
      (entry.error.map { ["it threw \($0)"] } ?? [])
      + (entry.changes.isEmpty ? [] : [entry.changes.description])
    return lines.isEmpty ? "nothing has changed" : lines.joined(separator: "\n")
  }
}

/// What an asynchronous intent threw, where it is not performed again; described as it was.
public struct ReplayedError: Error, Equatable, CustomStringConvertible {
  /// What the log has.
  public let description: String
}

extension Optional<String> {
  /// Whether two errors are the same in words, but for the numbers of objects, which are others each time.
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
