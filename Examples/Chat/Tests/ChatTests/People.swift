import ChatApp
import ChatModel
import Foundation
import Signals
import SignalsSync
import Testing

/// A server and the devices of users in this process.
@MainActor
final class People {
  let server: SyncServer
  private let running: Task<Void, Never>
  /// A second passes with each message.
  private var seconds = 0.0

  init() {
    let server = SyncServer(sharing: Partitions.classes, rules: Partitions.rules)
    self.server = server
    running = Task { await server.run() }
  }

  deinit { running.cancel() }

  /// Returns a device of a user that has connected for the first time.
  func device(_ user: String, in replica: Replica? = nil) -> ChatSession {
    let replica = replica ?? Replica(sharing: Partitions.classes)
    let session = ChatSession(user, replica) { [unowned self] in
      seconds += 1
      return Date(timeIntervalSince1970: seconds)
    }
    connect(session)
    return session
  }

  /// Returns the devices of rod, jane and freddy, who know each other.
  func three() async throws -> (rod: ChatSession, jane: ChatSession, freddy: ChatSession) {
    let all = ["rod", "jane", "freddy"].map { device($0) }
    try await eventually("all know each other") {
      all.allSatisfy { $0.me != nil && $0.store.results(Chatter.self).count == 3 }
    }
    return (all[0], all[1], all[2])
  }

  /// Begins a conversation, and waits until all members have it.
  @discardableResult
  func begin(_ name: String, by founder: ChatSession, with others: ChatSession...) async throws
    -> UUID
  {
    let conversation = try Conversation.begin(
      name, by: founder.user, with: others.map(\.user), in: founder.store)
    let id = conversation.id
    try await eventually("all have \(name)") {
      ([founder] + others).allSatisfy { session in
        session.conversation(id)?.isActive(session.user) == true
          && session.replica.state(of: Partitions.conversation(id)) == .joined
          && session.replica.pendingCount == 0
      }
    }
    return id
  }

  /// Joins all pages of a conversation, and waits until they are there.
  func joinPages(of id: UUID, in session: ChatSession) async throws {
    let pages = 0..<(session.conversation(id)?.pageCount ?? 0)
    for page in pages { session.replica.join(Partitions.page(page, of: id)) }
    try await eventually("\(session.user) has \(pages)") {
      pages.allSatisfy { session.replica.state(of: Partitions.page($0, of: id)) == .joined }
    }
  }

  func connect(_ session: ChatSession) {
    session.replica.connect(server.connection(for: session.user))
  }
}

/// Waits until a condition holds, and fails if it doesn't.
@MainActor
func eventually(
  _ what: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) async throws {
  for _ in 0..<20_000 {
    if try condition() { return }
    await Task.yield()
  }
  try #require(Bool(false), what, sourceLocation: sourceLocation)
}

@MainActor
extension ChatSession {
  /// Waits until the server has decided about all commits.
  func settle() async throws {
    try await eventually("nothing pending") { replica.pendingCount == 0 }
  }

  func texts(_ id: UUID) -> [String] { messages(id).map(\.text) }

  func messages(_ id: UUID) -> Results<ChatMessage> {
    store.results(ChatMessage.self).where { $0.conversation == id }
      .sorted(by: .ascending(\.position), .ascending(\.sentAt))
  }

  @discardableResult
  func send(_ text: String, in id: UUID) throws -> ChatMessage {
    try #require(conversation(id)).send(text, by: user, at: now())
  }

  func unread(_ id: UUID) -> Int? { conversation(id).flatMap(membership)?.unread }
}
