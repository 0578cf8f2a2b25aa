// web: the examples' apps in a browser, each at an address of its own: http://127.0.0.1:8080/library
//
// All visitors share the graph of an app: what one changes, the others see at once. With a key of 32
// bytes in the environment, in base64 (`SIGNALS_KEY=$(head -c 32 /dev/urandom | base64)`), the pages
// of visitors go on when the process is started again.

import Crypto
import ExampleApps
import Foundation
import Site

@main
struct Web {
  static func main() async throws {
    guard let port = port(CommandLine.arguments.dropFirst()) else {
      FileHandle.standardError.write(Data("usage: web [--port PORT]\n".utf8))
      exit(64)
    }
    guard let key = key(ProcessInfo.processInfo.environment["SIGNALS_KEY"]) else {
      FileHandle.standardError.write(Data("SIGNALS_KEY isn't 32 bytes in base64\n".utf8))
      exit(64)
    }
    let site = try Site(ExampleApp.all().map(SiteApp.init), key: key)
    print("http://127.0.0.1:\(port)/")
    try await site.run(port: port)
  }

  /// Returns the key of a text, or a new one.
  private static func key(_ text: String?) -> SymmetricKey? {
    text.map(Site.key) ?? SymmetricKey(size: .bits256)
  }

  private static func port(_ arguments: ArraySlice<String>) -> Int? {
    if arguments.isEmpty { return 8080 }
    guard arguments.count == 2, arguments.first == "--port", let port = Int(arguments.last ?? "")
    else {
      return nil
    }
    return port
  }
}

extension SiteApp {
  /// An app of the examples.
  init(_ app: ExampleApp) {
    self = .eachVisitor(
      app.name, title: app.title, store: app.store, screen: { SiteScreen(view: try app.screen()) })
  }
}
