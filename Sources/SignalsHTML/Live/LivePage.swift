// A page that a script keeps up to date.
//
// State: `root`, the elements as they are in the browser, once it has used the last patch; `number`,
// that of the patch; `count`, the number of the element that is inserted next; `title`,
// `location` and `focus`, as they are there; `entered`, what the user has entered since; `received`
// and `reported`, the numbers of the last message of the script and of the last one that a patch has
// taken into account; `isLost`, whether the browser may show something else.
//
// Order of events: a commit makes a frame, and `onChange` is called. The transport asks for a patch
// when it can send one, however many frames were made by then. The patch leads from the page that
// the last patch made to that of the present frame. The script sends messages; each says what was
// typed and what was pressed, and the next patch says that it was received. Nothing is queued.

/// A page of an ``HTMLSession`` in a browser, whose script keeps it up to date.
///
/// The script of the page (``HTMLScript``) receives patches, and sends messages. A transport carries
/// them. It asks for a patch whenever it can send one, so a slow connection gets fewer patches, and
/// each leads to the present screen. What the user is typing stays in the browser until the app has
/// taken it.
///
/// ```swift
/// guard let page = session.livePage(name) else { return respond(status: 410) }
/// page.onChange = { wakeUp() }
/// // Whenever something has changed, and the connection can take it:
/// while let patch = page.nextPatch() { send(patch) }
/// // For each message of the script:
/// try page.receive(message)
/// ```
public final class LivePage {
  /// The name of the page, which only its browser knows.
  public let name: String
  /// Called when there may be a patch, from within a commit: it may wake up a task, and no more.
  public var onChange: (() -> Void)?

  private weak var session: HTMLSession?
  private var root: LiveNode
  private var count: Int
  /// The number of the last patch, 0 for the page itself.
  public private(set) var number = 0
  /// The number of connections so far; only the last one may take patches.
  public private(set) var connection = 0
  private var title: String
  private var location: String
  private var focus: PageNode.Key?
  private(set) var entered: [String: String] = [:]
  private var (received, reported) = (0, 0)
  private var isLost = false

  init(_ drawing: PageDrawing, of session: HTMLSession, named name: String) {
    self.name = name
    self.session = session
    count = 0
    root = LiveNode.numbered(drawing.form, from: &count)
    (title, location, focus) = (drawing.title, drawing.location, drawing.focus)
  }

  /// Returns the patch that leads to the present screen.
  ///
  /// - Returns: The patch, in JSON without line ends; `nil` if the browser shows the present screen
  ///   and knows that its messages were received, and when the session was released.
  /// - Complexity: O(elements of the scopes that have changed, and of those around them); O(elements of
  ///   the page) if something was typed that the app hasn't taken, or the focus has moved.
  public func nextPatch() -> [UInt8]? {
    guard let drawing = session?.drawing() else { return nil }
    var patch = PatchWriter(count: count, entered: entered)
    if isLost {
      root = patch.replace(with: drawing.form)
    } else {
      root.update(to: drawing.form, with: &patch)
      let rest = patch.entered
      root.forEach(in: rest) { name, control, number in
        if let shown = control.shown, shown != rest[name] { patch.show(shown, in: number) }
      }
    }
    count = patch.count
    if isLost || drawing.title != title { patch.setTitle(drawing.title) }
    if isLost || drawing.location != location { patch.setAddress(drawing.location) }
    if let new = drawing.focus, isLost || new != focus {
      root.forEach { node, number in if node.key == new { patch.focus(number) } }
    }
    (title, location, focus) = (drawing.title, drawing.location, drawing.focus)
    (entered, isLost) = ([:], false)
    if patch.bytes.isEmpty, reported == received { return nil }
    reported = received
    number += 1
    return Array("[\(number),\(reported)".utf8) + patch.bytes + Array("]".utf8)
  }

  /// Continues with a new connection, in place of the one so far.
  ///
  /// - Parameter number: The number of the last patch that the browser has used. If it isn't the last
  ///   that was made, the next patch replaces everything.
  public func resume(after number: Int) {
    connection += 1
    isLost = isLost || number != self.number
    // The browser may not know what was received.
    if received > 0 { reported = received - 1 }
  }

  /// Does what a message of the script asks for.
  ///
  /// A message that was received before is received again without effect, so a script repeats a
  /// message whenever it doesn't know whether it arrived. Errors of intents are treated as in
  /// ``HTMLSession/submit(_:at:)``.
  ///
  /// If a message comes too soon, by the limits of the session, a transport gives it to the page again
  /// later, and reads no other in the meantime.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - now: The time, by which the visitor's messages are limited.
  /// - Throws: ``HTMLFormError`` if it isn't a message of this page, or exceeds a limit of the session;
  ///   then nothing was done.
  public func receive(
    _ message: some Sequence<UInt8>, at now: ContinuousClock.Instant = .now
  ) throws(HTMLFormError) {
    guard let session else { throw .foreign }
    try session.allowance.take(at: now)
    let form = try FormBody(message, limit: session.limits.messageLength)
    guard form["token"] == session.token, form["page"] == name else { throw .foreign }
    guard let number = form["n"].flatMap(Int.init), number > 0 else { throw .malformed }
    var action: PageAction?
    if let text = form["do"] {
      guard let known = PageAction(text) else { throw .malformed }
      action = known
    }
    if number <= received { return }
    received = number
    if let path = form["open"] {
      // The browser shows this path already.
      if session.open(path) { location = session.location }
    }
    // What this page doesn't have isn't remembered.
    let fields = form.fields.filter { $0.name.hasSuffix(".") }
    let typed = Dictionary(fields.map { (String($0.name.dropLast()), $0.value) }) { $1 }
    root.forEach(in: typed) { name, _, _ in entered[name] = typed[name].map(PageText.shown) }
    if let new = form["focus"], session.moveFocus(to: new) { focus = .name(new) }
    session.use(form, for: action)
    onChange?()
  }
}

extension LiveNode {
  /// Calls `body` with the elements that have certain names, and their numbers.
  fileprivate func forEach(in names: [String: String], _ body: (String, PageNode, Int) -> Void) {
    if names.isEmpty { return }
    forEach { node, number in
      if case .name(let name) = node.key, names[name] != nil { body(name, node, number) }
    }
  }
}
