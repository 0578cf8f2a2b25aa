// The visitors of a site, and their sessions.
//
// State: `visitors`, by their secret, which is the value of their cookie; each has a session for each
// app that was opened, the time of its last request, and the connections of its pages. When there are
// too many, those go who made one request only, then those who have been away longest, and those who
// are connected last; `sweeper` finds those who have been away too long. Their pages carry their state,
// from which new sessions are made.

import Crypto
import Foundation
import Hummingbird
import Logging
import Signals
import SignalsHTML
import Synchronization

/// The sessions of a site, each of one visitor and one app.
@MainActor
final class Visitors {
  private final class Visitor {
    var sessions: [String: HTMLSession] = [:]
    /// The pictures of the sessions' screens.
    var pictures: [String: (_ name: String) -> SitePicture?] = [:]
    private(set) var lastSeen = ContinuousClock.now
    /// Whether a second request was made.
    private var hasReturned = false
    var connections: [Connection] = []

    struct Connection { weak var patches: PagePatches? }

    private var rank: Int {
      connections.contains { $0.patches != nil } ? 2 : hasReturned ? 1 : 0
    }

    /// Whether the visitor is forgotten before another one: those who have made one request first, and
    /// those with a page that is connected last, so that no flood of requests drives away the others.
    func isBefore(_ other: Visitor) -> Bool { (rank, lastSeen) < (other.rank, other.lastSeen) }

    /// Notes that the visitor has made another request, or takes patches.
    func see() { (lastSeen, hasReturned) = (.now, true) }
  }

  private let apps: [String: SiteApp]
  private let limit: Int
  private let idleLimit: Duration
  private let limits: HTMLLimits
  private let meters: SiteMeters
  private let seals: [String: HTMLStateSeal]
  private var sweeper: Task<Void, Never>?
  private var visitors: [String: Visitor] = [:]

  init(
    _ apps: [SiteApp], limit: Int, idleLimit: Duration, limits: HTMLLimits, key: SymmetricKey,
    meters: SiteMeters
  ) {
    self.apps = Dictionary(apps.map { ($0.name, $0) }) { first, _ in first }
    (self.limit, self.idleLimit) = (limit, idleLimit)
    (self.limits, self.meters) = (limits, meters)
    let seals = apps.map { ($0.name, HTMLStateSeal(of: $0.name, key: key, logger: meters.logger)) }
    self.seals = Dictionary(seals) { first, _ in first }
    // From time to time, and not without a pause.
    let pause = max(min(idleLimit, .seconds(60)), .milliseconds(1))
    sweeper = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: pause)
        self?.sweep()
      }
    }
  }

  deinit { sweeper?.cancel() }

  /// Returns the page of an app at a path for a visitor.
  ///
  /// - Returns: The page, and the visitor's secret, which is new for a new visitor; nil if there is
  ///   no such app, or the path isn't one of its.
  func page(
    of app: String, at path: String, for secret: String?
  ) throws -> (page: [UInt8], secret: String)? {
    guard let app = apps[app] else { return nil }
    if let secret, let session = visitor(secret)?.sessions[app.name] {
      return session.open(path) ? (session.page(), secret) : nil
    }
    let new = try makeSession(of: app)
    guard new.session.open(path) else { return nil }
    return (new.session.page(), keep(new, of: app.name, for: secret))
  }

  /// Returns a picture of an app's screen for a visitor; nil if there is none.
  func picture(_ name: String, of app: String, for secret: String?) -> SitePicture? {
    visitor(secret)?.pictures[app]?(name)
  }

  /// Returns whether a visitor has a session of an app.
  func hasSession(of app: String, for secret: String?) -> Bool {
    secret.flatMap { visitors[$0]?.sessions[app] } != nil
  }

  /// A session, and the pictures of its screen.
  private typealias NewSession = (session: HTMLSession, pictures: (String) -> SitePicture?)

  private func makeSession(
    of app: SiteApp, continuing state: Snapshot? = nil
  ) throws -> NewSession {
    let screen: SiteScreen
    do { screen = try app.makeScreen() } catch {
      meters.logger.error(
        "the screen of an app can't be made", metadata: ["app": "\(app.name)", "error": "\(error)"])
      throw error
    }
    let session = HTMLSession(
      app.store, title: app.title, path: "/\(app.name)", live: "/live/\(app.name)",
      seal: seals[app.name], limits: limits, state: state, root: screen.view)
    return (session, screen.picture)
  }

  /// Does what a form asks for.
  ///
  /// A visitor without a session of the app gets one from the state that the form contains.
  ///
  /// - Returns: The path of the page that shows the result, and the visitor's secret; nil if there is
  ///   no session.
  func submit(
    _ body: [UInt8], to app: String, at path: String, for secret: String?
  ) throws -> (location: String, secret: String)? {
    if let secret, let session = visitor(secret)?.sessions[app] {
      try session.submit(body)
      meters.receive()
      return (session.location, secret)
    }
    let renewal = try HTMLRenewal(body, limits: limits)
    guard let new = try session(continuedBy: renewal, in: app) else { return nil }
    try new.session.enter(renewal, at: path)
    meters.receive()
    return (new.session.location, keep(new, of: app, for: secret))
  }

  /// Returns the name of a page in place of one that was forgotten.
  ///
  /// - Returns: The name of the page, nil if the browser has to load it, and the visitor's secret; nil
  ///   if there is no session.
  func renew(
    _ body: [UInt8], in app: String, for secret: String?
  ) throws -> (page: String?, secret: String)? {
    let renewal = try HTMLRenewal(body, limits: limits)
    if let secret, let session = visitor(secret)?.sessions[app] {
      return (try session.renew(renewal)?.name, secret)
    }
    guard let new = try session(continuedBy: renewal, in: app) else { return nil }
    let page = try new.session.renew(renewal)
    return (page?.name, keep(new, of: app, for: secret))
  }

  /// Makes a session that continues a lost one; nil if the request has no state of the app.
  private func session(continuedBy renewal: HTMLRenewal, in app: String) throws -> NewSession? {
    guard let app = apps[app], let state = seals[app.name].flatMap(renewal.state) else {
      return nil
    }
    return try makeSession(of: app, continuing: state)
  }

  /// Keeps a session for a visitor, and returns the visitor's secret.
  private func keep(_ new: NewSession, of app: String, for secret: String?) -> String {
    let secret = admit(secret)
    visitors[secret]?.sessions[app] = new.session
    visitors[secret]?.pictures[app] = new.pictures
    return secret
  }

  /// Returns the patches of a page of a visitor.
  ///
  /// - Parameter after: The number of the last patch that the page has used.
  /// - Returns: The patches; nil if there is no such page.
  func patches(
    of page: String, in app: String, for secret: String?, after: Int
  ) -> PagePatches? {
    guard let visitor = visitor(secret), let page = visitor.sessions[app]?.livePage(page) else {
      return nil
    }
    page.resume(after: after)
    let name = page.name
    let patches = PagePatches(page, meters) { [weak visitor] in
      visitor?.see()
      return visitor?.sessions[app]?.livePage(name)
    }
    visitor.connections.removeAll { $0.patches == nil }
    visitor.connections.append(Visitor.Connection(patches: patches))
    return patches
  }

  /// Does what a message of a page's script asks for.
  ///
  /// - Returns: Whether the visitor has this page.
  func receive(
    _ message: [UInt8], from page: String, in app: String, for secret: String?
  ) throws(HTMLFormError) -> Bool {
    guard let page = visitor(secret)?.sessions[app]?.livePage(page) else { return false }
    try page.receive(message)
    meters.receive()
    return true
  }

  /// Returns a visitor, who is seen; nil if the secret is no visitor's.
  private func visitor(_ secret: String?) -> Visitor? {
    let visitor = secret.flatMap { visitors[$0] }
    visitor?.see()
    return visitor
  }

  /// Returns the secret of a known visitor, or that of a new one.
  private func admit(_ secret: String?) -> String {
    if let secret, visitor(secret) != nil { return secret }
    if visitors.count >= limit, let oldest = visitors.min(by: { $0.value.isBefore($1.value) }) {
      visitors[oldest.key] = nil
      meters.forget(.limit)
    }
    var random = SystemRandomNumberGenerator()
    let new = (0..<2).map { _ in String(random.next() as UInt64, radix: 36) }.joined(separator: "-")
    visitors[new] = Visitor()
    meters.show(visitors: visitors.count)
    return new
  }
}

extension Visitors {
  /// Forgets the visitors who have been away too long.
  private func sweep() {
    let now = ContinuousClock.now
    for (secret, visitor) in visitors where now - visitor.lastSeen >= idleLimit {
      visitors[secret] = nil
      meters.forget(.idle)
    }
    meters.show(visitors: visitors.count)
  }
}

extension HTMLStateSeal {
  /// The longest state that a page carries, in characters.
  private static let limit = 4096

  /// Whether the log says already that states of an app are too long: each change would say so again.
  private final class Warning: Sendable { let isGiven = Atomic(false) }

  /// Encrypts and authenticates the states of an app, which no other app accepts.
  fileprivate init(of app: String, key: SymmetricKey, logger: Logger) {
    let name = Data(app.utf8)
    let warning = Warning()
    self.init { snapshot in
      guard let state = try? JSONEncoder().encode(snapshot),
        let text = try? ChaChaPoly.seal(state, using: key, authenticating: name).combined
          .base64EncodedString()
      else { return nil }
      if text.utf8.count <= HTMLStateSeal.limit { return text }
      if warning.isGiven.exchange(true, ordering: .relaxed) { return nil }
      logger.warning(
        "the state of a visitor is too long to be carried by pages, and ends with the session",
        metadata: ["app": "\(app)", "length": "\(text.utf8.count)"])
      return nil
    } open: { text in
      guard text.utf8.count <= HTMLStateSeal.limit, let data = Data(base64Encoded: text),
        let box = try? ChaChaPoly.SealedBox(combined: data),
        let state = try? ChaChaPoly.open(box, using: key, authenticating: name)
      else { return nil }
      return try? JSONDecoder().decode(Snapshot.self, from: state)
    }
  }
}

/// A patch of a page.
struct PagePatch: Sendable {
  let number: Int
  let bytes: [UInt8]

  /// The patch as an event, whose id is the number of the patch.
  var event: ByteBuffer {
    var event = ByteBuffer(string: "id: \(number)\ndata: ")
    event.writeBytes(bytes)
    event.writeString("\n\n")
    return event
  }
}

/// The patches of a page, for the connection that carries them.
@MainActor
final class PagePatches {
  /// Has an element when there may be a patch, and every 15 seconds.
  nonisolated let changes: AsyncStream<Void>
  private nonisolated let wake: AsyncStream<Void>.Continuation
  private nonisolated let sign = SignOfLife()

  private final class SignOfLife: Sendable { let isDue = Atomic(false) }

  private let page: LivePage
  private let connection: Int
  /// Returns the page of the visitor, who is seen.
  private let find: () -> LivePage?
  private let clock: Task<Void, Never>
  private let meters: SiteMeters

  init(_ page: LivePage, _ meters: SiteMeters, find: @escaping () -> LivePage?) {
    self.meters = meters
    meters.connect(1)
    let (changes, wake) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.page, self.changes, self.wake) = (page, changes, wake)
    (connection, self.find) = (page.connection, find)
    page.onChange = { wake.yield() }
    wake.yield()
    clock = Task { [sign] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(15))
        sign.isDue.store(true, ordering: .relaxed)
        wake.yield()
      }
    }
  }

  /// Returns whether the connection needs a sign of life, and notes that it gets one.
  nonisolated func takeSign() -> Bool { sign.isDue.exchange(false, ordering: .relaxed) }

  deinit {
    clock.cancel()
    meters.connect(-1)
  }

  /// Ends the changes, when the connection has ended.
  nonisolated func end() { wake.finish() }

  /// Returns the next patch.
  ///
  /// The changes end when the page is forgotten, and when it has connected again.
  func next() -> PagePatch? {
    guard page.connection == connection, find() === page else {
      end()
      return nil
    }
    return page.nextPatch().map { PagePatch(number: page.number, bytes: $0) }
  }
}
