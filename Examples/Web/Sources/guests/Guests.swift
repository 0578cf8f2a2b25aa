// guests: a guest book for a browser, as a site that is deployed. The article *Deploying a live site* has this file.

import Foundation
import Signals
import SignalsSync
import Site

@main
struct Guests {
  @MainActor static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let key = Site.key(environment["SIGNALS_KEY"] ?? "") else {
      FileHandle.standardError.write(Data("SIGNALS_KEY isn't 32 bytes in base64\n".utf8))
      exit(64)
    }
    let file = try StoreFile(at: environment["GUESTS_FILE"] ?? "guests.store")
    let app = SiteApp("guests", title: "Guests", store: file.store) { GuestBook() }
    let site = Site([app], origin: environment["GUESTS_ORIGIN"], key: key)
    try await site.run(port: Int(environment["PORT"] ?? "") ?? 8080)
    // The process was asked to end. The last commits have to be in the file.
    try await file.close()
  }
}
