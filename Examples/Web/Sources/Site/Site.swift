// Serves apps: a page for each GET, a form for each POST; and for pages with a script, patches and
// messages.
//
// Order of events: a request comes in on any thread. Its session is found on the main actor, where
// the graphs are, and makes the page or uses the form. A form is answered by a redirection to the
// page, so that going back and loading again send nothing twice.

public import Crypto
public import Hummingbird
import HummingbirdCore
import ServiceLifecycle
import Signals
import SignalsHTML

/// A site with several apps, each at `/NAME`, whose visitors share the graphs.
///
/// ```swift
/// try await Site([SiteApp("library", title: "Library", store: store) { { LibraryScreen().element } }])
///   .run(port: 8080)
/// ```
public struct Site: Sendable {
  /// The largest form, in bytes.
  static let formLimit = 2_000_000
  static let cookie = "signals"
  private let names: [(name: String, title: String)]
  private let visitors: Visitors

  /// Creates a site.
  ///
  /// - Parameters:
  ///   - apps: The apps, in the order of the front page.
  ///   - visitorLimit: The number of visitors whose sessions are kept.
  ///   - idleLimit: How long a visitor may be away before the sessions are released.
  ///   - key: The key by which pages carry the state of visitors, with 256 bits. The same key in the
  ///     next process continues the sessions after a restart.
  @MainActor public init(
    _ apps: [SiteApp], visitorLimit: Int = 1000, idleLimit: Duration = .seconds(1800),
    key: SymmetricKey = SymmetricKey(size: .bits256)
  ) {
    names = apps.map { ($0.name, $0.title) }
    visitors = Visitors(apps, limit: visitorLimit, idleLimit: idleLimit, key: key)
  }

  /// Serves the site on this machine until the process is asked to end.
  ///
  /// - Parameter port: The port on 127.0.0.1.
  /// - Throws: An error if the port can't be used.
  public func run(port: Int) async throws {
    try await application(port: port).runService()
  }

  /// Returns the server, for a test or a configuration of one's own.
  public func application(port: Int) -> some ApplicationProtocol {
    Application(
      router: router(), server: HTTPServerBuilder { PageChannel(visitors, responder: $0) },
      configuration: .init(address: .hostname("127.0.0.1", port: port)))
  }

  private func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: OwnRequests())
    let front = frontPage
    router.get("/") { _, _ in Site.response(.ok, "text/html; charset=utf-8", Array(front.utf8)) }
    router.get("/signals.css") { _, _ in Site.file("text/css", HTMLStylesheet.text) }
    router.get("/signals.js") { _, _ in Site.file("text/javascript", HTMLScript.text) }
    router.get("/live/:app") { try await self.patches($0, $1) }
    router.post("/live/:app") { try await self.receive($0, $1) }
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
    let secret = Site.secret(of: request)
    guard let (page, new) = try await visitors.page(of: app, at: request.uri.path, for: secret)
    else { throw HTTPError(.notFound) }
    return Site.response(.ok, "text/html; charset=utf-8", page).for(new, unless: secret)
  }

  /// Uses a form, and redirects to the page of the screen that it led to.
  private func submit(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> Response {
    let app = try context.parameters.require("app")
    let body = try await request.body.collect(upTo: Site.formLimit)
    let secret = Site.secret(of: request)
    do {
      guard
        let (location, new) = try await visitors.submit(
          Array(body.readableBytesView), to: app, at: request.uri.path, for: secret)
      else {
        // Without a session and a state, the app begins again.
        return Response.redirect(to: "/\(app)", type: .normal)
      }
      return Response.redirect(to: location, type: .normal).for(new, unless: secret)
    } catch HTMLFormError.foreign { throw HTTPError(.forbidden) } catch {
      throw HTTPError(.badRequest)
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
        of: page, in: app, for: Site.secret(of: request), after: after.flatMap(Int.init) ?? -1)
    else { throw HTTPError(.gone) }
    let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        try await request.body.consumeWithInboundCloseHandler { _ in
          for await isTime in patches.changes.cancelOnGracefulShutdown() {
            var patch = await patches.next()
            // What is between the site and a browser closes a connection that is silent.
            if patch == nil, isTime { try await writer.write(ByteBuffer(string: ":\n\n")) }
            while let present = patch {
              try await writer.write(present.event)
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
    let body = Array(try await request.body.collect(upTo: Site.formLimit).readableBytesView)
    let secret = Site.secret(of: request)
    do {
      guard let page = request.uri.queryParameters["page"].map(String.init) else {
        return try await renew(body, in: app, for: secret)
      }
      guard try await visitors.receive(body, from: page, in: app, for: secret) else {
        throw HTTPError(.gone)
      }
    } catch HTMLFormError.foreign { throw HTTPError(.forbidden) } catch HTMLFormError.malformed {
      throw HTTPError(.badRequest)
    }
    return Response(status: .noContent)
  }

  /// Gives a browser a page in place of one that was forgotten.
  private func renew(_ body: [UInt8], in app: String, for secret: String?) async throws -> Response
  {
    guard let (page, new) = try await visitors.renew(body, in: app, for: secret) else {
      throw HTTPError(.gone)
    }
    guard let page else { return Response(status: .resetContent).for(new, unless: secret) }
    return Site.response(.ok, "text/plain", Array(page.utf8)).for(new, unless: secret)
  }

  private static func file(_ type: String, _ text: String) -> Response {
    var response = response(.ok, "\(type); charset=utf-8", Array(text.utf8))
    response.headers[.cacheControl] = "max-age=3600"
    return response
  }

  /// Returns whether an origin is that of the site, as a browser names both.
  static func isOwn(origin: some StringProtocol, host: String) -> Bool {
    origin.hasSuffix("//\(host)")
  }

  private static func secret(of request: Request) -> String? {
    request.cookies[cookie]?.value
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

  /// The list of the apps.
  private var frontPage: String {
    let items = names.map { "<li><a href=\"/\($0.name)\">\($0.title)</a></li>" }.joined()
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Apps</title><link rel="stylesheet" href="/signals.css"></head>
      <body><form><main><h1>Apps</h1><ul class="rows">\(items)</ul></main></form></body></html>
      """
  }
}

/// Refuses requests that change something and that a page of another site has made.
///
/// The visitor's cookie isn't sent with them. But an answer with a cookie would begin a session whose
/// secret the other site knows.
private struct OwnRequests: RouterMiddleware {
  @concurrent func handle(
    _ request: Request, context: BasicRequestContext,
    next: @concurrent (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    if request.method == .post {
      // Browsers send one or both; other clients have no cookies of the visitor.
      let origin = request.headers[.origin]
      let place = request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value
      let isOwn = origin.map { Site.isOwn(origin: $0, host: request.head.authority ?? "") } ?? true
      guard isOwn, place == nil || place == "same-origin" || place == "none" else {
        throw HTTPError(.forbidden)
      }
    }
    return try await next(request, context)
  }
}

extension Response {
  /// Returns the response with the cookie of a visitor, unless the browser has it.
  fileprivate func `for`(_ secret: String, unless known: String?) -> Response {
    if secret == known { return self }
    var response = self
    response.setCookie(
      Cookie(name: Site.cookie, value: secret, path: "/", httpOnly: true, sameSite: .lax))
    return response
  }
}
