package import ChatModel
package import SignalsSync

/// How a device reaches the server.
package protocol ChatService {
  /// Makes an account.
  ///
  /// - Throws: `SignInError`, or the error of the connection.
  func register(_ credentials: Credentials) async throws

  /// Begins a session.
  ///
  /// - Returns: The token of the session.
  /// - Throws: `SignInError`, or the error of the connection.
  func signIn(_ credentials: Credentials) async throws -> String

  /// Ends a session.
  func signOut(_ token: String) async throws

  /// Ends an account with all of its sessions; nobody else gets its name.
  ///
  /// - Throws: `SignInError` if the session has ended, or the error of the connection.
  func deleteAccount(_ token: String) async throws

  /// Connects a replica, and returns when the connection has ended.
  ///
  /// - Throws: `SignInError` if the session has ended, or the error of the connection.
  func connect(_ replica: Replica, with token: String) async throws
}
