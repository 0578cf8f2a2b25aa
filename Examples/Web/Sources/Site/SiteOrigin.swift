// Which requests come from the site itself.

import Hummingbird

/// The origin of a site, as browsers name it: a scheme, a host, and a port.
struct SiteOrigin: Sendable {
  /// The origin that the site was given; nil for that of the server.
  let given: String?

  /// Returns whether a request is from a page of the site, or from no page.
  ///
  /// Browsers send one or both of the headers; other clients have no cookies of a visitor.
  func isOwn(origin: String?, place: String?, host: String?) -> Bool {
    guard place == nil || place == "same-origin" || place == "none" else { return false }
    guard let origin else { return true }
    if let given { return origin == given }
    return host.map { origin.hasSuffix("//\($0)") } ?? false
  }
}

/// Refuses requests that act or listen and that a page of another site has made.
///
/// The visitor's cookie isn't sent with them. But an answer with a cookie would begin a session whose
/// secret the other site knows.
struct OwnRequests: RouterMiddleware {
  let origin: SiteOrigin
  let meters: SiteMeters

  @concurrent func handle(
    _ request: Request, context: BasicRequestContext,
    next: @concurrent (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    // Anyone may link to a page.
    if request.method == .post || request.uri.path.hasPrefix("/live/") {
      let place = request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value
      let host = request.head.authority
      guard origin.isOwn(origin: request.headers[.origin], place: place, host: host) else {
        meters.refuse(.origin, by: request.uri.path)
        throw HTTPError(.forbidden)
      }
    }
    return try await next(request, context)
  }
}
