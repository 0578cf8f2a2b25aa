// Records which versions of live rows an evaluation reads.
//
// State: `witness` of the thread's scheduler, set while the body of a view is evaluated
// (ShownVersions.swift). Untracked reads aren't recorded.

/// One version of live rows.
struct LiveVersion {
  let rows: Tree<QueryRow>
  /// The sections of the rows, if the rows were read as sections.
  var sections: Tree<SectionPlace>?
}

/// Records the versions of live rows that are read.
class RowWitness {
  /// Called when the rows of a source are read.
  ///
  /// The source is a query or a list of sections. For a list of sections, `group` is the number of
  /// the section if only one was read.
  func didRead(_ source: AnyObject, _ group: Int?, _ version: LiveVersion) {}

  /// Notifies the witness of this thread, if there is one.
  @inline(__always)
  static func note(
    _ source: AnyObject, group: Int? = nil, _ version: @autoclosure () -> LiveVersion
  ) {
    guard let witness = unsafe Scheduler.current.pointee.witness else { return }
    unsafe witness._withUnsafeGuaranteedRef { witness in
      unsafe unsafeDowncast(witness, to: RowWitness.self).didRead(source, group, version())
    }
  }
}
