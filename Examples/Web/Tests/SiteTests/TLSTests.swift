import BrowserTesting
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOSSL
import Testing

@testable import Site

/// A certificate of this machine, and its key, in files of a folder.
struct TestCertificate {
  private static let tool = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  /// Whether one can be made.
  static var isPossible: Bool { tool != nil }

  let chain: String
  let key: String

  init(in folder: URL) async throws {
    (key, chain) = (folder.appending(path: "key").path, folder.appending(path: "chain").path)
    let program = try Program(
      try #require(TestCertificate.tool),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", chain,
      ])
    #expect(await program.status() == 0)
  }
}

/// Calls `body` with a folder that is removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "site-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// The site by HTTPS, with a certificate that is made for the test.
@Suite(.enabled(if: BrowserDriver.path != nil && TestCertificate.isPossible), .serialized)
struct `A site with TLS` {
  private func configuration() async throws -> TLSConfiguration {
    try await withTemporaryFolder { folder in
      let files = try await TestCertificate(in: folder)
      let chain = try NIOSSLCertificate.fromPEMFile(files.chain)
      return .makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
    }
  }

  @Test func `a page stays up to date by TLS, and its cookie isn't sent without`() async throws {
    let world = await SiteWorld()
    let site = await Site([world.app])
    let tls = try await configuration()
    try await site.inBrowsers(tls: tls) { browsers, address in
      let browser = browsers[0]
      #expect(address.hasPrefix("https:"))
      try await browser.open("\(address)/app")
      try await browser.expect("document.documentElement.className", "live")
      try await browser.click(text: "Add")
      try await browser.expect("document.querySelector('p').textContent", "count 1, 0 bytes")
      // By a socket, and not by requests.
      try await browser.expect(
        "performance.getEntriesByType('resource').filter(x => x.name.includes('/live/')).length",
        "0")
      let found = try await browser.tools("Network.getAllCookies", [:]) as? [String: Any]
      let cookie = (found?["cookies"] as? [[String: Any]])?.first {
        $0["name"] as? String == "__Host-signals"
      }
      #expect(cookie?["secure"] as? Bool == true)
      #expect(cookie?["httpOnly"] as? Bool == true)
      #expect(cookie?["sameSite"] as? String == "Lax")
    }
  }
}
