// The screen of one visitor, as pages whose actions are forms.
//
// State: `host` runs the view; `restored` has the visitor's `@Restored` values; `targets` and
// `fields`, what the names on the last page refer to, and its text fields; `firstRows`, the part
// that the visitor sees of each long list; `message`, what went wrong since the last form.
//
// Order of events: a page is drawn from the host's frame. The visitor sends its form, with the
// values of all fields and the action of one button. Each field whose value differs from the one
// that the page showed is entered, in the order of the page. Then the button is used. The next page
// shows the result.

public import Signals

/// The screen of one visitor of a site, as pages that work without a script.
///
/// A page is a complete document: the elements of the screen, each as the HTML element that has its
/// meaning, in one form. Every button sends the form. ``submit(_:)`` does what it asks for, by the
/// same intents as any renderer, and ``page()`` returns the next page.
///
/// - Fields that the visitor hasn't changed aren't entered, so a page that was left open for a day
///   overwrites nothing.
/// - Only elements that are on screen and enabled can be used, whatever a form says.
/// - Names on a page are hashes that only this session understands. Keys and ids of objects aren't
///   on it.
/// - All text is escaped for the place where it stands. The markup has no script and no style of its
///   own, so it works under a policy of `default-src 'self'`.
/// - `@Restored` values are the visitor's own.
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
  private let renderer = FrameCounter()
  let names: PageNames
  let token: String
  private let restored = Store()
  private(set) var targets: [String: PageTarget] = [:]
  private(set) var fields: [String] = []
  var firstRows: [String: Int] = [:]
  var message: String?

  /// Creates a session, evaluates its view and starts the view's tasks.
  ///
  /// - Parameters:
  ///   - store: The store that the views' wrappers use.
  ///   - title: The title of the app. A screen with a title of its own (`Frame.title`) puts it first.
  ///   - path: The part of the pages' paths before the addresses of the app's screens, such as
  ///     `/library`; empty if the site is the app.
  ///   - stylesheet: The address of the stylesheet, whose text is ``HTMLStylesheet/text`` or one's
  ///     own.
  ///   - isolation: The actor that tasks and async intents run on; by default, that of the caller.
  ///   - root: Returns the view.
  public init(
    _ store: Store, title: String, path: String = "", stylesheet: String = "/signals.css",
    isolation: isolated (any Actor)? = #isolation, @ElementBuilder root: @escaping () -> Element
  ) {
    var random = SystemRandomNumberGenerator()
    self.title = title
    self.path = path
    self.stylesheet = stylesheet
    names = PageNames(salt: random.next())
    token = [random.next(), random.next()].map { String($0, radix: 36) }.joined(separator: "-")
    let restored = restored
    host = ViewHost(store, renderer: renderer, isolation: isolation) {
      root().environment(\.restorationStore, restored)
    }
    host.onError = { [weak self] in self?.message = "\($0)" }
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

  // MARK: - Pages

  /// Returns the page of the current screen, as UTF-8.
  ///
  /// Of a `ForEach` with many rows it has 100, and buttons that lead to the others.
  ///
  /// - Complexity: O(elements on the page).
  public func page() -> [UInt8] {
    var writer: PageWriter
    var frames: Int
    var tries = 0
    repeat {
      frames = renderer.frames
      writer = PageWriter(host.frame, path: path, names: names, firstRows: firstRows)
      // The rows that are made for the page run code as they appear, which may change the screen.
      batch { writer.drawScreen() }
      tries += 1
    } while renderer.frames != frames && tries < 4
    host.frame.releaseRows()
    (targets, fields) = (writer.targets, writer.fields)
    return PageDocument(of: self, keys: host.keys).bytes(around: writer)
  }
}

/// Counts the frames, of which a page draws the last.
private final class FrameCounter: Renderer {
  private(set) var frames = 0

  func commit(_ new: Frame, replacing old: Frame?) { frames += 1 }
}

extension ScreenAddress {
  /// Returns the path of the page of the screen.
  func location(below path: String) -> String {
    // The first page of an app is `/app`, as people write it.
    self == .first && !path.isEmpty ? path : path + description
  }
}
