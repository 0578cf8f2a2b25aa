// web: the examples' apps in a browser, each at an address of its own: http://127.0.0.1:8080/library
//
// All visitors share the graph of an app: what one changes, the others see at once.

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
    let site = try Site(ExampleApp.all().map(SiteApp.init))
    print("http://127.0.0.1:\(port)/")
    try await site.run(port: port)
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
    self.init(app.name, title: app.title, store: app.store, screen: app.screen)
  }
}
