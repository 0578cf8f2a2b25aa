import BrowserTesting
import ChatApp
import ChatClient
import ChatModel
import Foundation
import Signals
import SignalsSync
import Testing

/// The chat on several nodes, in processes of their own.
@MainActor @Suite(.timeLimit(.minutes(5))) struct `The chat on nodes` {
  /// A person with one device, which goes from node to node.
  @MainActor private final class Person {
    let session: ChatSession
    let token: String
    private var connecting: Task<Void, Never>?

    init(_ name: String, at port: Int, isNew: Bool = true) async throws {
      let service = try RemoteChat("http://127.0.0.1:\(port)")
      let credentials = Credentials(name: name, password: "a long password")
      if isNew { try await service.register(credentials) }
      token = try await service.signIn(credentials)
      session = ChatSession(name, Replica(sharing: Partitions.classes))
      connect(to: port)
    }

    func connect(to port: Int) {
      connecting?.cancel()
      connecting = Task { [session, token] in
        await session.replica.stayConnected {
          try await RemoteChat("http://127.0.0.1:\(port)").connect(session.replica, with: token)
        }
      }
    }

    func end() { connecting?.cancel() }

    /// What isn't as it should be, for messages.
    var state: String {
      let replica = session.replica
      let delay = replica.delay.map { "\($0)" } ?? "none"
      return "\(session.user): \(replica.pendingCount) pending, delay \(delay), "
        + "online \(replica.isOnline), refused \(session.refused.map(\.reason)), news \(session.news), "
        + "\(session.store.results(ChatMessage.self).count) messages"
    }

    func texts(_ id: UUID) -> [String] {
      session.store.results(ChatMessage.self).where { $0.conversation == id }.sorted(by: \.number)
        .map(\.text)
    }
  }

  private func node(_ targets: [String], port: Int? = nil) async throws -> (
    program: Program, port: Int
  ) {
    // A free port; another process may take it before the server does, and then this one ends.
    for _ in 0..<5 {
      let port = port ?? .random(in: 33_000..<40_000)
      do {
        return try await Program.start(
          Program.path("chat-node"),
          targets.flatMap { ["--log", $0] } + ["--port", "\(port)", "--rounds", "2"],
          until: "listening on 127.0.0.1:(\\d+)")
      } catch is Program.Silence { continue }
    }
    throw CocoaError(.featureUnsupported)
  }

  @Test(arguments: [1, 2])
  func `are one chat, and nothing is lost or doubled when one is killed`(databases: Int)
    async throws
  {
    let servers = [try await PostgreSQLServer.shared, try await PostgreSQLServer.second]
      .prefix(databases)
    let name = "chat\(databases)"
    for server in servers { try await server.query("CREATE DATABASE \(name)") }
    let targets = servers.map { $0.address(name) }
    var (one, two) = (try await node(targets), try await node(targets))
    let anna = try await Person("anna", at: one.port)
    let ben = try await Person("ben", at: two.port)
    // The accounts are those of all nodes.
    await #expect(throws: SignInError.nameTaken("anna")) {
      try await Person("anna", at: two.port)
    }
    try await eventually("they know each other") {
      [anna, ben].allSatisfy { $0.session.store.results(Chatter.self).count == 2 }
    }
    let id = try Conversation.begin(
      "Nodes", by: "anna", with: ["ben"], in: anna.session.store
    ).id
    try await eventually("both have it") {
      [anna, ben].allSatisfy { person in
        person.session.conversation(id)?.isActive(person.session.user) == true
          && person.session.replica.state(of: Partitions.conversation(id)) == .joined
      }
    }
    var sent: [String] = []
    func send(_ person: Person) throws {
      sent.append("\(sent.count) \(person.session.user)")
      let conversation = try #require(person.session.conversation(id))
      try conversation.send(sent[sent.count - 1], by: person.session.user, at: Date())
    }
    for _ in 0..<10 {
      try send(anna)
      try send(ben)
    }
    try await eventually("both have 20 messages: \(anna.state), \(ben.state)") {
      [anna, ben].allSatisfy { $0.texts(id).count == 20 }
    }
    for _ in 0..<3 {
      try send(anna)
      one.program.kill()
      for _ in 0..<3 { try send(anna) }
      try send(ben)
      for person in [anna, ben] { person.connect(to: two.port) }
      let count = sent.count
      try await eventually("both have \(count) messages: \(anna.state), \(ben.state)") {
        [anna, ben].allSatisfy { $0.texts(id).count == count }
      }
      // The next one to be killed is the other.
      one = try await node(targets)
      (one, two) = (two, one)
    }
    #expect(anna.texts(id) == ben.texts(id))
    #expect(anna.texts(id).sorted() == sent.sorted())
    for name in ["anna", "ben"] {
      // An author's messages are in the order of sending.
      #expect(anna.texts(id).filter { $0.hasSuffix(name) } == sent.filter { $0.hasSuffix(name) })
    }
    // A session that ends at one node ends at all.
    try await RemoteChat("http://127.0.0.1:\(two.port)").signOut(anna.token)
    try await eventually("anna is signed out") { !anna.session.replica.isOnline }
    for person in [anna, ben] { person.end() }
    for next in [one, two] { next.program.terminate() }
  }
}
