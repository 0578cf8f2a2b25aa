import ExampleApps
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Signals
import Site
import Testing

@testable import web

/// The examples' apps, as a browser without a script uses them.
@Suite struct `The site` {
  @MainActor private func site() throws -> Site {
    try Site(ExampleApp.all().map(SiteApp.init))
  }

  private func cookie(_ response: TestResponse) -> String {
    String(response.headers[.setCookie]?.prefix { $0 != ";" } ?? "")
  }

  /// Returns the value of the first button with a text, and the token of the page.
  private func form(_ page: String, button text: String) throws -> (action: String, token: String) {
    let button = try #require(
      page.firstMatch(of: try Regex("<button[^>]*value=\"([^\"]*)\"[^>]*>\(text)</button>")))
    let token = try #require(page.firstMatch(of: /name="token" value="([^"]*)"/))
    return (String(button[1].substring ?? ""), String(token.1))
  }

  @Test(arguments: ["catalog", "library", "people", "scrums", "kitchen"])
  func `each app has a page`(name: String) async throws {
    try await site().application(port: 0).test(.router) { client in
      try await client.execute(uri: "/\(name)", method: .get) { response in
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        let page = String(buffer: response.body)
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("<main>"))
        #expect(cookie(response).hasPrefix("signals="))
      }
    }
  }

  @Test func `a form is used once, and the page that follows shows it`() async throws {
    try await site().application(port: 0).test(.router) { client in
      let first = try await client.execute(uri: "/library", method: .get) { $0 }
      let headers: HTTPFields = [.cookie: cookie(first)]
      let (action, token) = try form(String(buffer: first.body), button: "Borrow Dune")
      let body = ByteBuffer(string: "token=\(token)&do=\(action)")
      let answer = try await client.execute(
        uri: "/library", method: .post, headers: headers, body: body
      ) { $0 }
      #expect(answer.status == .seeOther && answer.headers[.location] == "/library")
      let second = try await client.execute(uri: "/library", method: .get, headers: headers) { $0 }
      #expect(String(buffer: second.body).contains("Return Dune"))
      // Another visitor has another page of the same graph.
      let other = try await client.execute(uri: "/library", method: .get) { $0 }
      #expect(String(buffer: other.body).contains("Return Dune"))
      #expect(cookie(other) != cookie(first))
      // The form of one visitor is none of another's.
      let forged = try await client.execute(
        uri: "/library", method: .post, headers: [.cookie: cookie(other)], body: body
      ) { $0 }
      #expect(forged.status == .forbidden)
    }
  }

  @Test func `visitors are at places of their own`() async throws {
    try await site().application(port: 0).test(.router) { client in
      let first = try await client.execute(uri: "/kitchen", method: .get) { $0 }
      let (action, token) = try form(String(buffer: first.body), button: "m")
      let answer = try await client.execute(
        uri: "/kitchen", method: .post, headers: [.cookie: cookie(first)],
        body: ByteBuffer(string: "token=\(token)&do=\(action)")
      ) { $0 }
      #expect(answer.headers[.location] == "/kitchen/menu")
      let mine = try await client.execute(
        uri: "/kitchen/menu", method: .get, headers: [.cookie: cookie(first)]
      ) { $0 }
      let other = try await client.execute(uri: "/kitchen", method: .get) { $0 }
      #expect(
        String(buffer: mine.body).contains("for=") != String(buffer: other.body).contains("for="))
      // A link from elsewhere leads to the same screen.
      let linked = try await client.execute(uri: "/kitchen/menu", method: .get) { $0 }
      #expect(String(buffer: linked.body).contains("for="))
      let missing = try await client.execute(uri: "/kitchen/%zz", method: .get) { $0 }
      #expect(missing.status == .notFound)
    }
  }

  /// What a form or a script sends to begin a session in place of a lost one.
  private func renewal(_ page: String) throws -> ByteBuffer {
    func value(_ name: String) throws -> String {
      let found = page.firstMatch(of: try Regex("name=\"\(name)\" value=\"([^\"]+)\""))
      return String(try #require(found?[1].substring)).replacing("+", with: "%2B")
        .replacing("=", with: "%3D")
    }
    return ByteBuffer(
      string: "token=\(try value("token"))&state=\(try value("state"))&do=&open=/library&script=")
  }

  @Test(
    arguments: ["origin", "sec-fetch-site"],
    ["http://evil.example", "null", "http://localhost.evil.example", "cross-site", "same-site", ""])
  func `a request that another site has made is refused, and begins no session`(
    header: String, value: String
  ) async throws {
    try await site().application(port: 0).test(.router) { client in
      let first = try await client.execute(uri: "/library", method: .get) { $0 }
      let body = try renewal(String(buffer: first.body))
      let name = try #require(HTTPField.Name(header))
      for uri in ["/library", "/live/library"] {
        let answer = try await client.execute(
          uri: uri, method: .post, headers: [name: value], body: body
        ) {
          $0
        }
        #expect(answer.status == .forbidden)
        #expect(answer.headers[.setCookie] == nil)
      }
      // The same from the site itself begins one.
      for uri in ["/library", "/live/library"] {
        let own: HTTPFields = [.origin: "http://localhost"]
        let answer = try await client.execute(uri: uri, method: .post, headers: own, body: body) {
          $0
        }
        #expect(answer.headers[.setCookie]?.hasPrefix("signals=") == true)
      }
    }
  }

  @Test func `no app accepts the state of another`()
    async throws
  {
    try await site().application(port: 0).test(.router) { client in
      let first = try await client.execute(uri: "/library", method: .get) { $0 }
      let body = try renewal(String(buffer: first.body))
      let answer = try await client.execute(uri: "/live/scrums", method: .post, body: body) { $0 }
      #expect(answer.status == .gone && answer.headers[.setCookie] == nil)
    }
  }

  @Test func `what isn't there is not found, and what is no form is refused`() async throws {
    try await site().application(port: 0).test(.router) { client in
      let missing = try await client.execute(uri: "/nothing", method: .get) { $0 }
      #expect(missing.status == .notFound)
      let page = try await client.execute(uri: "/scrums", method: .get) { $0 }
      let answer = try await client.execute(
        uri: "/scrums", method: .post, headers: [.cookie: cookie(page)],
        body: ByteBuffer(string: "%")
      ) { $0 }
      #expect(answer.status == .badRequest)
      let front = try await client.execute(uri: "/", method: .get) { $0 }
      #expect(String(buffer: front.body).contains("<a href=\"/scrums\">"))
      let css = try await client.execute(uri: "/signals.css", method: .get) { $0 }
      #expect(css.headers[.contentType] == "text/css; charset=utf-8")
    }
  }
}
