// A hub in a directory: `server.log` has the facts of all partitions, `accounts.store` the accounts.

import ChatApp
import ChatModel
import Foundation
import Signals
import SignalsSync

/// A server with its accounts, kept in a directory.
package final class HubDirectory {
  package let hub: ChatHub
  private let accounts: StoreFile

  /// Opens a directory, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - path: The path of the directory.
  ///   - rounds: The cost of a password.
  package init(at path: String, rounds: Int = 1 << 15) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let server = try SyncServer(
      at: path + "/server.log", sharing: Partitions.classes, rules: Partitions.rules)
    accounts = try StoreFile(at: path + "/accounts.store")
    hub = ChatHub(server, Accounts(accounts.store, rounds: rounds))
  }

  /// Runs an app while the server runs, and closes the files afterwards.
  ///
  /// - Parameters:
  ///   - hasSamples: Whether a directory without accounts gets the sample people, and two of them answer.
  ///   - pause: How long they read, and type.
  ///   - isolation: The actor of the server; leave it to the compiler.
  ///   - app: The app.
  package func run(
    withSamples hasSamples: Bool, pause: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation,
    _ app: nonisolated(nonsending) (ChatHub) async throws -> Void
  ) async throws {
    let hub = hub
    var tasks = [
      Task {
        _ = isolation
        await hub.server.run()
      }
    ]
    defer { for task in tasks { task.cancel() } }
    if hasSamples {
      if hub.accounts.isEmpty { try await SamplePeople.fill(hub, now: Date()) }
      // Users of the same names may have registered before.
      let answering = hub.accounts.hasSamples ? SamplePeople.answering : []
      tasks += answering.map { name in
        let session = ChatSession(name, Replica(sharing: Partitions.classes))
        session.replica.connect(hub.server.connection(for: name))
        return Task {
          _ = isolation
          try? await Answering(
            as: session, ignoring: SamplePeople.answering, pause: pause
          ).run()
        }
      }
    }
    var failure: (any Error)?
    do { try await app(hub) } catch { failure = error }
    try await hub.server.close()
    try await accounts.close()
    if let failure { throw failure }
  }
}
