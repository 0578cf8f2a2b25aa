// A hub on a port: browsers get pages, and devices connect to a socket.
//
// Order of events on the socket: a device registers, signs in or signs out, as often as it likes; once it
// connects with a token, the socket carries the bytes of its replica, until the session ends.

import ChatApp
import ChatModel
package import ChatServer
import Crypto
import Foundation
import Signals
import SignalsSync
package import Site

/// A request of a device that can't be read.
struct RequestError: Error, CustomStringConvertible {
  var description: String { "a request can't be read" }
}

extension ChatHub {
  /// Returns the site for browsers and devices.
  ///
  /// - Parameter environment: `CHAT_KEY` keeps visitors signed in after a restart, or with another node;
  ///   `CHAT_ORIGIN` is the address behind a proxy.
  /// - Returns: The site, or `nil` if the key isn't 32 bytes in base64.
  @MainActor package func site(_ environment: [String: String]) -> Site? {
    let key = environment["CHAT_KEY"].map(Site.key) ?? SymmetricKey(size: .bits256)
    return key.map {
      Site([app], sockets: [socket], origin: environment["CHAT_ORIGIN"], key: $0)
    }
  }

  /// Returns the app for browsers; each visitor has a device in this process.
  @MainActor package var app: SiteApp {
    .eachVisitor(
      "chat", title: "Chat", store: Store(),
      screen: { [self] in
        let device = ChatDevice(service: self) { _ in Replica(sharing: Partitions.classes) }
        return SiteScreen {
          ChatScreen(device)
        } picture: { name in
          device.session?.photo(named: name).flatMap { SitePicture($0.bytes) }
        }
      })
  }

  /// Returns the socket for devices.
  @MainActor package var socket: SiteSocket {
    SiteSocket(ChatRequest.path) { [self] connection in
      while let message = try await connection.next() {
        guard case .text(let text) = message,
          let request = try? JSONDecoder().decode(ChatRequest.self, from: Data(text.utf8))
        else { throw RequestError() }
        do {
          try await answer(request, on: connection)
          if case .connect = request { return }
        } catch let error as SignInError {
          try await connection.send(.failure(error))
          // The connection was that of a replica.
          if case .connect = request { return }
        }
      }
    }
  }

  @MainActor private func answer(
    _ request: ChatRequest, on connection: SiteConnection
  ) async throws {
    switch request {
    case .register(let credentials):
      try await register(credentials)
      try await connection.send(.done)
    case .signIn(let credentials):
      try await connection.send(.token(try await signIn(credentials)))
    case .signOut(let token):
      try await signOut(token)
      try await connection.send(.done)
    case .deleteAccount(let token):
      try await deleteAccount(token)
      try await connection.send(.done)
    case .connect(let token):
      let chunks = AsyncThrowingStream { () async throws -> [UInt8]? in
        guard case .bytes(let bytes)? = try await connection.next() else { return nil }
        return bytes
      }
      try await serve(token, receiving: chunks) { try await connection.send(.bytes($0)) }
    }
  }
}

extension SiteConnection {
  fileprivate func send(_ answer: ChatAnswer) async throws {
    try await send(.text(String(decoding: JSONEncoder().encode(answer), as: UTF8.self)))
  }
}
