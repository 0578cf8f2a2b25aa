// What a user's screen keeps from frame to frame that is no state of the app: where lists are scrolled to, who has the
// focus, where the cursor of a field is, whether a picker is open.

import Signals

/// Something on screen that the user can do something with.
struct Target {
  let element: DrawnElement
  let scope: ScopeID
  /// What of it is to be seen.
  var rect = Rect(width: 0, height: 0)
  /// The list that it is in, and where.
  var place: ListPlace?

  init(_ element: DrawnElement, _ scope: ScopeID) {
    self.element = element
    self.scope = scope
  }
}

/// A place in a list.
struct ListPlace {
  let list: ListKey
  var path: FlowPath
  /// The row's scope, by which it is found where rows moved, and that of its `ForEach`.
  let row: (scope: ScopeID, rows: ScopeID)?
}

/// Who has the focus: more than the id that the host knows, because ids may repeat from row to row.
struct FocusedElement {
  let id: String
  let scope: ScopeID
  var place: ListPlace?

  init(_ target: Target, id: String) {
    self.id = id
    scope = target.scope
    place = target.place
  }

  func isSame(as target: Target) -> Bool { target.element.id == id && target.scope == scope }
}

/// Where a list is scrolled to.
struct ListState {
  var position = ScrollPosition<FlowPath>()
  /// The row at the top, which stays there when rows come or go above it.
  var anchor: ScopeID?
}

/// The text that is being edited.
struct FieldEditor {
  let id: String
  let scope: ScopeID
  var buffer: TextBuffer
  /// How many cells of the text are out of sight on the left.
  var scrolled = 0
}

/// The options of a picker, while they are shown.
struct OpenPicker {
  let id: String
  let scope: ScopeID
  let options: [String]
  var index: Int
  /// The first option that is to be seen.
  var top = 0
  /// Where the options are, once they were drawn.
  var rect = Rect(width: 0, height: 0)
}

/// What a user's screen keeps from frame to frame.
///
/// The renderer's input (see ScreenInput.swift) and the painter change it; both run between two frames, never at the
/// same time.
struct ScreenState {
  var focus: FocusedElement?
  /// Elements that had the focus when they went off the screen, the latest last.
  var lost: [String] = []
  /// Where what lost the focus stood: what came there gets it.
  var successor: ListPlace?
  /// The focus moved: show it.
  var mustReveal = false
  var lists: [ListKey: ListState] = [:]
  var editor: FieldEditor?
  var picker: OpenPicker?
  /// A line at the foot, until the next key.
  var message: String?
}
