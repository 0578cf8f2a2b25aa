// Serves apps: a page for each GET, a form for each POST; and for pages with a script, patches and
// messages.
//
// Order of events: a request comes in on any thread. Its session is found on the main actor, where
// the graphs are, and makes the page or uses the form. A form is answered by a redirection to the
// page, so that going back and loading again send nothing twice.

public import Crypto
import Foundation
public import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
public import Metrics
import NIOCore
public import NIOSSL
import ServiceLifecycle
import Signals
public import SignalsHTML
import UnixSignals

/// A site with several apps, each at `/NAME`, whose visitors share the graphs.
///
/// ```swift
/// let library = SiteApp("library", title: "Library", store: store) { LibraryScreen() }
/// try await Site([library]).run(port: 8080)
/// ```
///
/// - Requests that another site has made are refused, and so are those that exceed the limits.
/// - When the process is asked to end (`SIGTERM`, `SIGINT`), connections are closed, and the next
///   process, with the same key, continues the sessions.
/// - What is refused is counted and logged, without what the visitor has sent.
///
/// | metric | |
/// |---|---|
/// | `signals_visitors`, `signals_connections` | gauges: visitors with sessions; pages that are connected |
/// | `signals_messages`, `signals_patches`, `signals_patch_bytes` | counts of accepted messages and forms, and of patches; the bytes of each patch |
/// | `signals_refused` | a count by `reason`: `malformed`, `foreign`, `tooLong`, `tooMany`, `origin`, `unknownPage` |
/// | `signals_forgotten` | a count by `reason`: `idle`, `limit` |
public struct Site: Sendable {
  /// The longest body of a request without a session, in bytes, such as the form of a lost one.
  private static let strangerLimit = 131_072
  private let names: [(name: String, title: String)]
  private let visitors: Visitors
  private let origin: String?
  private let stylesheet: String
  private let limits: HTMLLimits
  private let connectionLimit: Int
  private let sockets: [SiteSocket]
  private let meters: SiteMeters
  /// The name of the cookie of visitors, and whether it is for TLS alone.
  private var (cookie, isSecure) = ("", false)
  /// How long a connection may be silent.
  var silence: TimeAmount = .seconds(60)
  /// How long connections may last when the process is asked to end.
  var patience: Duration = .seconds(10)

  /// Creates a site.
  ///
  /// - Parameters:
  ///   - apps: The apps, in the order of the front page.
  ///   - sockets: The sockets for other clients than pages.
  ///   - origin: The origin of the site as browsers see it, such as `https://library.example`, if it
  ///     isn't that of the server: behind a proxy that ends TLS or changes the host.
  ///   - stylesheet: The text of the stylesheet.
  ///   - visitorLimit: The number of visitors whose sessions are kept.
  ///   - connectionLimit: The number of connections; more of them wait until one ends.
  ///   - idleLimit: How long a visitor may be away before the sessions are released.
  ///   - limits: The limits of what a visitor sends, for each app.
  ///   - key: The key by which pages carry the state of visitors, with 256 bits. The same key in the
  ///     next process continues the sessions after a restart.
  ///   - logger: The log.
  ///   - metrics: The system that gets the metrics.
  @MainActor public init(
    _ apps: [SiteApp], sockets: [SiteSocket] = [], origin: String? = nil,
    stylesheet: String = HTMLStylesheet.text,
    visitorLimit: Int = 1000, connectionLimit: Int = 4000,
    idleLimit: Duration = .seconds(1800), limits: HTMLLimits = HTMLLimits(),
    key: SymmetricKey = SymmetricKey(size: .bits256), logger: Logger = Logger(label: "site"),
    metrics: any MetricsFactory = MetricsSystem.factory
  ) {
    names = apps.map { ($0.name, $0.title) }
    meters = SiteMeters(logger: logger, factory: metrics, apps: apps.map(\.name))
    (self.origin, self.stylesheet) = (origin, stylesheet)
    (self.limits, self.connectionLimit, self.sockets) = (limits, connectionLimit, sockets)
    visitors = Visitors(
      apps, limit: visitorLimit, idleLimit: idleLimit, limits: limits, key: key, meters: meters)
  }

  /// Returns the key of a text, such as an environment variable.
  ///
  /// - Parameter text: 32 bytes in base64, as of `head -c 32 /dev/urandom | base64`.
  /// - Returns: The key; nil if the text isn't one.
  public static func key(_ text: String) -> SymmetricKey? {
    guard let data = Data(base64Encoded: text), data.count == 32 else { return nil }
    return SymmetricKey(data: data)
  }

  /// Serves the site until the process is asked to end.
  ///
  /// Connections that don't end within ten seconds are cut off.
  ///
  /// - Parameters:
  ///   - host: The address or name of this machine at which browsers or a proxy connect. By default,
  ///     only this machine itself does.
  ///   - port: The port.
  ///   - tls: The certificate and key for HTTPS; nil for HTTP, behind a proxy or on this machine.
  /// - Throws: ``SiteError``, and an error if the port or the certificate can't be used.
  public func run(
    host: String = "127.0.0.1", port: Int, tls: TLSConfiguration? = nil
  ) async throws {
    var configuration = ServiceGroupConfiguration(
      services: [try application(host: host, port: port, tls: tls)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: meters.logger)
    configuration.maximumGracefulShutdownDuration = patience
    do { try await ServiceGroup(configuration: configuration).run() } catch is CancellationError {
      // Connections were cut off, or the task was cancelled.
    }
  }

  /// Returns the server, for a test or a configuration of one's own.
  ///
  /// - Parameters:
  ///   - host: The address or name of this machine.
  ///   - port: The port; with 0, the system chooses one.
  ///   - tls: The certificate and key for HTTPS; nil for HTTP.
  /// - Throws: ``SiteError``, and an error if the certificate can't be used.
  public func application(
    host: String = "127.0.0.1", port: Int, tls: TLSConfiguration? = nil
  ) throws -> some ApplicationProtocol {
    let isSecure = tls != nil
    let origin = try SiteOrigin(self.origin, host: host, isSecure: isSecure)
    var site = self
    (site.cookie, site.isSecure) = (origin.cookie, origin.isSecure)
    let plain = HTTPServerBuilder {
      PageChannel(
        visitors, origin: origin, limit: limits.messageLength, sockets: sockets, silence: silence,
        isSecure: isSecure, meters: meters, responder: $0)
    }
    return Application(
      router: site.router(origin),
      server: try tls.map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
      configuration: .init(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(connectionLimit)),
      logger: meters.logger)
  }

  private func router(_ origin: SiteOrigin) -> Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: OwnRequests(origin: origin, meters: meters))
    let front = frontPage
    router.get("/") { _, _ in Site.response(.ok, "text/html; charset=utf-8", Array(front.utf8)) }
    let stylesheet = stylesheet
    router.get("/signals.css") { _, _ in Site.file("text/css", stylesheet) }
    router.get("/signals.js") { _, _ in Site.file("text/javascript", HTMLScript.text) }
    router.get("/live/:app") { try await self.patches($0, $1) }
    router.post("/live/:app") { try await self.receive($0, $1) }
    router.get("/files/:app/:name") { try await self.picture($0, $1) }
    for path in ["/:app", "/:app/**"] {
      router.get(RouterPath(path)) { try await self.page($0, $1) }
      router.post(RouterPath(path)) { try await self.submit($0, $1) }
    }
    return router
  }

  /// Returns the page at a path.
  private func page(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> Response {
    let app = try context.parameters.require("app")
    let secret = secret(of: request)
    guard let (page, new) = try await visitors.page(of: app, at: request.uri.path, for: secret)
    else { throw HTTPError(.notFound) }
    return give(Site.response(.ok, "text/html; charset=utf-8", page), for: new, unless: secret)
  }

  /// Returns a picture that a visitor's screen shows.
  private func picture(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> Response {
    let (app, name) = (
      try context.parameters.require("app"), try context.parameters.require("name")
    )
    guard let picture = await visitors.picture(name, of: app, for: secret(of: request)) else {
      throw HTTPError(.notFound)
    }
    return Site.response(.ok, picture.type, picture.bytes)
  }

  /// Uses a form, and redirects to the page of the screen that it led to.
  private func submit(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> Response {
    let app = try context.parameters.require("app")
    let secret = secret(of: request)
    let isKnown = await visitors.hasSession(of: app, for: secret)
    let body = try await body(
      of: request, to: app, upTo: isKnown ? limits.formLength : Site.strangerLimit)
    do {
      guard
        let (location, new) = try await visitors.submit(
          body, to: app, at: request.uri.path, for: secret)
      else {
        // Without a session and a state, the app begins again.
        return Response.redirect(to: "/\(app)", type: .normal)
      }
      return give(Response.redirect(to: location, type: .normal), for: new, unless: secret)
    } catch let error as HTMLFormError { throw refusal(of: error, by: app) }
  }

  /// Returns the body of a request.
  private func body(of request: Request, to app: String, upTo limit: Int) async throws -> [UInt8] {
    do {
      return Array(try await request.body.collect(upTo: limit).readableBytesView)
    } catch is NIOTooManyBytesError { throw refusal(of: .tooLong(limit: limit), by: app) }
  }

  /// Counts a refused request, and returns the answer.
  private func refusal(of error: HTMLFormError, by app: String) -> HTTPError {
    meters.refuse(Refusal(error), by: app)
    switch error {
    case .malformed: return HTTPError(.badRequest)
    case .foreign: return HTTPError(.forbidden)
    case .tooLong: return HTTPError(.contentTooLarge)
    case .tooMany(let wait):
      let seconds = "\(wait.components.seconds + 1)"
      return HTTPError(.tooManyRequests, headers: [.retryAfter: seconds])
    }
  }

  /// Returns the patches of a page, as server-sent events, until the browser closes the connection.
  private func patches(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> Response {
    let app = try context.parameters.require("app")
    let query = request.uri.queryParameters
    let last = request.headers.first { $0.name.canonicalName == "last-event-id" }?.value
    let after = last ?? query["after"].map(String.init)
    guard let page = query["page"].map(String.init),
      let patches = await visitors.patches(
        of: page, in: app, for: secret(of: request), after: after.flatMap(Int.init) ?? -1)
    else {
      meters.refuse(.unknownPage, by: app)
      throw HTTPError(.gone)
    }
    let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        try await request.body.consumeWithInboundCloseHandler { _ in
          for await _ in patches.changes.cancelOnGracefulShutdown() {
            var patch = await patches.next()
            // What is between the site and a browser closes a connection that is silent.
            if patches.takeSign() { try await writer.write(ByteBuffer(string: ":\n\n")) }
            while let present = patch {
              try await writer.write(present.event)
              meters.send(present)
              patch = await patches.next()
            }
          }
        } onInboundClosed: {
          patches.end()
        }
        try await writer.finish(nil)
      })
  }

  /// Uses a message of a page's script.
  private func receive(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> Response {
    let app = try context.parameters.require("app")
    let page = request.uri.queryParameters["page"].map(String.init)
    let body = try await body(
      of: request, to: app, upTo: page == nil ? Site.strangerLimit : limits.messageLength)
    let secret = secret(of: request)
    do {
      guard let page else {
        return try await renew(body, in: app, for: secret)
      }
      guard try await visitors.receive(body, from: page, in: app, for: secret) else {
        meters.refuse(.unknownPage, by: app)
        throw HTTPError(.gone)
      }
    } catch let error as HTMLFormError { throw refusal(of: error, by: app) }
    return Response(status: .noContent)
  }

  /// Gives a browser a page in place of one that was forgotten.
  private func renew(_ body: [UInt8], in app: String, for secret: String?) async throws -> Response
  {
    guard let (page, new) = try await visitors.renew(body, in: app, for: secret) else {
      throw HTTPError(.gone)
    }
    guard let page else { return give(Response(status: .resetContent), for: new, unless: secret) }
    return give(Site.response(.ok, "text/plain", Array(page.utf8)), for: new, unless: secret)
  }

  private static func file(_ type: String, _ text: String) -> Response {
    var response = response(.ok, "\(type); charset=utf-8", Array(text.utf8))
    response.headers[.cacheControl] = "max-age=3600"
    return response
  }

  /// Returns the secret of the visitor who makes a request.
  private func secret(of request: Request) -> String? { request.cookies[cookie]?.value }

  /// Returns a response with the cookie of a visitor, unless the browser has it.
  private func give(_ response: Response, for secret: String, unless known: String?) -> Response {
    if secret == known { return response }
    var response = response
    response.setCookie(
      Cookie(
        name: cookie, value: secret, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax))
    return response
  }

  private static func response(
    _ status: HTTPResponse.Status, _ type: String, _ body: [UInt8]
  ) -> Response {
    var headers = HTTPFields()
    headers[.contentType] = type
    headers[.contentSecurityPolicy] =
      "default-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'none'"
    headers[.xContentTypeOptions] = "nosniff"
    headers[.cacheControl] = "no-store"
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  /// The list of the apps.
  private var frontPage: String {
    let items = names.map { "<li><a href=\"/\($0.name)\">\(Site.escaped($0.title))</a></li>" }
      .joined()
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Apps</title><link rel="stylesheet" href="/signals.css"></head>
      <body><form><main><h1>Apps</h1><ul class="rows">\(items)</ul></main></form></body></html>
      """
  }
}
