// Draws frames into cells, and computes the changes that a terminal must be sent.
//
// State: `frame`, the frame to show, and `commits`, the number of frames committed; `isStale`,
// whether `grid` is older than the frame or than the screen's state; `grid`, `targets`, `lists`,
// `drawnLists`, `cursor`, the result of the last drawing; `shown` and `shownCursor`, what the
// terminal was last sent; `state`, the state that the screen keeps between frames (see
// ScreenState.swift); `seen`, the drawing that the user's next input refers to; `copied`, the text
// on the clipboard.
//
// Order of events: a commit, a key or a new size marks the renderer stale; `layout` draws; `update`
// returns the difference from what the terminal shows. Commits may arrive more often than either is
// called.

public import Signals

/// Draws frames as a screen of cells, and updates a terminal with as few bytes as possible.
///
/// Only visible content is drawn: of a `ListBox` or `Table`, only the rows in its window are
/// created, regardless of their number. A ``TerminalApp`` runs the renderer on a terminal, a
/// ``TerminalScreen`` runs it in a test.
public final class TerminalRenderer: Renderer {
  /// The number of columns.
  public private(set) var width: Int
  /// The number of lines.
  public private(set) var height: Int
  /// The colors and characters that the terminal can show.
  public let capabilities: TerminalCapabilities
  /// The size below which a message is shown instead of the app.
  let minimum: (width: Int, height: Int)

  /// Called when there is something to draw.
  var onNeed: () -> Void = {}
  var state = ScreenState() { didSet { isStale = true } }
  /// The number of lists whose scroll position is stored.
  package var keptLists: Int { state.lists.count }
  private(set) var frame: Frame?
  private(set) var isStale = true
  private var commits = 0
  private(set) var targets: [Target] = []
  private(set) var lists: [(key: ListKey, flow: ElementFlow, area: Rect)] = []
  private var drawnLists = DrawnLists()
  private(set) var grid: CellGrid
  private(set) var cursor: (x: Int, y: Int)?
  private(set) var pool = GlyphPool()
  private var shown: CellGrid?
  private var shownCursor: (x: Int, y: Int)?
  /// The drawing that the user saw last; nil if there was none.
  private(set) var seen: SeenScreen?
  /// Whether a drawing now shows the effects of the user's last input.
  var isAnswering = false
  /// Called when the user sees what was drawn.
  var onSeen: () -> Void = {}
  /// The text last put on the clipboard, and whether it must still be sent to the terminal.
  private(set) var copied: String?
  private var isCopyDue = false

  /// A screen has at least one cell, and at most as many as a real terminal could have.
  private static let sizes = (width: 1...2000, height: 1...1000)

  /// Creates a renderer for a screen of a given size.
  ///
  /// A screen has at most 2,000 columns and 1,000 lines. Cells beyond them stay blank.
  ///
  /// - Parameters:
  ///   - width: The number of columns.
  ///   - height: The number of lines.
  ///   - capabilities: The capabilities of the terminal.
  ///   - minimum: The size below which a message is shown instead of the app.
  public init(
    width: Int, height: Int, capabilities: TerminalCapabilities = .full,
    minimum: (width: Int, height: Int) = (20, 4)
  ) {
    self.width = TerminalRenderer.within(TerminalRenderer.sizes.width, number: width)
    self.height = TerminalRenderer.within(TerminalRenderer.sizes.height, number: height)
    self.capabilities = capabilities
    self.minimum = minimum
    grid = CellGrid(width: self.width, height: self.height)
  }

  /// Takes a frame, which is drawn by the next call of ``update()`` or ``text``.
  ///
  /// - Parameters:
  ///   - new: The frame to show.
  ///   - old: The frame before it; nil for the first.
  public func commit(_ new: Frame, replacing old: Frame?) {
    frame = new
    commits += 1
    isStale = true
    onNeed()
  }

  /// Changes the size of the screen.
  ///
  /// The next update redraws all of it.
  ///
  /// - Parameters:
  ///   - width: The number of columns.
  ///   - height: The number of lines.
  public func resize(width: Int, height: Int) {
    self.width = TerminalRenderer.within(TerminalRenderer.sizes.width, number: width)
    self.height = TerminalRenderer.within(TerminalRenderer.sizes.height, number: height)
    redraw()
  }

  private static func within(_ limits: ClosedRange<Int>, number: Int) -> Int {
    min(max(number, limits.lowerBound), limits.upperBound)
  }

  /// Shows an error below the app, until the next key or click.
  func show(_ error: any Error) {
    state.message = "\(error)"
    // The message takes a line from the app, so a focused element that was visible must be
    // revealed.
    if let focus = state.focus, targets.contains(where: focus.isSame(as:)) {
      state.mustReveal = true
    }
  }

  /// Forgets what the terminal shows, so that the next update sends the whole screen.
  func redraw() {
    shown = nil
    isStale = true
  }

  // MARK: - Drawing

  /// Draws the frame if the last drawing is out of date.
  ///
  /// Rows that become visible are created.
  func layout() {
    guard isStale, let frame else { return }
    if pool.isFull {
      pool = GlyphPool()
      shown = nil
    }
    let drawn = commits
    // Changes made by rows when they appear go into another frame, after this one.
    let painter = batch {
      var painter: Painter
      var cover: Cover?
      repeat {
        cover = frame.cover
        painter = paint(frame, below: cover)
        // A row that was just evaluated may cover the screen.
      } while frame.cover?.element !== cover?.element
      return painter
    }
    grid = painter.grid
    cursor = painter.cursor
    targets = painter.targets
    lists = painter.lists
    state = painter.state
    let columns = drawnLists.columns.filter { $0.key.layer < painter.layer }
    drawnLists = DrawnLists(
      lists: Set(lists.map(\.key)), columns: columns.merging(painter.columns) { $1 })
    state.forgetLists(above: painter.layer, unless: { $0.map(frame.isPresent) ?? true })
    state.followCovered(in: frame)
    state.forgetFrames(except: drawnLists.lists, unless: frame.isPresent)
    // Rows that were scrolled past can be released.
    frame.releaseRows()
    isStale = commits != drawn
  }

  private func paint(_ frame: Frame, below cover: Cover?) -> Painter {
    var painter = Painter(
      CellGrid(width: width, height: height), state: state, pool: pool, isAnswer: isAnswering,
      previous: drawnLists)
    let builder = BoxBuilder(frame, cover: cover, rowLimit: height + 1)
    painter.layer = builder.layer
    let area = painter.screen
    painter.paint(isTooSmall ? smallBox : builder.root(), in: area, clip: area)
    painter.paintPicker()
    painter.paintMessage()
    return painter
  }

  /// Whether a message is shown instead of the app.
  var isTooSmall: Bool { width < minimum.width || height < minimum.height }

  /// As short as possible: the text fits into 10×3 cells.
  private var smallBox: Box {
    Box(.text("Needs \(minimum.width)×\(minimum.height)\nctrl-c quits"), style: .plain)
  }

  /// Notes that the user sees what was drawn last.
  func noteSeen() {
    guard let frame else { return }
    seen = SeenScreen(
      frame: frame, targets: targets, lists: lists.map { ($0.key, $0.area) }, picker: state.picker,
      editor: state.editor)
    onSeen()
  }

  /// Puts a text on the clipboard with the next update.
  func copy(_ text: String) {
    (copied, isCopyDue) = (text, true)
    onNeed()
  }

  /// Returns the bytes to send to the terminal to show the frame; empty if it is up to date.
  ///
  /// - Returns: Escape sequences and text.
  public func update() -> [UInt8] {
    layout()
    noteSeen()
    var writer = EscapeWriter(capabilities)
    if isCopyDue, let copied {
      isCopyDue = false
      writer.clipboard(copied)
    }
    if let shown, shown == grid, shownCursor?.x == cursor?.x, shownCursor?.y == cursor?.y {
      return writer.bytes
    }
    // Begins a synchronized update. Terminals that don't support it ignore the command.
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

  /// The text on screen, line by line, without trailing blanks and trailing empty lines.
  public var text: String {
    layout()
    noteSeen()
    var lines = grid.lines(pool)
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}

extension ListKey {
  private static let screenName = "the screen"

  /// The key of a whole layer that scrolls as one list.
  static func screen(_ layer: Int) -> ListKey {
    ListKey(layer: layer, scope: nil, name: screenName)
  }

  /// Whether the list is a whole layer.
  var isScreen: Bool { scope == nil && name == ListKey.screenName }
}
