// Draws frames into cells, and tells a terminal what changed.
//
// State: `frame`, the one to be shown; `isStale`, whether `grid` is not of it, or what the screen keeps has changed since;
// `grid`, `targets`, `lists`, `cursor`: what was drawn last; `shown`, what the terminal was told, and `shownCursor`;
// `state`, what the user's screen keeps (see ScreenState.swift).
//
// Order of events: a commit, a key or a new size makes the renderer stale; `layout` draws; `update` tells what differs
// from what the terminal shows. Commits may come faster than anyone asks for either.

public import Signals

/// Draws frames as a screen of cells, and says in the fewest bytes what a terminal has to change.
///
/// What is drawn is what is to be seen: of a `ListBox` or `Table` only the rows in its window are made, however
/// many there are. A ``TerminalApp`` runs it on a terminal, and a ``TerminalScreen`` in a test.
public final class TerminalRenderer: Renderer {
  /// The number of columns.
  public private(set) var width: Int
  /// The number of lines.
  public private(set) var height: Int
  /// What the terminal can show.
  public let capabilities: TerminalCapabilities
  /// Below this size there is a message instead of the app.
  let minimum: (width: Int, height: Int)

  /// Called when something has to be drawn.
  var onNeed: () -> Void = {}
  var state = ScreenState() { didSet { isStale = true } }
  private(set) var frame: Frame?
  private(set) var isStale = true
  private(set) var targets: [Target] = []
  private(set) var lists: [(key: ListKey, flow: ElementFlow, area: Rect)] = []
  private(set) var grid: CellGrid
  private(set) var cursor: (x: Int, y: Int)?
  private(set) var pool = GlyphPool()
  private var shown: CellGrid?
  private var shownCursor: (x: Int, y: Int)?

  /// Creates a renderer for a screen of some size; below `minimum` it shows a message instead of the app.
  public init(
    width: Int, height: Int, capabilities: TerminalCapabilities = .full,
    minimum: (width: Int, height: Int) = (20, 4)
  ) {
    self.width = max(1, width)
    self.height = max(1, height)
    self.capabilities = capabilities
    self.minimum = minimum
    grid = CellGrid(width: self.width, height: self.height)
  }

  /// Takes a frame, to be drawn when somebody asks what it looks like.
  public func commit(_ new: Frame, replacing old: Frame?) {
    frame = new
    isStale = true
    onNeed()
  }

  /// Changes the size of the screen; everything is drawn anew.
  public func resize(width: Int, height: Int) {
    self.width = max(1, width)
    self.height = max(1, height)
    redraw()
  }

  /// What is drawn depends on something else that changed.
  func markStale() { isStale = true }

  /// Forgets what the terminal shows, so that the next update tells everything.
  func redraw() {
    shown = nil
    isStale = true
  }

  // MARK: - Drawing

  /// Draws the frame, if what was drawn is not it; rows that come into sight are made.
  func layout() {
    guard isStale, let frame else { return }
    if pool.isFull {
      pool = GlyphPool()
      shown = nil
    }
    let empty = CellGrid(width: width, height: height)
    var painter = Painter(empty, state, pool)
    // What rows run when they appear is another frame, after this one.
    batch {
      let isSmall = width < minimum.width || height < minimum.height
      painter.paint(
        isSmall ? smallBox : BoxBuilder(frame, rowLimit: height + 1).root(), in: empty.bounds,
        clip: empty.bounds)
      painter.paintPicker()
      painter.paintMessage()
    }
    grid = painter.grid
    cursor = painter.cursor
    targets = painter.targets
    lists = painter.lists
    state = painter.state
    isStale = false
  }

  private var smallBox: Box {
    Box(
      .text(
        "The terminal is too small: \(width)×\(height), at least \(minimum.width)×\(minimum.height)"
      ), style: .plain)
  }

  /// What a terminal has to be told to show the frame; empty if it shows it.
  public func update() -> [UInt8] {
    layout()
    if let shown, shown == grid, shownCursor?.x == cursor?.x, shownCursor?.y == cursor?.y {
      return []
    }
    var writer = EscapeWriter(capabilities)
    // What a terminal that knows it shows at once, and others ignore.
    writer.command("\u{1B}[?2026h")
    if shownCursor != nil || shown == nil { writer.command("\u{1B}[?25l") }
    writer.update(from: shown, to: grid, pool)
    if let cursor {
      writer.move(x: cursor.x, y: cursor.y)
      writer.command("\u{1B}[?25h")
    }
    writer.command("\u{1B}[?2026l")
    shown = grid
    shownCursor = cursor
    return writer.bytes
  }

  /// The text on screen, line by line, without blanks at the ends of lines and lines at the end.
  public var text: String {
    layout()
    var lines = grid.lines(pool)
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}

extension ListKey {
  /// The whole screen, where it scrolls.
  static let screen = ListKey(scope: nil, name: "the screen")
}
