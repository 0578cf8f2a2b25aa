// Records which versions of live rows an evaluation reads.
//
// State: the recorder in the thread's context, set while the body of a view is evaluated
// (RenderedVersions.swift). Untracked reads aren't recorded.

/// One version of live rows.
struct LiveVersion {
  let rows: Tree<QueryRow>
  /// The sections of the rows, if the rows were read as sections.
  var sections: Tree<SectionSortKey>?
}

/// Records the versions of live rows that are read.
class ReadRecorder {
  /// Called when the rows of a source are read.
  ///
  /// The source is a query or a list of sections. For a list of sections, `group` is the number of
  /// the section if only one was read.
  func didRead(_ source: AnyObject, group: Int?, version: LiveVersion) {}

  /// Notifies the read recorder of this thread, if there is one.
  @inline(__always)
  static func note(
    _ source: AnyObject, group: Int? = nil, _ version: @autoclosure () -> LiveVersion
  ) {
    guard let current = ThreadContext[CurrentRecorder.self] else { return }
    current.recorder.withInstance { $0.didRead(source, group: group, version: version()) }
  }
}

/// The recorder of the running evaluation, which owns it.
struct CurrentRecorder: ThreadContextKey {
  let recorder: Unretained<ReadRecorder>

  static var defaultValue: CurrentRecorder? { nil }
}
