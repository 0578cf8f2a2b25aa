// State that a screen keeps between frames and that isn't state of the app: scroll positions, the
// focus, the cursor of a field, and an open picker.

import Signals

/// An element on screen that the user can interact with.
struct Target {
  let element: DrawnElement
  let scope: ScopeID
  /// The visible part of the element.
  var rect = Rect(width: 0, height: 0)
  /// The list that contains the element, and its place there.
  var place: ListPlace?
  /// The number of earlier targets with the same name in its view.
  var number: Int

  init(_ element: DrawnElement, in scope: ScopeID, number: Int = 0) {
    self.element = element
    self.scope = scope
    self.number = number
  }

  /// The name that, together with the number, finds the element in the next frame; nil if it has no
  /// id.
  var name: TargetName? { element.id.map { TargetName(id: $0, scope: scope) } }
}

/// Identifies targets, except those with the same id in the same view: ids may repeat from row to
/// row.
struct TargetName: Hashable {
  let id: String
  let scope: ScopeID
}

/// A place in a list.
struct ListPlace {
  let list: ListKey
  var path: FlowPath
  /// The places of this list in the lists around it, the innermost first, if it is nested in rows
  /// of other lists.
  var outer: [ListPlace] = []
  /// The rows that contain the place, the outermost first, by which it is found after rows have
  /// moved.
  var rows: [ListRow]

  init(list: ListKey, path: FlowPath, rows: [ListRow] = [], outer: [ListPlace] = []) {
    self.list = list
    self.path = path
    self.rows = rows
    self.outer = outer
  }

  init(_ path: FlowPath, of flow: ElementFlow, in list: ListKey, outer: [ListPlace] = []) {
    self.init(list: list, path: path, rows: flow.rows(of: path), outer: outer)
  }

  /// This place and those around it, the innermost first.
  var all: [ListPlace] { [self] + outer }

  /// Returns the place in a given list, if that is this place or one around it.
  func inList(_ list: ListKey) -> ListPlace? { all.first { $0.list == list } }

  /// Replaces the place in the same list, if that is this place or one around it.
  mutating func replace(with place: ListPlace) {
    if list == place.list {
      (path, rows) = (place.path, place.rows)
    } else if let index = outer.firstIndex(where: { $0.list == place.list }) {
      (outer[index].path, outer[index].rows) = (place.path, place.rows)
    }
  }

  /// Forgets the frame of the rows, which are then only found near their positions.
  mutating func forgetFrames() {
    rows.forgetFrames()
    for index in outer.indices { outer[index].forgetFrames() }
  }
}

/// The focused element.
///
/// The id that the host knows isn't sufficient, because ids may repeat.
struct FocusedElement {
  let name: TargetName
  let number: Int
  var place: ListPlace?
  /// The part of the element that was visible when it was last drawn.
  var rect: Rect
  /// The number of covers below the element.
  var layer = 0

  init?(_ target: Target) {
    guard let name = target.name else { return nil }
    self.name = name
    number = target.number
    place = target.place
    rect = target.rect
  }

  var id: String { name.id }
  var scope: ScopeID { name.scope }

  /// Returns whether a row's target leads to the focused element: it is the same element, or the
  /// first target of the nested list that contains the focused element.
  func isReached(by target: Target) -> Bool {
    isSame(as: target) || (target.place != nil && target.place?.list == place?.list)
  }

  func isSame(as target: Target) -> Bool {
    target.number == number && target.scope == name.scope && target.element.id == name.id
  }

  func isSame(as other: FocusedElement) -> Bool { other.number == number && other.name == name }

  /// Returns the target with the same id that is nearest to where this element was drawn.
  func nearest(among targets: [Target], where isMeant: (Target) -> Bool = { _ in true }) -> Target?
  {
    func distance(_ target: Target) -> (Int, Int) {
      (abs(target.rect.y - rect.y), abs(target.rect.x - rect.x))
    }
    return targets.filter { $0.element.id == id && isMeant($0) }
      .min { distance($0) < distance($1) }
  }
}

/// An element that was removed or covered while it had the focus.
struct LostElement {
  var element: FocusedElement
  /// Its text and cursor, if it is a field.
  let editor: FieldEditor?
}

/// The scroll position of a list.
struct ListState {
  var position = ScrollPosition<FlowPath>()
  /// The rows that contain the place at the top, which stays there when rows above it are inserted
  /// or removed.
  var anchor: [ListRow] = []
}

/// The text being edited in a field.
struct FieldEditor {
  let field: FocusedElement
  var buffer: TextBuffer
  /// The text before an edit that the app hasn't responded to yet, because the app may refuse the
  /// edit.
  var before: TextBuffer?
  /// The first visible character.
  var first = 0
  /// The number of cells of a line of text, in a field of several lines.
  var width = 1
}

/// The options of a picker while they are shown.
struct OpenPicker {
  let picker: FocusedElement
  let options: [ElementOption]
  var index: Int
  /// The first visible option.
  var top = 0
  /// The position of the options, once they have been drawn.
  var rect = Rect(width: 0, height: 0)
}

/// The state that a screen keeps between frames.
///
/// The input handlers (see ScreenInput.swift) and the painter change it. Both run between two
/// frames, never at the same time.
struct ScreenState {
  var focus: FocusedElement?
  /// Elements that were removed or covered while they had the focus, the latest last.
  var lost: [LostElement] = []
  /// The place of the element that lost the focus.
  ///
  /// An element that takes this place gets the focus.
  var successor: ListPlace?
  /// Whether the focus has moved and must be scrolled into view.
  var mustReveal = false
  var lists: [ListKey: ListState] = [:]
  /// The number of covers shown last.
  private(set) var layer = 0
  /// Above this number of lists, those whose scopes are gone are removed.
  private var listLimit = 64
  var editor: FieldEditor?
  var picker: OpenPicker?
  /// Whether the mouse button was pressed in the focused field and hasn't been released.
  var isSelecting = false
  /// A line shown below the app until the next key or click.
  var message: String?

  /// Finds the rows of covered elements in a frame, so that they aren't released.
  ///
  /// No drawing requests them until the cover is gone.
  mutating func followCovered(in frame: Frame) {
    for index in lost.indices where lost[index].element.layer < layer {
      guard let rows = lost[index].element.place?.rows else { continue }
      lost[index].element.place?.rows = rows.map { row in
        guard frame.isPresent(row.scope), let present = frame.rows(of: row.owner),
          let position = present.position(of: row)
        else { return row }
        return row.moved(to: position, in: present)
      }
    }
  }

  /// Forgets the frames of rows that may be gone: those of lists that a drawing didn't draw although
  /// they aren't covered, and those of lost elements.
  ///
  /// A frame keeps the rows that it showed.
  mutating func forgetFrames(except drawn: Set<ListKey>, unless isPresent: (ScopeID) -> Bool) {
    for (key, list) in lists where key.layer >= layer && !drawn.contains(key) {
      var list = list
      list.anchor.forgetFrames()
      lists[key] = list
    }
    for index in lost.indices where !isPresent(lost[index].element.scope) {
      lost[index].element.place?.forgetFrames()
    }
  }

  /// Forgets the scroll positions of lists in covers that were closed, and of lists whose scopes
  /// are gone, usually those in rows that were scrolled past.
  mutating func forgetLists(above layer: Int, unless isPresent: (ScopeID?) -> Bool) {
    if layer < self.layer { lists = lists.filter { $0.key.layer <= layer } }
    self.layer = layer
    if lists.count <= listLimit { return }
    lists = lists.filter { isPresent($0.key.scope) }
    listLimit = max(64, 2 * lists.count)
  }
}
