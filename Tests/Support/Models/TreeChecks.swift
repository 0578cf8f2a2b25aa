package import Signals
package import Testing

/// The number of steps of a random history.
package let historySteps = runLength(usually: 100)

/// Expects a well-formed tree with the elements of an array.
package func check(
  _ tree: Tree<Int>, _ model: [Int], _ comment: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  tree.checkInvariants(==)
  let holds =
    tree.count == model.count && tree.isEmpty == model.isEmpty && tree.first == model.first
    && tree.elementsEqual(model)
  #expect(holds, "\(comment())", sourceLocation: sourceLocation)
}

/// Expects that the difference of two versions turns the old array into the new one.
@discardableResult package func checkDifference(
  from old: Tree<Int>, _ oldModel: [Int], to new: Tree<Int>, _ newModel: [Int],
  _ comment: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) -> [TreeEdit] {
  let edits = Tree.difference(from: old, to: new, isSame: ==)
  var result: [Int] = []
  var position = 0
  for edit in edits {
    let isApart = edit.oldRange.lowerBound > position || position == 0
    #expect(isApart, "\(comment())", sourceLocation: sourceLocation)
    result += oldModel[position..<edit.oldRange.lowerBound]
    let isAligned = result.count == edit.newRange.lowerBound
    #expect(isAligned, "\(comment())", sourceLocation: sourceLocation)
    result += newModel[edit.newRange]
    position = edit.oldRange.upperBound
    let isTrimmed =
      edit.oldRange.isEmpty || edit.newRange.isEmpty
      || (oldModel[edit.oldRange].first != newModel[edit.newRange].first
        && oldModel[edit.oldRange].last != newModel[edit.newRange].last)
    #expect(isTrimmed, "\(comment())", sourceLocation: sourceLocation)
    let isEdit = !edit.oldRange.isEmpty || !edit.newRange.isEmpty
    #expect(isEdit, "\(comment())", sourceLocation: sourceLocation)
  }
  result += oldModel[position...]
  let isExact = result == newModel
  #expect(isExact, "\(comment())", sourceLocation: sourceLocation)
  return edits
}
