// Who is told which versions of live rows an evaluation reads.
//
// State: `witness` of the thread's turn, while a body of a view is evaluated (ShownVersions.swift). Reads that
// depend on nothing tell nobody.

/// One version of live rows.
struct LiveVersion {
  let rows: Tree<QueryRow>
  /// The sections in which they stand, if they were read as such.
  var sections: Tree<SectionPlace>?
}

/// Somebody who notes which versions of live rows are read.
class RowWitness {
  /// The rows of a source were read: a query, or a list of sections and perhaps the number of one of them.
  func didRead(_ source: AnyObject, _ group: Int?, _ version: LiveVersion) {}

  /// Tells the witness of this thread, if there is one.
  @inline(__always)
  static func note(
    _ source: AnyObject, group: Int? = nil, _ version: @autoclosure () -> LiveVersion
  ) {
    guard let witness = unsafe Turn.current.pointee.witness else { return }
    unsafe witness._withUnsafeGuaranteedRef { witness in
      unsafe unsafeDowncast(witness, to: RowWitness.self).didRead(source, group, version())
    }
  }
}
