/// The difference between two texts: the ranges that were replaced, between the characters that the
/// texts have in common.
struct CharacterChange {
  let new: [Character]
  /// The replaced ranges and what replaces them, in ascending order, with at least one common
  /// character between two of them.
  private var edits: [Edit] = []

  private struct Edit {
    var old: Range<Int>
    var new: Range<Int>

    /// The number of characters that were replaced or that replace them.
    var size: Int { max(old.count, new.count) }
  }

  /// Texts that differ in more characters than this are compared at their ends only, because the
  /// cost of finding all differences is quadratic.
  private static let limit = 1000

  init(from old: [Character], to new: [Character]) {
    self.new = new
    let shorter = min(old.count, new.count)
    let start = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
    let tail =
      (0..<shorter - start).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] }
      ?? shorter - start
    let whole = Edit(old: start..<old.count - tail, new: start..<new.count - tail)
    guard !whole.old.isEmpty, !whole.new.isEmpty, whole.size <= CharacterChange.limit else {
      edits = whole.size == 0 ? [] : [whole]
      return
    }
    edits = CharacterChange.parts(of: whole, from: old, to: new)
    dropCoincidences()
    slide(in: old)
  }

  /// Returns the single differences within a range that differs.
  private static func parts(
    of whole: Edit, from old: [Character], to new: [Character]
  ) -> [Edit] {
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in new[whole.new].difference(from: old[whole.old]) {
      switch change {
      case .remove(let offset, _, _): removed.insert(whole.old.lowerBound + offset)
      case .insert(let offset, _, _): inserted.insert(whole.new.lowerBound + offset)
      }
    }
    var parts: [Edit] = []
    var (place, newPlace) = (whole.old.lowerBound, whole.new.lowerBound)
    while place < whole.old.upperBound || newPlace < whole.new.upperBound {
      let (start, newStart) = (place, newPlace)
      while removed.contains(place) { place += 1 }
      while inserted.contains(newPlace) { newPlace += 1 }
      if place > start || newPlace > newStart {
        parts.append(Edit(old: start..<place, new: newStart..<newPlace))
      } else {
        place += 1
        newPlace += 1
      }
    }
    return parts
  }

  /// Joins differences around one or two characters that two different texts have in common by chance,
  /// such as the vowels of two words.
  ///
  /// Where characters were only inserted or only removed, all others are common.
  private mutating func dropCoincidences() {
    if edits.allSatisfy(\.old.isEmpty) || edits.allSatisfy(\.new.isEmpty) { return }
    var joined: [Edit] = []
    for edit in edits {
      var edit = edit
      while let last = joined.last {
        let common = edit.old.lowerBound - last.old.upperBound
        let isReplaced =
          !(last.old.isEmpty && edit.old.isEmpty) && !(last.new.isEmpty && edit.new.isEmpty)
        guard isReplaced, common <= 2, common < last.size, common < edit.size else { break }
        joined.removeLast()
        edit.old = last.old.lowerBound..<edit.old.upperBound
        edit.new = last.new.lowerBound..<edit.new.upperBound
      }
      joined.append(edit)
    }
    edits = joined
  }

  /// Moves insertions and removals as far to the end as the result stays the same, so that a cursor
  /// is before an insertion that can be seen as one at the cursor.
  private mutating func slide(in old: [Character]) {
    for index in edits.indices.reversed() {
      var edit = edits[index]
      guard edit.old.isEmpty != edit.new.isEmpty else { continue }
      // A common character remains before the next difference.
      let end = index + 1 < edits.count ? edits[index + 1].old.lowerBound - 1 : old.count
      while edit.old.upperBound < end {
        let first = edit.new.isEmpty ? old[edit.old.lowerBound] : new[edit.new.lowerBound]
        guard first == old[edit.old.upperBound] else { break }
        edit.old = edit.old.lowerBound + 1..<edit.old.upperBound + 1
        edit.new = edit.new.lowerBound + 1..<edit.new.upperBound + 1
      }
      edits[index] = edit
    }
  }

  /// Whether the characters on both sides of a position were replaced.
  func replaces(around place: Int) -> Bool {
    edits.contains { place > $0.old.lowerBound && place < $0.old.upperBound }
  }

  /// Returns the new position of an old one.
  ///
  /// Within replaced characters, the distance to their start is kept as far as possible.
  func place(of place: Int) -> Int {
    guard let edit = edits.last(where: { $0.old.lowerBound < place }) else {
      // An insertion at the position is behind it.
      return place
    }
    if place >= edit.old.upperBound { return place - edit.old.upperBound + edit.new.upperBound }
    return edit.new.lowerBound + min(place - edit.old.lowerBound, edit.new.count)
  }
}
