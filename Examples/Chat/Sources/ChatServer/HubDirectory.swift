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
    try await hub.run(withSamples: hasSamples, pause: pause, isolation: isolation, app)
    try await accounts.close()
  }
}

extension ChatHub {
  /// Runs an app while the server runs, and closes the server afterwards.
  func run(
    withSamples hasSamples: Bool, pause: Duration, isolation: isolated (any Actor)?,
    _ app: nonisolated(nonsending) (ChatHub) async throws -> Void
  ) async throws {
    var tasks = [
      Task {
        _ = isolation
        await server.run()
      }
    ]
    defer { for task in tasks { task.cancel() } }
    var failure: (any Error)?
    do {
      if hasSamples {
        if accounts.isEmpty { try await SamplePeople.fill(self, now: Date()) }
        tasks += answerers(pause: pause, isolation: isolation)
      }
      try await app(self)
    } catch { failure = error }
    try await server.close()
    if let failure { throw failure }
  }

  /// Lets the sample people answer.
  private func answerers(
    pause: Duration, isolation: isolated (any Actor)?
  ) -> [Task<Void, Never>] {
    // Users of the same names may have registered before.
    let names = accounts.hasSamples ? SamplePeople.answering : []
    return names.map { name in
      let session = ChatSession(name, Replica(sharing: Partitions.classes))
      session.replica.connect(server.connection(for: name))
      return Task {
        _ = isolation
        try? await Answering(as: session, ignoring: SamplePeople.answering, pause: pause).run()
      }
    }
  }
}
