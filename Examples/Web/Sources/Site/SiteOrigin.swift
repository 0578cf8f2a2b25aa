// Which requests come from the site itself.

import Hummingbird

/// The origin of a site, as browsers name it: a scheme, a host, and a port.
struct SiteOrigin: Sendable {
  /// The origin that the site was given; nil for that of the server.
  private let given: String?
  /// Whether the server is for this machine alone.
  private let isLocal: Bool
  /// Whether browsers reach the site by TLS.
  let isSecure: Bool

  /// Creates an origin.
  ///
  /// - Parameters:
  ///   - text: The origin that the site was given; nil or empty for that of the server.
  ///   - host: The address at which the server is reached.
  ///   - isSecure: Whether the server has TLS.
  /// - Throws: ``SiteError/origin(_:)`` if the text isn't an origin.
  init(_ text: String?, host: String, isSecure: Bool) throws(SiteError) {
    isLocal = SiteOrigin.localHosts.contains(host)
    guard let text, !text.isEmpty else {
      (given, self.isSecure) = (nil, isSecure)
      return
    }
    // Browsers write it in lowercase, without a slash, and without the usual port.
    let pattern = /(https?):\/\/(\[[0-9a-f:.]+\]|[^\/@?#:\s\[\]]+)(:\d+)?\/?/
    guard let match = text.lowercased().wholeMatch(of: pattern) else { throw .origin(text) }
    let usual = match.1 == "https" ? ":443" : ":80"
    given = "\(match.1)://\(match.2)\(match.3.flatMap { $0 == usual ? nil : $0 } ?? "")"
    self.isSecure = isSecure || match.1 == "https"
  }

  private static let localHosts: Set<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]

  /// Whether a proxy is between the server and browsers.
  var isBehindProxy: Bool { given != nil }

  /// The name of the cookie; by TLS, one that no other site below the same domain can set.
  var cookie: String { isSecure ? "__Host-signals" : "signals" }

  /// Returns whether a request was made to the site by this name.
  ///
  /// A server for this machine alone has only its own: the page of another site could have a name that
  /// has become one for this machine.
  func isKnown(host: String?) -> Bool {
    guard isLocal, given == nil else { return true }
    guard let host = host?.lowercased() else { return false }
    let name = host.replacing(/:\d+$/, with: "")
    return SiteOrigin.localHosts.contains(name)
  }

  /// Returns whether a request is from a page of the site, or from no page.
  ///
  /// Browsers send one or both of the headers; other clients have no cookies of a visitor.
  func isOwn(origin: String?, place: String?, host: String?) -> Bool {
    guard place == nil || place == "same-origin" || place == "none" else { return false }
    guard let origin else { return true }
    // A policy of referrers hides the origin, and no page can set the other header.
    if origin == "null" { return place == "same-origin" }
    if let given { return origin == given }
    return host.map { origin.hasSuffix("//\($0)") } ?? false
  }
}

/// The reason why a site can't be served.
public enum SiteError: Error, Equatable, CustomStringConvertible {
  /// A text isn't the origin of a site.
  case origin(String)

  /// A message that names the text.
  public var description: String {
    switch self {
    case .origin(let text):
      "\(text.debugDescription) isn't an origin, such as https://library.example"
    }
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
    guard origin.isKnown(host: request.head.authority) else {
      meters.refuse(.origin, by: "")
      throw HTTPError(.misdirectedRequest)
    }
    // Anyone may link to a page.
    if request.method == .post || request.uri.path.hasPrefix("/live/") {
      let place = request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value
      let host = request.head.authority
      guard origin.isOwn(origin: request.headers[.origin], place: place, host: host) else {
        meters.refuse(.origin, by: "")
        throw HTTPError(.forbidden)
      }
    }
    return try await next(request, context)
  }
}
