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
/// redirect(status: 303)
/// ```
public final class HTMLSession {
  /// The host of the view.
  public let host: ViewHost
  /// The title of the pages.
  public let title: String
  private let stylesheet: String
  private let renderer = FrameCounter()
  private let names: PageNames
  private let token: String
  private let restored = Store()
  private var targets: [String: PageTarget] = [:]
  private var fields: [String] = []
  private var firstRows: [String: Int] = [:]
  private var message: String?

  /// Creates a session, evaluates its view and starts the view's tasks.
  ///
  /// - Parameters:
  ///   - store: The store that the views' wrappers use.
  ///   - title: The title of the pages.
  ///   - stylesheet: The address of the stylesheet, whose text is ``HTMLStylesheet/text`` or one's
  ///     own.
  ///   - isolation: The actor that tasks and async intents run on; by default, that of the caller.
  ///   - root: Returns the view.
  public init(
    _ store: Store, title: String, stylesheet: String = "/signals.css",
    isolation: isolated (any Actor)? = #isolation, @ElementBuilder root: @escaping () -> Element
  ) {
    var random = SystemRandomNumberGenerator()
    self.title = title
    self.stylesheet = stylesheet
    names = PageNames(salt: random.next())
    token = [random.next(), random.next()].map { String($0, radix: 36) }.joined(separator: "-")
    let restored = restored
    host = ViewHost(store, renderer: renderer, isolation: isolation) {
      root().environment(\.restorationStore, restored)
    }
    host.onError = { [weak self] in self?.message = "\($0)" }
  }

  // MARK: - Pages

  /// Returns the page of the current screen, as UTF-8.
  ///
  /// Of a ``ForEach`` with many rows it has 100, and buttons that lead to the others.
  ///
  /// - Complexity: O(elements on the page).
  public func page() -> [UInt8] {
    var writer: PageWriter
    var frames: Int
    var tries = 0
    repeat {
      frames = renderer.frames
      writer = PageWriter(host.frame, names: names, firstRows: firstRows)
      // The rows that are made for the page run code as they appear, which may change the screen.
      batch { writer.drawScreen() }
      tries += 1
    } while renderer.frames != frames && tries < 4
    host.frame.releaseRows()
    (targets, fields) = (writer.targets, writer.fields)
    return document(writer)
  }

  private func document(_ writer: PageWriter) -> [UInt8] {
    var markup = Markup()
    markup.literal("<!DOCTYPE html>\n")
    markup.begin("html")
    markup.attribute("lang", "en")
    head(&markup, refreshes: writer.isBusy && writer.fields.isEmpty)
    markup.begin("body")
    markup.begin("form")
    markup.attribute("method", "post")
    hidden(&markup, "token", token)
    // A browser uses the first button of a form if the visitor presses return in a field.
    button(&markup, .enter, title: "Enter", classes: "away", isDefault: true)
    notices(&markup, isBusy: writer.isBusy)
    markup.begin("main")
    markup.append(writer.markup)
    if !writer.fields.isEmpty { button(&markup, .enter, title: "Apply", classes: nil) }
    markup.end("main")
    keys(&markup)
    markup.end("form")
    markup.end("body")
    markup.end("html")
    return markup.bytes
  }

  private func head(_ markup: inout Markup, refreshes: Bool) {
    markup.begin("head")
    meta(&markup, "charset", "utf-8")
    meta(&markup, "name", "viewport", content: "width=device-width, initial-scale=1")
    if refreshes { meta(&markup, "http-equiv", "refresh", content: "2") }
    markup.element("title", title)
    markup.begin("link")
    markup.attribute("rel", "stylesheet")
    markup.address("href", stylesheet)
    markup.endEmpty()
    markup.end("head")
  }

  private func meta(
    _ markup: inout Markup, _ attribute: StaticString, _ value: String, content: String? = nil
  ) {
    markup.begin("meta")
    markup.attribute(attribute, value)
    if let content { markup.attribute("content", content) }
    markup.endEmpty()
  }

  private func hidden(_ markup: inout Markup, _ name: String, _ value: String) {
    markup.begin("input")
    markup.attribute("type", "hidden")
    markup.attribute("name", name)
    markup.attribute("value", value)
    markup.endEmpty()
  }

  private func button(
    _ markup: inout Markup, _ action: PageAction, title: String, classes: String?,
    isDefault: Bool = false
  ) {
    markup.begin("button")
    if let classes { markup.attribute("class", classes) }
    if isDefault {
      markup.attribute("tabindex", "-1")
      markup.attribute("aria-hidden", "true")
    }
    markup.attribute("name", "do")
    markup.attribute("value", action.text)
    markup.text(title)
    markup.end("button")
  }

  private func notices(_ markup: inout Markup, isBusy: Bool) {
    if let message {
      markup.begin("p")
      markup.attribute("class", "notice error")
      markup.attribute("role", "alert")
      markup.text(message)
      markup.end("p")
    }
    guard isBusy else { return }
    markup.begin("p")
    markup.attribute("class", "notice")
    markup.attribute("role", "status")
    markup.text("Working… ")
    markup.begin("a")
    markup.attribute("href", "")
    markup.text("Show the result")
    markup.end("a")
    markup.end("p")
  }

  /// Writes a button for each key that is bound on screen.
  private func keys(_ markup: inout Markup) {
    let keys = host.keys
    if keys.isEmpty { return }
    markup.begin("nav")
    markup.attribute("class", "keys")
    markup.attribute("aria-label", "Keys")
    markup.element("span", "Keys")
    for key in keys { button(&markup, .key(key.name), title: key.name, classes: nil) }
    markup.end("nav")
  }

  // MARK: - Forms

  /// Does what the form of a page asks for.
  ///
  /// Errors of intents go to the handlers of the views; those that none handles are shown on the
  /// next page. So is the refusal of an element that has left the screen since the page was made.
  /// After an error, the rest of the form isn't used.
  ///
  /// - Parameter body: The body of the request, of the type `application/x-www-form-urlencoded`.
  /// - Throws: ``HTMLFormError`` if the request isn't a form of this session; then nothing was done.
  public func submit(_ body: some Sequence<UInt8>) throws(HTMLFormError) {
    let form = try FormBody(body)
    guard form["token"] == token else { throw .foreign }
    guard let text = form["do"], let action = PageAction(text) else { throw .malformed }
    message = nil
    do {
      let entered = try form.fields.compactMap { try enter($0.value, as: $0.name) }
      try perform(action, after: entered)
    } catch is HostError {
      // The host's messages name elements by their ids.
      message = message ?? "The screen has changed since this page was made. Please look again."
    } catch {
      // The handlers have the error.
    }
  }

  /// Enters a value into a field, unless it is the one that the page showed.
  ///
  /// - Returns: The name of the field; nil if it isn't one, or has the value already.
  private func enter(_ value: String, as field: String) throws -> String? {
    let parts = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    let (name, shown) = (parts[0], parts[1])
    // A text by its hash, an option by its name, which is its hash already.
    let text = PageText.shown(value)
    if value == shown || names.name(ofValue: text) == shown { return nil }
    let (reference, element) = try element(name)
    switch element.value {
    case .choice(_, let options):
      guard let option = options.first(where: { names.name(ofValue: $0.id) == value }) else {
        throw HostError.gone(name)
      }
      try host.start(reference, with: .choice(option.id))
    default: try host.start(reference, with: .text(text))
    }
    return name
  }

  private func perform(_ action: PageAction, after entered: [String]) throws {
    switch action {
    case .enter:
      // The form doesn't say in which field return was pressed.
      let field = entered.isEmpty && fields.count == 1 ? fields[0] : entered.first
      guard entered.count < 2, let field, let (reference, element) = try? element(field),
        element.submit != nil
      else { return }
      try host.start(reference, with: .submit)
    case .tap(let name): try use(name, with: .tap)
    case .set(let name, let isOn): try use(name, with: .flag(isOn))
    case .submit(let name): try use(name, with: .submit)
    case .move(let list, let row, let isUp): try move(row, in: list, isUp: isUp)
    case .rows(let name, let first):
      guard case .rows? = targets[name] else { throw HostError.gone(name) }
      firstRows[name] = first
    case .key(let name): try host.start(.key(KeyPress(name)))
    }
  }

  /// Uses an element, which then has the focus as after a click.
  private func use(_ name: String, with input: ElementInput) throws {
    let (reference, element) = try element(name)
    if element.isEnabled, let id = element.id { host.focus = id }
    try host.start(reference, with: input)
  }

  /// Returns the element that a name on the last page refers to.
  private func element(_ name: String) throws -> (ElementReference, DrawnElement) {
    guard case .element(let id)? = targets[name], let element = host.frame.element(id) else {
      throw HostError.gone(name)
    }
    return (.identity(id), element)
  }

  /// Moves a row of a list by one place.
  private func move(_ row: String, in list: String, isUp: Bool) throws {
    let (reference, element) = try element(list)
    guard case .row(let path)? = targets[row], let scope = host.frame.scope(at: path),
      let position = position(of: scope, in: element.children)
    else { throw HostError.gone(row) }
    try host.start(reference, with: .move([position], toOffset: isUp ? position - 1 : position + 2))
  }

  /// Returns the offset of a row among all rows of a list.
  private func position(of row: ScopeID, in elements: [Element]) -> Int? {
    let frame = host.frame
    var count = 0
    for element in elements {
      if case .scope(let scope)? = element.content {
        if let rows = frame.rows(of: scope) {
          if let found = rows.firstIndex(of: row) { return count + found }
        } else if let found = position(of: row, in: frame.elements(of: scope)) {
          return count + found
        }
      }
      count += frame.rowCount(in: [element])
    }
    return nil
  }
}

/// Counts the frames, of which a page draws the last.
private final class FrameCounter: Renderer {
  private(set) var frames = 0

  func commit(_ new: Frame, replacing old: Frame?) { frames += 1 }
}
