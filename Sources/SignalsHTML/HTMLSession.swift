// The screen of one visitor, as pages whose actions are forms.
//
// State: `host` runs the view; `restored` has the visitor's `@Restored` values, and the key of the
// names on pages; `seal` turns it into a text that pages carry; `allowance`, what the visitor may
// send; `kept`, the targets of the names, and drawings of scopes; `fields`, its text fields;
// `firstRows`, the part that the visitor sees of each long list; `message`, the error of the last
// action or entry; `notice`, that something may have been lost.
//
// Order of events: a page is drawn from the host's frame. The visitor sends its form, with the
// values of all fields and the action of one button. Each field whose value differs from the one
// that the page showed is entered, in the order of the page. Then the button is used. The next page
// shows the result.

public import Signals

/// The screen of one visitor of a site, as pages that work without a script.
///
/// A page is a complete document: the elements of the screen, each as the HTML element that has its
/// meaning, in one form. Every button sends the form. ``submit(_:at:)`` does what it asks for, by the
/// same intents as any renderer, and ``page()`` returns the next page.
///
/// - Fields that the visitor hasn't changed aren't entered, so a page that was left open for a day
///   overwrites nothing.
/// - Only elements that are on screen and enabled can be used, whatever a form says.
/// - Names on a page are hashes that only this session understands. Keys and ids of objects aren't
///   on it.
/// - All text is escaped for the place where it stands. The markup has no script and no style of its
///   own, so it works under a policy of `default-src 'self'`.
/// - `@Restored` values are the visitor's own. With a ``HTMLStateSeal``, pages carry them, and a
///   session that was released, or whose process has ended, can be continued by another one.
///
/// Make a session for each visitor, on the actor of the graph, and serve its bytes by any server:
///
/// ```swift
/// let session = HTMLSession(store, title: "Library") { LibraryScreen(library) }
/// respond(with: session.page(), type: "text/html; charset=utf-8")
/// // For a POST, which is answered by a redirection to the page:
/// try session.submit(body)
/// redirect(to: session.location, status: 303)
/// ```
public final class HTMLSession {
  /// The host of the view.
  public let host: ViewHost
  /// The title of the app, which the titles of its pages end with.
  public let title: String
  /// The part of the pages' paths before the addresses of the app's screens.
  public let path: String
  let stylesheet: String
  let (live, script): (path: String?, address: String)
  private let renderer = SessionRenderer()
  let names: PageNames
  let token: String
  let parts: PageParts
  let limits: HTMLLimits
  var allowance: MessageAllowance
  private let restored: Store
  private let seal: HTMLStateSeal?
  private var watch: (any Cancellable)?
  /// The visitor's state as pages carry it; nil if it has to be sealed again.
  private var sealed: String??
  private(set) var kept = KeptScopes()
  private(set) var fields: [String] = []
  var firstRows: [String: Int] = [:] {
    didSet {
      kept.removeAll()
      renderer.change()
    }
  }
  var message: String? { didSet { if message != oldValue { renderer.change() } } }
  /// Whether the message is about something that was entered, so that the next entry removes it.
  var isMessageOfEntry = false
  /// Whether something is being entered.
  var isEntering = false
  /// What may have been lost, until the visitor presses something.
  var notice: String? { didSet { if notice != oldValue { renderer.change() } } }
  private var drawn: (drawing: PageDrawing, frame: Int)?
  /// The pages that are in browsers, the newest last.
  private var pages: [LivePage] = []

  /// Creates a session, evaluates its view and starts the view's tasks.
  ///
  /// - Parameters:
  ///   - store: The store that the views' wrappers use.
  ///   - title: The title of the app. A screen with a title of its own (`Frame.title`) puts it first.
  ///   - path: The part of the pages' paths before the addresses of the app's screens, such as
  ///     `/library`; empty if the site is the app.
  ///   - stylesheet: The address of the stylesheet, whose text is ``HTMLStylesheet/text`` or one's
  ///     own.
  ///   - live: The path to which the script of a page connects; nil for pages without a script. See
  ///     ``LivePage``.
  ///   - script: The address of the script, whose text is ``HTMLScript/text``.
  ///   - seal: Lets pages carry the visitor's state, sealed; nil if it ends with the session.
  ///   - limits: The limits of what the visitor sends, and of the rows on a page.
  ///   - state: The state that a page of a lost session has carried; see ``HTMLRenewal``. Without
  ///     it, the state is new.
  ///   - isolation: The actor that tasks and async intents run on; by default, that of the caller.
  ///   - root: Returns the view.
  public init(
    _ store: Store, title: String, path: String = "", stylesheet: String = "/signals.css",
    live: String? = nil, script: String = HTMLScript.address,
    seal: HTMLStateSeal? = nil, limits: HTMLLimits = HTMLLimits(), state: Snapshot? = nil,
    isolation: isolated (any Actor)? = #isolation, @ElementBuilder root: @escaping () -> Element
  ) {
    let restored = state.map { Store($0) } ?? Store()
    (self.restored, self.seal) = (restored, seal)
    self.title = title
    self.path = path
    self.stylesheet = stylesheet
    (self.live, self.script) = (live, script)
    (self.limits, allowance) = (limits, MessageAllowance(limits))
    names = PageNames(PageKey.of(restored))
    token = names.token
    parts = PageParts(token: token)
    host = ViewHost(store, renderer: renderer, isolation: isolation) {
      root().environment(\.restorationStore, restored)
    }
    host.onError = { [weak self] in self?.show("\($0)") }
    if seal != nil {
      watch = restored.commits.sink { [weak self] _ in
        self?.sealed = nil
        self?.renderer.change()
      }
    }
    if live == nil { return }
    renderer.onReplace = { [weak self] in self?.kept.replace($0) }
    renderer.onChange = { [weak self] in self?.pages.forEach { $0.onChange?() } }
  }

  private static func secret() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in String(random.next() as UInt64, radix: 36) }.joined(separator: "-")
  }

  // MARK: - Addresses

  /// The path of the page of the present screen, to which a form is redirected.
  public var location: String { untracked { host.addresses.present.location(below: path) } }

  /// Shows the screen of a path, as a request for its page asks for.
  ///
  /// It goes back if the screen leads to the present one, as the browser's own way back does.
  ///
  /// - Parameter requested: The path of the request. A query makes no difference.
  /// - Returns: `false` if the path isn't one of the app's. Then nothing is done. Whether there is
  ///   something at an address is up to the view.
  @discardableResult
  public func open(_ requested: String) -> Bool {
    guard requested.hasPrefix(path) else { return false }
    var rest = String(requested.dropFirst(path.count))
    // The path of the app is its first screen's, with and without a slash.
    if rest.isEmpty || rest.hasPrefix("?") { rest = "/" }
    guard let address = ScreenAddress(rest) else { return false }
    if address != untracked({ host.addresses.present }) { host.open(address) }
    return true
  }

  // MARK: - State

  /// The visitor's state, as pages carry it.
  var sealedState: String? {
    if let sealed { return sealed }
    let new = seal?.close(restored.snapshot())
    sealed = .some(new)
    return new
  }

  // MARK: - Pages

  /// Returns the page of the current screen, as UTF-8.
  ///
  /// Of a `ForEach` with many rows it has a part, and buttons that lead to the others; see
  /// ``HTMLLimits/rows``.
  ///
  /// - Complexity: O(elements on the page).
  public func page() -> [UInt8] {
    let drawing = drawing()
    if live == nil { return PageDocument(of: self, drawing).bytes(page: nil) }
    return PageDocument(of: self, drawing).bytes(page: makePage(drawing).name)
  }

  func makePage(_ drawing: PageDrawing) -> LivePage {
    let page = LivePage(drawing, of: self, named: HTMLSession.secret())
    if pages.count == HTMLSession.pageLimit { pages.removeFirst() }
    pages.append(page)
    return page
  }

  /// Returns a page that is in a browser.
  ///
  /// - Parameter name: The name that the page's script sends.
  /// - Returns: The page; `nil` if there is none of that name, or newer ones have taken its place.
  ///   Then the script asks for another one; see ``HTMLRenewal``.
  public func livePage(_ name: String) -> LivePage? { pages.first { $0.name == name } }

  /// The greatest number of pages of a session that are kept up to date.
  private static let pageLimit = 8

  /// Draws the present screen, unless that has been done.
  func drawing() -> PageDrawing {
    if let drawn, drawn.frame == renderer.frames { return drawn.drawing }
    var screen: KeptScopes.Drawing
    var frames: Int
    var tries = 0
    var isWhole = false
    repeat {
      frames = renderer.frames
      // Without a script, each request draws a page of its own.
      if live == nil { kept = KeptScopes() }
      isWhole = kept.begin(host.frame) || isWhole
      // The rows that are made for the page run code as they appear, which may change the screen.
      screen = batch {
        var writer = PageWriter(host.frame, of: self, keeping: kept)
        return writer.drawScreen()
      }
      tries += 1
      // So may a row that shows something in place of the rest.
    } while (renderer.frames != frames || !kept.shows(host.frame.cover)) && tries < 4
    if isWhole {
      kept.endAll()
      // Kept rows aren't requested, and would be taken for unused.
      host.frame.releaseRows()
    }
    fields = screen.found.fields
    let drawing = PageDrawing(
      screen.group, finding: screen.found, of: self, after: drawn?.drawing)
    if live != nil { drawn = (drawing, frames) } else { kept.removeAll() }
    return drawing
  }
}

/// Counts the frames, of which a page draws the last, and other changes of the page.
private final class SessionRenderer: Renderer {
  private(set) var frames = 0
  var onReplace: ((Frame) -> Void)?
  var onChange: (() -> Void)?

  func commit(_ new: Frame, replacing old: Frame?) {
    if let old { onReplace?(old) }
    change()
  }

  func change() {
    frames += 1
    onChange?()
  }
}

extension ScreenAddress {
  /// Returns the path of the page of the screen.
  func location(below path: String) -> String {
    // The first page of an app is `/app`, as people write it.
    self == .first && !path.isEmpty ? path : path + description
  }
}
