// How rows are followed from one version of their data to the next where ids alone don't tell.
//
// Rows with equal ids are numbered. A row outside of the edits keeps its identity, so the numbers
// follow the rows and not their order: what happens to one of several equal rows concerns no other.
// A row whose value got another id by the row's own binding keeps its identity too, although that
// has the former id. The name of a row is made from its value alone, as in another process.

/// A row whose value got another id by the row's own binding.
struct WrittenRow {
  let scope: Scope
  let row: ForEachRowID
  /// The id of the written value.
  let id: AnyHashable
}

extension ForEachRowID {
  /// Returns the identities of the rows of new data.
  ///
  /// - Parameters:
  ///   - old: The ids of the old values, and the identities of their rows.
  ///   - new: The ids of the new values.
  ///   - edits: The ranges that differ.
  /// - Complexity: O(rows).
  static func following<ID: Hashable>(
    _ old: (count: Int, id: (Int) -> ID, row: (Int) -> ForEachRowID),
    to new: (count: Int, id: (Int) -> ID), edits: [TreeEdit]
  ) -> [ForEachRowID] {
    var rows: [ForEachRowID] = []
    var taken = Set((0..<old.count).lazy.map(old.row))
    // A row that was moved is found by its id.
    var moved: [ID: ArraySlice<ForEachRowID>] = [:]
    for position in edits.lazy.flatMap(\.oldRange) {
      moved[old.id(position), default: []].append(old.row(position))
    }
    var oldPosition = 0
    for edit in edits + [TreeEdit(oldRange: old.count..<old.count, newRange: new.count..<new.count)]
    {
      while oldPosition < edit.oldRange.lowerBound {
        rows.append(old.row(oldPosition))
        oldPosition += 1
      }
      for position in edit.newRange {
        let id = new.id(position)
        if let row = moved[id]?.popFirst() {
          rows.append(row)
          continue
        }
        var number = 0
        while !taken.insert(ForEachRowID(id: AnyHashable(id), occurrence: number)).inserted {
          number += 1
        }
        rows.append(ForEachRowID(id: AnyHashable(id), occurrence: number))
      }
      oldPosition = edit.oldRange.upperBound
    }
    return rows
  }
}

extension TreeEdit {
  /// Returns the ranges that differ, and of equal elements prefers those at the start.
  ///
  /// A value that is added to equal ones is thus the last of them.
  ///
  /// - Complexity: O(elements), and O(inserted × equal) where added elements equal those after them.
  static func editsAfterStart(
    from oldCount: Int, to newCount: Int, isSame: (Int, Int) -> Bool
  ) -> [TreeEdit] {
    let shorter = min(oldCount, newCount)
    let start = (0..<shorter).first { !isSame($0, $0) } ?? shorter
    let found = edits(from: oldCount - start, to: newCount - start) {
      isSame($0 + start, $1 + start)
    }
    var edits: [TreeEdit] = []
    for (number, edit) in found.enumerated() {
      var edit = TreeEdit(
        oldRange: edit.oldRange.lowerBound + start..<edit.oldRange.upperBound + start,
        newRange: edit.newRange.lowerBound + start..<edit.newRange.upperBound + start)
      if let last = edits.last, last.oldRange.upperBound == edit.oldRange.lowerBound,
        last.newRange.upperBound == edit.newRange.lowerBound
      {
        edits.removeLast()
        edit = TreeEdit(
          oldRange: last.oldRange.lowerBound..<edit.oldRange.upperBound,
          newRange: last.newRange.lowerBound..<edit.newRange.upperBound)
      }
      // The elements between this edit and the next, which may equal those that were added here.
      let end =
        number + 1 < found.count ? found[number + 1].oldRange.lowerBound + start : oldCount
      edits += edit.addingLast(below: end, isSame)
    }
    return edits
  }

  /// Returns this edit with its last added elements moved behind the elements after it, up to the
  /// old position `end`, if these equal the added ones.
  private func addingLast(below end: Int, _ isSame: (Int, Int) -> Bool) -> [TreeEdit] {
    let kept = oldRange.upperBound..<end
    guard !kept.isEmpty, !newRange.isEmpty else { return [self] }
    let offset = newRange.upperBound - oldRange.upperBound
    let added = (1...newRange.count).last { added in
      kept.allSatisfy { isSame($0, $0 + offset - added) }
    }
    guard let added else { return [self] }
    let last = end + offset - added
    return [
      TreeEdit(oldRange: oldRange, newRange: newRange.lowerBound..<newRange.upperBound - added),
      TreeEdit(oldRange: end..<end, newRange: last..<last + added),
    ]
  }
}
