// A device: whether a user is signed in, which survives a restart, and the user's session.
//
// Order of events: signing in stores the token and opens the replica of the user, which the screen keeps
// connected.
// The device is signed out when the user asks for it, or when the server has ended the session.

package import ChatModel
package import Foundation
package import Signals
package import SignalsSync

/// Who is signed in on a device.
final class SignedIn: Object {
  @Field var user = ""
  @Field var token = ""
}

/// A device on which one user at a time is signed in.
package final class ChatDevice {
  /// The session of the user, or `nil` if none is signed in.
  @Signal package private(set) var session: ChatSession? = nil
  /// Why the user was signed out, if it wasn't on this device.
  @Signal package private(set) var notice = ""
  /// What the device keeps for itself.
  package let store: Store
  /// Whether the device is to be connected.
  @Signal package var wantsConnection = true
  /// Reads a photo from the device; `nil` if it has no files that the user may name.
  package var readPhoto: ((_ path: String) throws -> Photo)?
  /// Where the device is, if it knows.
  package var place: Place?
  private let service: any ChatService
  private let now: () -> Date
  private let makeReplica: (_ user: String) throws -> Replica

  /// Creates a device, and signs in the user of the last run.
  ///
  /// - Parameters:
  ///   - store: What the device keeps for itself.
  ///   - service: The server.
  ///   - now: The present time.
  ///   - makeReplica: Opens the replica of a user.
  package init(
    _ store: Store, service: any ChatService, now: @escaping () -> Date = { Date() },
    makeReplica: @escaping (_ user: String) throws -> Replica
  ) throws {
    (self.store, self.service, self.now, self.makeReplica) = (store, service, now, makeReplica)
    if signedIn != nil { try begin() }
  }

  private var signedIn: SignedIn? { store.results(SignedIn.self).first }

  /// Makes an account, and signs in.
  package func register(_ credentials: Credentials) async throws {
    try await service.register(credentials)
    try await signIn(credentials)
  }

  /// Signs in.
  package func signIn(_ credentials: Credentials) async throws {
    let token = try await service.signIn(credentials)
    if session != nil { return try await service.signOut(token) }
    let new = SignedIn()
    (new.user, new.token) = (credentials.name, token)
    try store.add(new)
    try begin()
  }

  /// Signs out; what isn't sent stays on the device, for the next time that the user signs in.
  package func signOut() async throws {
    guard let token = signedIn?.token else { return }
    // The server may be out of reach; the device forgets the token in any case.
    try? await service.signOut(token)
    try await end("")
  }

  /// Opens the replica of the user who is signed in, and connects it.
  private func begin() throws {
    guard let signedIn else { return }
    let session = ChatSession(signedIn.user, try makeReplica(signedIn.user), now: now)
    (self.session, notice) = (session, "")
  }

  /// Keeps the session connected, until the task is cancelled or the session has ended.
  ///
  /// `ChatScreen` calls it.
  package func stayConnected() async {
    guard wantsConnection, let session, let token = signedIn?.token else { return }
    await session.replica.stayConnected {
      do { try await service.connect(session.replica, with: token) } catch SignInError.signedOut {
        if self.session === session { try await end("\(SignInError.signedOut)") }
      }
    }
  }

  private func end(_ reason: String) async throws {
    guard let session else { return }
    session.replica.disconnect()
    (self.session, notice) = (nil, reason)
    for old in store.results(SignedIn.self) { try store.delete(old) }
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
