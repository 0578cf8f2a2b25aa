import ChatApp
import ChatModel
import ChatServer
import Foundation
import Signals
import SignalsSync
import SignalsTesting
import Testing

/// Accounts whose passwords cost little.
@MainActor
func cheapAccounts(_ store: Store = Store(), clock: any Clock<Duration> = ContinuousClock())
  -> Accounts
{ Accounts(store, rounds: 16, clock: clock) }

@MainActor @Suite struct `Accounts of users` {
  private let rod = Credentials(name: "rod", password: "correct horse")

  @Test func `a user who has registered signs in with the password, and with no other`()
    async throws
  {
    let accounts = cheapAccounts()
    try await accounts.register(rod)
    let token = try await accounts.signIn(rod)
    #expect(accounts.user(of: token) == "rod")
    for wrong in ["correct hors", "Correct horse", "correct horse ", ""] {
      await #expect(throws: SignInError.wrongPassword) {
        try await accounts.signIn(Credentials(name: "rod", password: wrong))
      }
    }
    await #expect(throws: SignInError.wrongPassword) {
      try await accounts.signIn(Credentials(name: "jane", password: "correct horse"))
    }
    #expect(accounts.user(of: "") == nil && accounts.user(of: token + "=") == nil)
  }

  @Test func `a name is taken once, also by two devices at the same time`() async throws {
    let accounts = cheapAccounts()
    let tasks = (0..<2).map { _ in Task { try await accounts.register(rod) } }
    var failures: [any Error] = []
    for task in tasks {
      do { try await task.value } catch { failures.append(error) }
    }
    #expect(failures.count == 1)
    #expect(failures.first as? SignInError == .nameTaken("rod"))
    await #expect(throws: SignInError.nameTaken("rod")) { try await accounts.register(rod) }
  }

  @Test func `an account that another node has refused can't sign in`() async throws {
    struct Refused: Error {}
    let store = Store()
    let accounts = Accounts(store, rounds: 16) { _ in throw Refused() }
    await #expect(throws: SignInError.nameTaken("rod")) { try await accounts.register(rod) }
    // It is still there until the replica has the refusal.
    await #expect(throws: SignInError.wrongPassword) { try await accounts.signIn(rod) }
    let changes = Store().snapshot().changes(to: store.snapshot()).changes
    #expect(changes.map(\.className) == ["Account"])
  }

  @Test(arguments: [
    "", "rod burton", "rod/jane", "röd", "rod\n", String(repeating: "x", count: 41),
  ])
  func `a name has plain characters`(_ name: String) async {
    await #expect(throws: SignInError.noName) {
      try await cheapAccounts().register(Credentials(name: name, password: "correct horse"))
    }
  }

  @Test func `names that differ in case are one`() async throws {
    let accounts = cheapAccounts()
    try await accounts.register(rod)
    let other = try JSONDecoder().decode(
      Credentials.self, from: Data(#"{"name": "ROD", "password": "another horse"}"#.utf8))
    await #expect(throws: SignInError.nameTaken("rod")) { try await accounts.register(other) }
    let token = try await accounts.signIn(Credentials(name: "Rod", password: rod.password))
    #expect(accounts.user(of: token) == "rod")
  }

  @Test func `a short or endless password isn't taken`() async {
    for password in ["", "1234567", String(repeating: "x", count: 201)] {
      await #expect(throws: SignInError.noPassword) {
        try await cheapAccounts().register(Credentials(name: "rod", password: password))
      }
    }
  }

  @Test func `after five attempts the name has to wait for a minute, also for the right password`()
    async throws
  {
    let clock = ManualClock()
    let accounts = cheapAccounts(clock: clock)
    try await accounts.register(rod)
    for _ in 0..<Accounts.attemptLimit {
      await #expect(throws: SignInError.wrongPassword) {
        try await accounts.signIn(Credentials(name: "rod", password: "a guess at it"))
      }
    }
    await #expect(throws: SignInError.tooManyAttempts(seconds: 60)) {
      try await accounts.signIn(rod)
    }
    clock.advance(by: .seconds(59))
    await #expect(throws: SignInError.tooManyAttempts(seconds: 1)) {
      try await accounts.signIn(rod)
    }
    clock.advance(by: .seconds(1))
    #expect(accounts.user(of: try await accounts.signIn(rod)) == "rod")
  }

  @Test func `the file has no password and no token`() async throws {
    let store = Store()
    let accounts = cheapAccounts(store)
    try await accounts.register(rod)
    let token = try await accounts.signIn(rod)
    let text = String(decoding: try JSONEncoder().encode(store.snapshot()), as: UTF8.self)
    #expect(!text.contains("correct horse") && !text.contains(token))
    #expect(text.contains("rod"))
  }

  @Test func `a session ends on its device, or all of a user's at once`() async throws {
    let accounts = cheapAccounts()
    try await accounts.register(rod)
    let tokens = [
      try await accounts.signIn(rod), try await accounts.signIn(rod),
      try await accounts.signIn(rod),
    ]
    #expect(Set(tokens).count == 3)
    try accounts.signOut(tokens[0])
    #expect(tokens.map { accounts.user(of: $0) } == [nil, "rod", "rod"])
    try accounts.signOutEverywhere("rod")
    #expect(tokens.map { accounts.user(of: $0) } == [nil, nil, nil])
  }
}

/// A hub and the devices of its users in this process.
@MainActor
final class Hub {
  let hub: ChatHub
  private var tasks: [Task<Void, Never>] = []

  init() {
    let server = SyncServer(sharing: Partitions.classes, rules: Partitions.rules)
    hub = ChatHub(server, cheapAccounts())
    tasks.append(Task { await server.run() })
  }

  deinit { for task in tasks { task.cancel() } }

  /// Returns a device without a user.
  func device() -> ChatDevice {
    ChatDevice(service: hub, now: { Date(timeIntervalSince1970: 1e9) }) { _ in
      Replica(sharing: Partitions.classes)
    }
  }

  /// Returns a device on which a user has registered, or signed in, and that stays connected.
  func device(_ user: String, isNew: Bool = true) async throws -> ChatDevice {
    let device = device()
    let credentials = Credentials(name: user, password: "sesame street")
    if isNew {
      try await device.register(credentials)
    } else {
      try await device.signIn(credentials)
    }
    tasks.append(Task { await device.stayConnected() })
    try await eventually("\(user) is online") { device.session?.me != nil }
    return device
  }
}

@MainActor @Suite struct `Devices that sign in` {
  @Test func `a session that was ended elsewhere is signed out at once, and what isn't sent stays`()
    async throws
  {
    let hub = Hub()
    let (phone, laptop) = (
      try await hub.device("rod"), try await hub.device("rod", isNew: false)
    )
    #expect(phone.session?.replica.isOnline == true && laptop.session?.replica.isOnline == true)
    try hub.hub.accounts.signOutEverywhere("rod")
    try await eventually { phone.session == nil && laptop.session == nil }
    #expect(phone.status == "you were signed out")
    #expect(phone.signedIn == nil)
  }

  @Test func `a device that is signed out leaves others of the user alone`() async throws {
    let hub = Hub()
    let (phone, laptop) = (
      try await hub.device("rod"), try await hub.device("rod", isNew: false)
    )
    try await phone.signOut()
    #expect(phone.session == nil && phone.status == "")
    for _ in 0..<100 { await Task.yield() }
    #expect(laptop.session?.replica.isOnline == true)
  }

  @Test func `a token without a session connects nothing`() async throws {
    let hub = Hub()
    let replica = Replica(sharing: Partitions.classes)
    await #expect(throws: SignInError.signedOut) {
      try await hub.hub.connect(replica, with: "stolen")
    }
    #expect(!replica.isOnline)
  }
}
