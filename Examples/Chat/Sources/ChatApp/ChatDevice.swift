// A device: whether a user is signed in, and the user's session.
//
// Order of events: signing in opens the replica of the user, which the screen keeps connected, and the
// screen keeps the token for the next run. The device is signed out when the user asks for it, or when
// the server has ended the session.

package import ChatModel
package import Foundation
package import Signals
package import SignalsSync

/// Who is signed in on a device.
package struct SignedIn: Hashable, Codable, Sendable {
  package let user: String
  package let token: String
}

/// A device on which one user at a time is signed in.
package final class ChatDevice {
  /// The session of the user, or `nil` if none is signed in.
  @Signal package private(set) var session: ChatSession? = nil
  /// Why the user was signed out, if it wasn't on this device.
  @Signal package private(set) var notice = ""
  /// Who is signed in.
  @Signal package private(set) var signedIn: SignedIn? = nil
  /// The name that the sign-in screen suggests.
  package var suggestedName = ""
  /// Whether the device is to be connected.
  @Signal package var wantsConnection = true
  /// Reads a photo from the device; `nil` if it has no files that the user may name.
  package var readPhoto: ((_ path: String) throws -> Photo)?
  /// Where the device is, if it knows.
  package var place: Place?
  private let service: any ChatService
  private let now: () -> Date
  private let makeReplica: (_ user: String) throws -> Replica

  /// Creates a device on which no user is signed in.
  ///
  /// - Parameters:
  ///   - service: The server.
  ///   - now: The present time.
  ///   - makeReplica: Opens the replica of a user.
  package init(
    service: any ChatService, now: @escaping () -> Date = { Date() },
    makeReplica: @escaping (_ user: String) throws -> Replica
  ) { (self.service, self.now, self.makeReplica) = (service, now, makeReplica) }

  /// Makes an account, and signs in.
  package func register(_ credentials: Credentials) async throws {
    try await service.register(credentials)
    try await signIn(credentials)
  }

  /// Signs in.
  package func signIn(_ credentials: Credentials) async throws {
    let token = try await service.signIn(credentials)
    do {
      if session != nil { return try await service.signOut(token) }
      try resume(SignedIn(user: credentials.name, token: token))
    } catch {
      // Its replica can't be opened.
      try? await service.signOut(token)
      throw error
    }
  }

  /// Leaves all conversations, and deletes the user and the account.
  ///
  /// - Throws: `ChatError.offline` if there is no connection.
  package func deleteAccount() async throws {
    guard let session, let token = signedIn?.token else { return }
    let replica = session.replica
    if !replica.isOnline { throw ChatError.offline }
    try session.deleteUser()
    try await wait { replica.pendingCount == 0 || !replica.isOnline }
    try await service.deleteAccount(token)
    try await end(session, "")
  }

  /// Opens the replica of a user who was signed in before.
  package func resume(_ signedIn: SignedIn) throws {
    let session = ChatSession(signedIn.user, try makeReplica(signedIn.user), now: now)
    (self.session, self.signedIn, notice) = (session, signedIn, "")
  }

  /// Signs out; what isn't sent stays on the device, for the next time that the user signs in.
  package func signOut() async throws {
    guard let session, let token = signedIn?.token else { return }
    try await end(session, "")
    // The server may be out of reach; the device has forgotten the token in any case.
    try? await service.signOut(token)
  }

  /// Keeps the session connected, until the task is cancelled or the session has ended.
  ///
  /// `ChatScreen` calls it.
  package func stayConnected() async {
    guard wantsConnection, let session, let token = signedIn?.token else { return }
    await session.replica.stayConnected {
      do { try await service.connect(session.replica, with: token) } catch SignInError.signedOut {
        try await end(session, "\(SignInError.signedOut)")
      }
    }
  }

  private func end(_ session: ChatSession, _ reason: String) async throws {
    if self.session !== session { return }
    session.replica.disconnect()
    (self.session, signedIn, notice) = (nil, nil, reason)
    try await session.replica.close()
  }

  /// Ends the connection, and waits until all commits are in the file.
  package func close() async throws {
    session?.replica.disconnect()
    try await session?.replica.close()
  }

  /// What the user should know about the connection; empty if there is nothing.
  package var status: String {
    guard let session else { return notice }
    let pending = session.replica.pendingCount
    let waiting = pending == 0 ? "" : ", \(pending) not sent"
    if !wantsConnection { return "offline" + waiting }
    if !session.replica.isOnline {
      return (session.replica.offlineReason ?? "connecting") + waiting
    }
    return session.news
  }
}
