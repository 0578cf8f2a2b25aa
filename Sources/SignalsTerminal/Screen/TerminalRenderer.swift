// Draws frames into cells, and tells a terminal what changed.
//
// State: `frame`, the one to be shown, and `commits`, how many there were; `isStale`, whether `grid` is not of it, or
// what the screen keeps has changed since; `grid`, `targets`, `lists`, `cursor`: what was drawn last; `shown`, what the terminal was told, and `shownCursor`;
// `state`, what the user's screen keeps (see ScreenState.swift); `copied`, what is on the clipboard.
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
  /// Of how many lists it is known where they are scrolled to.
  package var keptLists: Int { state.lists.count }
  private(set) var frame: Frame?
  private(set) var isStale = true
  private var commits = 0
  private(set) var targets: [Target] = []
  private(set) var lists: [(key: ListKey, flow: ElementFlow, area: Rect)] = []
  private(set) var grid: CellGrid
  private(set) var cursor: (x: Int, y: Int)?
  private(set) var pool = GlyphPool()
  private var shown: CellGrid?
  private var shownCursor: (x: Int, y: Int)?
  /// What was put on the clipboard last, and whether the terminal has still to be told.
  private(set) var copied: String?
  private var isCopyDue = false

  /// A screen has at least one cell, and no more than what a terminal could have that is not mistaken.
  private static let sizes = (width: 1...2000, height: 1...1000)

  /// Creates a renderer for a screen of some size; below `minimum` it shows a message instead of the app.
  ///
  /// A screen has at most 2,000 columns and 1,000 lines: what is beyond them stays blank.
  public init(
    width: Int, height: Int, capabilities: TerminalCapabilities = .full,
    minimum: (width: Int, height: Int) = (20, 4)
  ) {
    self.width = TerminalRenderer.within(TerminalRenderer.sizes.width, width)
    self.height = TerminalRenderer.within(TerminalRenderer.sizes.height, height)
    self.capabilities = capabilities
    self.minimum = minimum
    grid = CellGrid(width: self.width, height: self.height)
  }

  /// Takes a frame, to be drawn when somebody asks what it looks like.
  public func commit(_ new: Frame, replacing old: Frame?) {
    frame = new
    commits += 1
    isStale = true
    onNeed()
  }

  /// Changes the size of the screen; everything is drawn anew.
  public func resize(width: Int, height: Int) {
    self.width = TerminalRenderer.within(TerminalRenderer.sizes.width, width)
    self.height = TerminalRenderer.within(TerminalRenderer.sizes.height, height)
    redraw()
  }

  private static func within(_ limits: ClosedRange<Int>, _ number: Int) -> Int {
    min(max(number, limits.lowerBound), limits.upperBound)
  }

  /// What is drawn depends on something else that changed.
  func markStale() { isStale = true }

  /// Shows an error below the app, until the next key or click.
  func show(_ error: any Error) {
    state.message = "\(error)"
    // The line is taken from the app: what has the focus, and was to be seen, still is.
    if let focus = state.focus, targets.contains(where: focus.isSame(as:)) {
      state.mustReveal = true
    }
  }

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
    let drawn = commits
    // What rows run when they appear is another frame, after this one.
    let painter = batch {
      var painter: Painter
      var cover: Cover?
      repeat {
        cover = frame.cover
        painter = paint(frame, below: cover)
        // A row that was evaluated just now may cover the screen.
      } while frame.cover?.element !== cover?.element
      return painter
    }
    grid = painter.grid
    cursor = painter.cursor
    targets = painter.targets
    lists = painter.lists
    state = painter.state
    state.forgetLists(above: painter.layer, unless: { $0.map(frame.isPresent) ?? true })
    // What was scrolled past need not be kept.
    frame.releaseRows()
    isStale = commits != drawn
  }

  private func paint(_ frame: Frame, below cover: Cover?) -> Painter {
    var painter = Painter(CellGrid(width: width, height: height), state, pool)
    let builder = BoxBuilder(frame, cover, rowLimit: height + 1)
    painter.layer = builder.layer
    let area = painter.screen
    painter.paint(isTooSmall ? smallBox : builder.root(), in: area, clip: area)
    painter.paintPicker()
    painter.paintMessage()
    return painter
  }

  /// Whether there is a message instead of the app.
  var isTooSmall: Bool { width < minimum.width || height < minimum.height }

  /// As short as may be: what it says fits into 10×3.
  private var smallBox: Box {
    Box(.text("Needs \(minimum.width)×\(minimum.height)\nctrl-c quits"), style: .plain)
  }

  /// Puts a text on the clipboard with the next update.
  func copy(_ text: String) {
    (copied, isCopyDue) = (text, true)
    onNeed()
  }

  /// What a terminal has to be told to show the frame; empty if it shows it.
  public func update() -> [UInt8] {
    layout()
    var writer = EscapeWriter(capabilities)
    if isCopyDue, let copied {
      isCopyDue = false
      writer.clipboard(copied)
    }
    if let shown, shown == grid, shownCursor?.x == cursor?.x, shownCursor?.y == cursor?.y {
      return writer.bytes
    }
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
  private static let screenName = "the screen"

  /// The whole of a layer, where it scrolls.
  static func screen(_ layer: Int) -> ListKey {
    ListKey(layer: layer, scope: nil, name: screenName)
  }

  /// Whether it is the whole of a layer.
  var isScreen: Bool { scope == nil && name == ListKey.screenName }
}
