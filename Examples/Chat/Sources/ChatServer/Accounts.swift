// The users and their sessions, in a store of their own, which no replica joins.
//
// Invariants: a password is kept as the result of scrypt with a salt of its own; a token is kept as its
// hash. Hashes are computed one at a time, by an actor.
// Attempts are counted when they begin, so that many at once don't pass the limit.

package import ChatModel
import Crypto
import CryptoExtras
import Foundation
package import Signals
import SignalsSync

/// A user who can sign in.
final class Account: Object {
  @PrimaryKey var name = ""
  @Field var salt: [UInt8] = []
  @Field var hash: [UInt8] = []
}

/// A device on which a user is signed in.
final class AccountSession: Object {
  /// The hash of the token, in hexadecimal digits.
  @PrimaryKey var id = ""
  @Indexed var user = ""
}

/// A mark: the accounts have the sample people.
final class SampleMark: Object {}

/// The accounts of a server.
package final class Accounts {
  private let store: Store
  private let rounds: Int
  /// Waits until an object is kept, and throws if it isn't.
  private let keep: (Object) async throws -> Void
  /// Returns the time since the accounts were opened.
  private let elapsed: () -> Duration
  private var attempts: [String: Attempts] = [:]
  private let hashing = Hashing()
  /// The number of passwords that wait to be hashed.
  private var waiting = 0

  /// The attempts to sign in with a name since the last success or pause.
  private struct Attempts {
    var count = 0
    var begin: Duration
  }

  /// The number of attempts without success before a pause.
  package static let attemptLimit = 5
  /// The number of passwords that may wait to be hashed.
  package static let queueLimit = 50
  /// The length of the pause.
  package static let pause = Duration.seconds(60)

  /// Uses the accounts in a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - rounds: The cost of a password: with 32,768 rounds, 32 MB and about a tenth of a second.
  ///   - clock: The clock that measures pauses.
  ///   - keep: Waits until an object that was added is kept, and throws if another one has its key.
  package init(
    _ store: Store, rounds: Int = 1 << 15, clock: any Clock<Duration> = ContinuousClock(),
    keep: @escaping (Object) async throws -> Void = { _ in }
  ) {
    (self.store, self.rounds, elapsed) = (store, rounds, Self.elapsed(on: clock))
    self.keep = keep
  }

  /// The classes of several nodes' accounts, and their partition.
  static var classes: [SharedClass] {
    [
      SharedClass(Account.self) { _ in partition },
      SharedClass(AccountSession.self) { _ in partition },
      SharedClass(SampleMark.self) { _ in partition },
    ]
  }

  static let partition = "accounts"

  private static func elapsed<C: Clock<Duration>>(on clock: C) -> () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  /// Whether there are no accounts.
  package var isEmpty: Bool { store.results(Account.self).isEmpty }

  /// Whether the sample people were added.
  var hasSamples: Bool { !store.results(SampleMark.self).isEmpty }

  /// Notes that the sample people were added.
  func noteSamples() throws { try store.add(SampleMark()) }

  /// Makes an account.
  package func register(_ credentials: Credentials) async throws {
    try credentials.validate()
    let name = credentials.name
    if account(name) != nil { throw SignInError.nameTaken(name) }
    let salt = Self.randomBytes(16)
    let hash = try await hash(credentials.password, salt: salt)
    // Another device may have registered the name meanwhile.
    if account(name) != nil { throw SignInError.nameTaken(name) }
    let account = Account()
    (account.name, account.salt, account.hash) = (name, salt, hash)
    try store.add(account)
    do { try await keep(account) } catch { throw SignInError.nameTaken(name) }
  }

  /// Begins a session.
  ///
  /// - Returns: The token of the session.
  package func signIn(_ credentials: Credentials) async throws -> String {
    let name = credentials.name
    // No account has others.
    if (try? credentials.validate()) == nil { throw SignInError.wrongPassword }
    try countAttempt(of: name)
    // As long as for a user that is there.
    let account = account(name)
    let salt = account?.salt ?? Array("no such user".utf8)
    let hash = try await hash(credentials.password, salt: salt)
    guard let account, !account.hash.isEmpty,
      SymmetricKey(data: hash) == SymmetricKey(data: account.hash)
    else {
      throw SignInError.wrongPassword
    }
    // One that isn't kept yet may be refused, because another one has its name.
    do { try await keep(account) } catch { throw SignInError.wrongPassword }
    if account.store == nil { throw SignInError.wrongPassword }
    attempts[name] = nil
    let token = Data(Self.randomBytes(32)).base64EncodedString()
    let session = AccountSession()
    (session.id, session.user) = (Self.id(of: token), name)
    try store.add(session)
    try await keep(session)
    return token
  }

  /// Returns the user of a session, or `nil` if it has ended; reads are tracked.
  package func user(of token: String) -> String? {
    store.object(AccountSession.self, primaryKey: Self.id(of: token))?.user
  }

  /// Ends a session.
  package func signOut(_ token: String) throws {
    if let session = store.object(AccountSession.self, primaryKey: Self.id(of: token)) {
      try store.delete(session)
    }
  }

  /// Ends all sessions of a user.
  package func signOutEverywhere(_ user: String) throws {
    try store.write {
      for session in store.results(AccountSession.self).where(\.user, equals: user) {
        try store.delete(session)
      }
    }
  }

  /// Hashes a password, unless too many wait for that.
  private func hash(_ password: String, salt: [UInt8]) async throws -> [UInt8] {
    if waiting >= Self.queueLimit { throw SignInError.tooManyAttempts(seconds: 5) }
    waiting += 1
    defer { waiting -= 1 }
    return try await hashing.hash(password, salt: salt, rounds: rounds)
  }

  /// Ends an account, whose name stays taken: its messages are still there.
  func delete(_ user: String) throws {
    try store.write {
      if let account = account(user) { (account.salt, account.hash) = ([], []) }
      try signOutEverywhere(user)
    }
  }

  private func account(_ name: String) -> Account? { store.object(Account.self, primaryKey: name) }

  /// Counts an attempt, and throws if there were too many.
  private func countAttempt(of name: String) throws(SignInError) {
    let now = elapsed()
    attempts = attempts.filter { now - $0.value.begin < Self.pause }
    var known = attempts[name] ?? Attempts(begin: now)
    if known.count >= Self.attemptLimit {
      throw .tooManyAttempts(seconds: max(1, Int((known.begin + Self.pause - now) / .seconds(1))))
    }
    known.count += 1
    attempts[name] = known
  }

  private static func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255) }
  }

  private static func id(of token: String) -> String {
    SHA256.hash(data: Data(token.utf8)).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}

/// Derives keys from passwords, one at a time.
private actor Hashing {
  func hash(_ password: String, salt: [UInt8], rounds: Int) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: Data(password.utf8), salt: Data(salt), outputByteCount: 32, rounds: rounds,
      blockSize: 8, parallelism: 1)
    return unsafe key.withUnsafeBytes { unsafe Array($0) }
  }
}
