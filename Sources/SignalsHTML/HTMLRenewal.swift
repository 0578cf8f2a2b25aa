// Sessions that continue lost ones.
//
// Order of events: a session is lost: it was forgotten, or the site's process has ended. Its pages
// are still in browsers. A page's script asks for another page instead, and sends the
// state that the page has carried. If the visitor has no session, the site makes one from the state.
// Its names are those of the lost one, so it finds the fields, and typed text is entered
// again. A press isn't repeated: it may have had its effect already.
//
// Without a script, the next form has the state.

public import Signals

/// What turns the state of a visitor into a text that pages carry, and back.
///
/// The state contains the `@Restored` values, and a secret by which a session names elements. Seal it
/// so that only the site can read and write it: encrypt and authenticate, as with `ChaChaPoly` of
/// swift-crypto. The same key in the next process of the site continues sessions after a restart.
///
/// ```swift
/// let seal = HTMLStateSeal { snapshot in
///   guard let state = try? JSONEncoder().encode(snapshot),
///     let box = try? ChaChaPoly.seal(state, using: key), box.combined.count < 3000
///   else { return nil }
///   return box.combined.base64EncodedString()
/// } open: { text in
///   guard let data = Data(base64Encoded: text), let box = try? ChaChaPoly.SealedBox(combined: data),
///     let state = try? ChaChaPoly.open(box, using: key)
///   else { return nil }
///   return try? JSONDecoder().decode(Snapshot.self, from: state)
/// }
/// ```
public struct HTMLStateSeal: Sendable {
  let close: @Sendable (Snapshot) -> String?
  let open: @Sendable (String) -> Snapshot?

  /// Creates a seal.
  ///
  /// - Parameters:
  ///   - close: Returns the sealed state; nil if pages shouldn't carry it, since it is too long.
  ///   - open: Returns the state of a text; nil if this site hasn't sealed it. It gets any text that
  ///     someone sends.
  public init(
    close: @escaping @Sendable (Snapshot) -> String?,
    open: @escaping @Sendable (String) -> Snapshot?
  ) {
    (self.close, self.open) = (close, open)
  }
}

/// A request for a page in place of one that the site has forgotten.
///
/// A script makes it when its page is unknown, as a POST to the path for live pages without a page in
/// the query:
///
/// ```swift
/// let renewal = try HTMLRenewal(body)
/// var session = known
/// if session == nil, let state = renewal.state(in: seal) {
///   session = HTMLSession(…, seal: seal, state: state)
/// }
/// guard let session else { return respond(status: 410) }
/// // Keep a new session for the visitor once this has succeeded.
/// guard let page = try session.renew(renewal) else { return respond(status: 205) }
/// respond(with: page.name)
/// ```
///
/// A form of a page without a script contains a state, too: see ``HTMLSession/enter(_:at:now:)``.
///
/// Refuse requests that another site has made, by their `Origin`: they could begin a session whose
/// secret the other site knows.
public struct HTMLRenewal {
  let form: FormBody

  /// Reads a request, which may be the form of a page.
  ///
  /// - Parameters:
  ///   - body: The body of the request.
  ///   - limits: The limits of the sessions of the app.
  /// - Throws: ``HTMLFormError/malformed`` if it isn't one, and ``HTMLFormError/tooLong(limit:)``.
  public init(
    _ body: some Sequence<UInt8>, limits: HTMLLimits = HTMLLimits()
  ) throws(HTMLFormError) {
    form = try FormBody(body, limit: limits.formLength)
  }

  /// Returns the state that the page has carried.
  ///
  /// - Parameter seal: The seal of the sessions of the app.
  /// - Returns: The state; nil if the page has carried none, or this seal hasn't sealed it.
  public func state(in seal: HTMLStateSeal) -> Snapshot? { form["state"].flatMap(seal.open) }
}

extension HTMLSession {
  /// Returns a page in place of one that was forgotten.
  ///
  /// The browser keeps its page, and gets a patch that replaces everything on it. If something was
  /// pressed, and it isn't known whether that arrived, the page says so.
  ///
  /// - Parameters:
  ///   - renewal: The request.
  ///   - now: The time, by which the visitor's requests are limited.
  /// - Returns: The page; nil if the script of the page is that of another version of the site. Then
  ///   the browser has to load the page.
  /// - Throws: ``HTMLFormError`` if the request isn't from a page of this session, or of the one that
  ///   it continues, or if there are too many.
  public func renew(
    _ renewal: HTMLRenewal, at now: ContinuousClock.Instant = .now
  ) throws(HTMLFormError) -> LivePage? {
    try allowance.take(at: now)
    guard renewal.form["token"] == token else { throw .foreign }
    guard let path = renewal.form["open"], let script = renewal.form["script"] else {
      throw .malformed
    }
    open(path)
    if renewal.form["lost"] == "1" {
      notice = "The connection was lost. Please check whether the last button was used."
    }
    return script.hasSuffix(self.script) ? makePage(drawing()) : nil
  }

  /// Enters the fields of a form of the session that this one continues.
  ///
  /// The button isn't used, and the next page says that it has to be pressed again. A field that
  /// isn't on the screen any more is left out.
  ///
  /// - Parameters:
  ///   - renewal: The form.
  ///   - path: The path of its page.
  ///   - now: The time, by which the visitor's requests are limited.
  /// - Throws: ``HTMLFormError`` if it isn't a form of that session, or if there are too many; then
  ///   nothing was done.
  public func enter(
    _ renewal: HTMLRenewal, at path: String, now: ContinuousClock.Instant = .now
  ) throws(HTMLFormError) {
    try allowance.take(at: now)
    guard renewal.form["token"] == token else { throw .foreign }
    open(path)
    // Fields are found by the names on a page.
    _ = drawing()
    for field in renewal.form.fields { use(FormBody(field), for: nil) }
    message = nil
    notice = "The connection was lost. Your text is still here: please press the button again."
  }
}
