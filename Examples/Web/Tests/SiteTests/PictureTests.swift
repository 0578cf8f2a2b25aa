import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import Signals
import Testing

@testable import Site

/// Pictures that the screens of visitors show.
@Suite(.timeLimit(.minutes(2))) struct `Pictures of a site` {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

  @Test func `a visitor gets the pictures of the own screen, and no others`() async throws {
    let app = await SiteApp.eachVisitor(
      "app", title: "App", store: Store(),
      screen: {
        SiteScreen {
          Image("/files/app/one", text: "one")
        } picture: {
          $0 == "one" ? SitePicture(Self.png) : nil
        }
      })
    let site = await Site([app])
    try await site.application(port: 0).test(.live) { client in
      let address = "http://127.0.0.1:\(try #require(client.port))"
      let page = try await LoadedPage.load("app", from: address)
      #expect(page.html.contains("src=\"/files/app/one\""))
      func get(_ path: String, cookie: String) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: address + path)
        request.headers.add(name: "cookie", value: cookie)
        return try await HTTPClient.shared.execute(request, timeout: .seconds(30))
      }
      let picture = try await get("/files/app/one", cookie: page.cookie)
      #expect(picture.status == .ok)
      #expect(picture.headers["content-type"] == ["image/png"])
      #expect(picture.headers["x-content-type-options"] == ["nosniff"])
      #expect(try await Array(picture.body.collect(upTo: 100).readableBytesView) == Self.png)
      for path in ["/files/app/two", "/files/other/one", "/files/app/", "/files/app/one/two"] {
        #expect(try await get(path, cookie: page.cookie).status == .notFound, "\(path)")
      }
      #expect(try await get("/files/app/one", cookie: "signals=1").status == .notFound)
    }
  }

  @Test(
    arguments: [
      (png, "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
      (Array("GIF89a".utf8), "image/gif"),
      (Array("RIFF1234WEBPVP8 ".utf8), "image/webp"), (Array("<svg onload=alert(1)>".utf8), nil),
      (Array("<html>".utf8), nil), ([], nil),
    ] as [([UInt8], String?)])
  func `only files that run no code are pictures`(bytes: [UInt8], type: String?) {
    #expect(SitePicture(bytes)?.type == type)
  }
}
