// Rows that should have an id of their own, and have not.
//
// The data decide about that, and not the program alone, and each row is there all the same: so it is no trap.

extension ViewHost {
  /// Says that two rows have one id, once for each place in the source that rows come from.
  func report(_ id: Any, at positions: [Int], of rows: String) {
    guard repeatedRows.insert(rows).inserted else { return }
    let id = (id as? String)?.debugDescription ?? "\(id)"
    writeToStandardError(
      "Signals: of \(rows), two have the id \(id), at \(positions[0]) and \(positions[1]): they are told apart by "
        + "their order, and their state stays in its place; give each row an id of its own\n")
  }

  /// Says that two elements of one scope have one name, once for each place in the source.
  func report(_ name: String, of scope: String) {
    guard repeatedRows.insert("\(name) of \(scope)").inserted else { return }
    writeToStandardError(
      "Signals: of \(scope), two elements have the id \(name.debugDescription): they are told apart by their order; "
        + "give each an id of its own\n")
  }
}
