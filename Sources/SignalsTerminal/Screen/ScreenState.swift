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
  /// How many of its name stand before it in its view.
  var number: Int

  init(_ element: DrawnElement, _ scope: ScopeID, number: Int = 0) {
    self.element = element
    self.scope = scope
    self.number = number
  }

  /// What it is found by in the next frame, with its number; nil if it has no id.
  var name: TargetName? { element.id.map { TargetName(id: $0, scope: scope) } }
}

/// Tells what can be used apart, but for what has one id in one view: ids may repeat from row to row.
struct TargetName: Hashable {
  let id: String
  let scope: ScopeID
}

/// A place in a list.
struct ListPlace {
  let list: ListKey
  var path: FlowPath
  /// Where the list stands, if it is in a row of another, and that likewise.
  var outer: [ListPlace] = []
  /// The row's scope, by which it is found where rows moved, and that of its `ForEach`.
  let row: (scope: ScopeID, rows: ScopeID)?

  init(
    list: ListKey, path: FlowPath, row: (scope: ScopeID, rows: ScopeID)?, outer: [ListPlace] = []
  ) {
    self.list = list
    self.path = path
    self.row = row
    self.outer = outer
  }

  /// This place and those around it, the innermost first.
  var all: [ListPlace] { [self] + outer }

  /// The place in a list, if it is this one or around it.
  func inList(_ list: ListKey) -> ListPlace? { all.first { $0.list == list } }
}

/// Who has the focus: more than the id that the host knows, because ids may repeat.
struct FocusedElement {
  let name: TargetName
  let number: Int
  var place: ListPlace?

  init?(_ target: Target) {
    guard let name = target.name else { return nil }
    self.name = name
    number = target.number
    place = target.place
  }

  var id: String { name.id }
  var scope: ScopeID { name.scope }

  /// Whether a row leads to it by this: by itself, or by the first of the list that it is in.
  func isReached(by target: Target) -> Bool {
    isSame(as: target) || (target.place != nil && target.place?.list == place?.list)
  }

  func isSame(as target: Target) -> Bool {
    target.number == number && target.scope == name.scope && target.element.id == name.id
  }
}

/// Where a list is scrolled to.
struct ListState {
  var position = ScrollPosition<FlowPath>()
  /// The row at the top, which stays there when rows come or go above it.
  var anchor: ScopeID?
}

/// The text that is being edited.
struct FieldEditor {
  let field: FocusedElement
  var buffer: TextBuffer
  /// What it was before an edit that the app has not answered yet: it may refuse it.
  var before: TextBuffer?
  /// The first character in sight.
  var first = 0
}

/// The options of a picker, while they are shown.
struct OpenPicker {
  let picker: FocusedElement
  let options: [ElementOption]
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
  var lost: [FocusedElement] = []
  /// Where what lost the focus stood: what came there gets it.
  var successor: ListPlace?
  /// The focus moved: show it.
  var mustReveal = false
  var lists: [ListKey: ListState] = [:]
  /// The number of covers that were shown last.
  private var layer = 0
  /// With more lists than these it is looked whether some have gone.
  private var listLimit = 64
  var editor: FieldEditor?
  var picker: OpenPicker?
  /// The mouse button went down in the field that has the focus, and was not let go.
  var isSelecting = false
  /// A line below the app, until the next key or click.
  var message: String?

  /// Forgets where lists were scrolled to whose scopes have gone, those in rows that were scrolled past most often, and
  /// those of covers that were closed.
  mutating func forgetLists(above layer: Int, unless isPresent: (ScopeID?) -> Bool) {
    if layer < self.layer { lists = lists.filter { $0.key.layer <= layer } }
    self.layer = layer
    if lists.count <= listLimit { return }
    lists = lists.filter { isPresent($0.key.scope) }
    listLimit = max(64, 2 * lists.count)
  }
}
