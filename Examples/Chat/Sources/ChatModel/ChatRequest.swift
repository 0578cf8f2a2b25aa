// What a device and a server say on a socket before they share objects: one JSON value a text. After
// `connect`, bytes are those of a replica and its server.

/// A request of a device.
package enum ChatRequest: Codable, Sendable {
  case register(Credentials)
  case signIn(Credentials)
  case signOut(token: String)
  case deleteAccount(token: String)
  case connect(token: String)

  /// The path of the socket.
  package static let path = "/chat-devices"
}

/// The answer to a request.
package enum ChatAnswer: Codable, Sendable {
  case done
  case token(String)
  case failure(SignInError)
}
