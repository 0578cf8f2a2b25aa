import Foundation
import NIOSSL
import Signals
import Testing

@testable import Site
@testable import guests

/// The code of the articles about sites, which needs packages that the articles' own check hasn't.
@Suite struct `Articles about sites` {
  // In a browser
  struct Guests {
    @MainActor static func main() async throws {
      let app = SiteApp("guests", title: "Guests", store: Store()) { GuestBook() }
      try await Site([app]).run(port: 8080)
    }
  }

  // Deploying a live site
  @MainActor private func run(_ site: Site) async throws {
    let chain = try NIOSSLCertificate.fromPEMFile("/etc/guests/chain.pem")
    let tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: "/etc/guests/key.pem", format: .pem)))
    try await site.run(host: "0.0.0.0", port: 443, tls: tls)
  }

  @Test(arguments: ["InABrowser", "DeployingALiveSite"])
  func `all code of an article is in a source file`(article: String) throws {
    let web = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = try ["Sources/guests/GuestBook.swift", "Sources/guests/Guests.swift"].map {
      try String(contentsOf: web.appending(path: $0), encoding: .utf8)
    }
    let own = try String(contentsOfFile: #filePath, encoding: .utf8)
    let known = lines((sources + [own]).joined(separator: "\n"))
    let text = try String(
      contentsOf: web.appending(
        path: "../../Sources/SignalsHTML/SignalsHTML.docc/\(article).md"), encoding: .utf8)
    var count = 0
    for block in text.matches(of: /(?s)(<!-- [^\n]*-->)?\n```swift\n(.*?)```/) {
      let mark = block.1 ?? ""
      if mark.contains("manifest") || mark.contains("run") { continue }
      count += 1
      #expect(known.contains(lines(String(block.2))), "\(block.2)")
    }
    #expect(count == 2)
  }

  /// The lines of a text without indentation, and without attributes that a test can't have.
  private func lines(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0 != "@main" }.joined(separator: "\n")
  }
}
