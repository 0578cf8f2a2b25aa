// A server with its accounts: in the process of the only device, or behind a port.
//
// Order of events: a device signs in and receives a token; with it, it connects. A session that ends,
// here or on another device, ends its connections at once.

import ChatApp
package import ChatModel
import Signals
package import SignalsSync

/// The server of a chat, with its accounts.
package final class ChatHub: ChatService {
  package let server: SyncServer
  package let accounts: Accounts

  package init(_ server: SyncServer, _ accounts: Accounts) {
    (self.server, self.accounts) = (server, accounts)
  }

  package func register(_ credentials: Credentials) async throws {
    try await accounts.register(credentials)
  }

  package func signIn(_ credentials: Credentials) async throws -> String {
    try await accounts.signIn(credentials)
  }

  package func signOut(_ token: String) async throws { try accounts.signOut(token) }

  package func deleteAccount(_ token: String) async throws {
    guard let user = accounts.user(of: token) else { throw SignInError.signedOut }
    try accounts.delete(user)
  }

  package func connect(_ replica: Replica, with token: String) async throws {
    try await connect(replica, with: token, isolation: #isolation)
  }

  private func connect(
    _ replica: Replica, with token: String, isolation: isolated (any Actor)?
  ) async throws {
    try await replica.connect(isolation: isolation) { chunks, send in
      try await self.serve(token, receiving: chunks, isolation: isolation, sending: send)
    }
  }

  /// Serves the device of a session, until either ends.
  ///
  /// - Throws: `SignInError.signedOut` if the session has ended.
  package func serve<Chunks: AsyncSequence>(
    _ token: String, receiving chunks: Chunks, isolation: isolated (any Actor)? = #isolation,
    sending send: nonisolated(nonsending) @escaping (_ bytes: [UInt8]) async throws -> Void
  ) async throws where Chunks.Element: Sequence<UInt8> {
    guard let user = accounts.user(of: token) else { throw SignInError.signedOut }
    let serving = Task {
      _ = isolation
      try await server.serve(user, receiving: chunks, sending: send)
    }
    let watching = Effect { [accounts] in
      if accounts.user(of: token) == nil { serving.cancel() }
    }
    defer { watching.cancel() }
    do {
      try await withTaskCancellationHandler {
        try await serving.value
      } onCancel: {
        serving.cancel()
      }
    } catch is CancellationError where accounts.user(of: token) == nil {
      throw SignInError.signedOut
    }
  }
}

extension Replica {
  /// Connects to a server in this process, until the connection ends.
  ///
  /// - Parameters:
  ///   - isolation: The actor of both; leave it to the compiler.
  ///   - serve: Serves the replica: it is passed what the replica sends, and a closure that sends to it.
  func connect(
    isolation: isolated (any Actor)? = #isolation,
    servedBy serve:
      @escaping (
        _ chunks: AsyncStream<[UInt8]>,
        _ send: nonisolated(nonsending) @escaping ([UInt8]) async throws -> Void
      ) async throws -> Void
  ) async throws {
    let toServer = AsyncStream.makeStream(of: [UInt8].self)
    let toReplica = AsyncStream.makeStream(of: [UInt8].self)
    let serving = Task {
      _ = isolation
      defer { toReplica.continuation.finish() }
      try await serve(toServer.stream) { toReplica.continuation.yield($0) }
    }
    defer { serving.cancel() }
    try await connect(receiving: toReplica.stream) { toServer.continuation.yield($0) }
    toServer.continuation.finish()
    try await serving.value
  }
}
