// Reporting rows that have the same id.
//
// This isn't a trap, because it may depend on the data rather than the program, and because all
// rows are shown anyway.

extension ViewHost {
  /// Reports that two rows have the same id, once for each `ForEach`, as named by `rows`.
  func report(_ id: Any, at positions: [Int], of rows: String) {
    guard repeatedRows.insert(rows).inserted else { return }
    let id = (id as? String)?.debugDescription ?? "\(id)"
    writeToStandardError(
      "Signals: of \(rows), two have the id \(id), at \(positions[0]) and \(positions[1]): they are told apart by "
        + "their order, and their state stays in its place; give each row an id of its own\n")
  }

  /// Reports that two elements of one scope have the same name, once for each scope and name.
  func report(_ name: String, of scope: String) {
    guard repeatedRows.insert("\(name) of \(scope)").inserted else { return }
    writeToStandardError(
      "Signals: of \(scope), two elements have the id \(name.debugDescription): they are told apart by their order; "
        + "give each an id of its own\n")
  }
}
