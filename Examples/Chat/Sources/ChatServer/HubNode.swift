// A hub as one of several nodes that share a log.
//
// The accounts are in the log, too, in a partition that a server of its own decides about: no user can join it.
// The node's replica of it is what `Accounts` reads and writes.

import ChatApp
import ChatModel
import Signals
package import SignalsSync

/// One of several servers, which are one chat.
package final class HubNode {
  package let hub: ChatHub
  private let accountServer: SyncServer
  private let accounts: Replica

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - log: The log that the nodes share.
  ///   - rounds: The cost of a password.
  package init(on log: any SharedLog, rounds: Int = 1 << 15) {
    accountServer = SyncServer(log: log, sharing: Accounts.classes)
    let accounts = Replica(sharing: Accounts.classes)
    accounts.join(Accounts.partition)
    self.accounts = accounts
    hub = ChatHub(
      SyncServer(log: log, sharing: Partitions.classes, rules: Partitions.rules),
      Accounts(accounts.store, rounds: rounds) { object in
        try await wait { !object.hasPendingChanges }
        if object.store == nil { throw Refused() }
      })
  }

  private struct Refused: Error {}

  /// Runs an app while the node runs, and closes the log afterwards.
  ///
  /// - Parameters:
  ///   - hasSamples: Whether a log without accounts gets the sample people, and two of them answer. One node
  ///     at most should have them.
  ///   - pause: How long they read, and type.
  ///   - isolation: The actor of the node; leave it to the compiler.
  ///   - app: The app.
  package func run(
    withSamples hasSamples: Bool, pause: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation,
    _ app: nonisolated(nonsending) (ChatHub) async throws -> Void
  ) async throws {
    let (server, accounts) = (accountServer, accounts)
    let tasks = [
      Task {
        _ = isolation
        await server.run()
      },
      Task {
        _ = isolation
        await accounts.stayConnected {
          try await accounts.connect(isolation: isolation) { chunks, send in
            try await server.serve(
              Accounts.partition, receiving: chunks, isolation: isolation, sending: send)
          }
        }
      },
    ]
    defer { for task in tasks { task.cancel() } }
    try await wait { accounts.state(of: Accounts.partition) == .joined }
    try await hub.run(withSamples: hasSamples, pause: pause, isolation: isolation, app)
  }
}
