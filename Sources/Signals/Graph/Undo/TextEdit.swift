// One change of a text, and whether it continues the previous one.
//
// A commit has the old and the new text, not the place of the edit: a second "l" in "hel" may have
// been typed before or after the first. So the places where the cursor can be are a range. A
// continued run narrows it to the places that are possible for all of its edits. Places are counted
// in Unicode scalars, because a scalar that is typed may join the character before it.

/// The change of a text in one commit.
struct TextEdit {
  private enum Kind { case insertion, deletion, replacement }

  private let kind: Kind
  /// Whether one character was typed or deleted.
  private let isOneCharacter: Bool
  private let startsWithSpace: Bool
  private let endsWithSpace: Bool
  /// The number of scalars that were inserted or deleted.
  private let length: Int
  /// The places where the insertion or deletion can begin.
  private let starts: ClosedRange<Int>
  /// The places where the cursor can be after the edit.
  var cursor: ClosedRange<Int>

  /// Compares a text with its previous version.
  init(from old: String, to new: String) {
    let (old, new) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
    let shorter = min(old.count, new.count)
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
    let isContained = prefix + suffix >= shorter
    let difference = new.count - old.count
    let edited: ArraySlice<Unicode.Scalar>
    if isContained, difference != 0 {
      kind = difference > 0 ? .insertion : .deletion
      length = abs(difference)
      starts = shorter - suffix...prefix
      let longer = difference > 0 ? new : old
      edited = longer[prefix..<prefix + length]
      cursor = difference > 0 ? starts.shifted(by: length) : starts
    } else {
      kind = .replacement
      let rest = min(suffix, shorter - prefix)
      edited = new[prefix..<new.count - rest]
      length = edited.count
      starts = prefix...prefix
      // The end of the new text, whichever of the equal scalars around it were replaced.
      cursor = new.count - suffix...new.count - rest
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: edited)
    let typed = String(text)
    isOneCharacter = typed.count == 1
    startsWithSpace = typed.first?.isWhitespace ?? false
    endsWithSpace = typed.last?.isWhitespace ?? false
  }

  /// The places where the cursor can be after this edit if it continues a previous one; nil if it
  /// doesn't.
  func cursor(continuing before: TextEdit) -> ClosedRange<Int>? {
    guard isOneCharacter, before.isOneCharacter else { return nil }
    switch (before.kind, kind) {
    case (.insertion, .insertion), (.replacement, .insertion):
      if before.endsWithSpace, !startsWithSpace { return nil }
      return starts.intersection(before.cursor)?.shifted(by: length)
    case (.deletion, .deletion):
      // Backwards from the cursor, or else forwards.
      return starts.shifted(by: length).intersection(before.cursor)?.shifted(by: -length)
        ?? starts.intersection(before.cursor)
    default: return nil
    }
  }
}

extension ClosedRange<Int> {
  fileprivate func shifted(by distance: Int) -> Self {
    lowerBound + distance...upperBound + distance
  }

  fileprivate func intersection(_ other: Self) -> Self? {
    overlaps(other) ? clamped(to: other) : nil
  }
}
