// A user who is signed in on one device.
//
// Order of events: the device joins the partition of the user, whose memberships name the conversations.
// An effect joins those, and leaves the others, so that no screen does. Refusals and losses are kept
// until the user has seen them.

package import ChatModel
package import Foundation
package import Signals
package import SignalsSync

/// A user on a device: the replica that has the user's conversations, and its news.
package final class ChatSession {
  package let user: String
  package let replica: Replica
  package let now: () -> Date
  /// The messages that the server has refused, until they are dismissed.
  @Signal package var refused: [RefusedMessage] = []
  /// Another change that was refused, or that has lost.
  @Signal package var news = ""
  private var joined: Set<UUID> = []
  private var isDeleted = false
  private var tokens: [any Cancellable] = []

  /// A message that isn't sent.
  package struct RefusedMessage: Hashable, Identifiable {
    package let id: ObjectID
    package let conversation: UUID
    package let text: String
    package let reason: String
  }

  package init(_ user: String, _ replica: Replica, now: @escaping () -> Date = { Date() }) {
    (self.user, self.replica, self.now) = (user, replica, now)
    replica.join(Partitions.allUsers)
    replica.join(Partitions.user(user))
    tokens = [
      replica.refusals.sink { [unowned self] in note($0) },
      replica.losses.sink { [unowned self] in news = "another change of \($0.property) is later" },
      Effect { [unowned self] in
        let memberships = store.results(Membership.self).filter(\.isActive)
        let wanted = Set(memberships.map(\.conversationID))
        untracked { join(wanted) }
      },
      Effect { [unowned self] in
        // A user that is deleted later isn't made again.
        let isHere = replica.state(of: Partitions.user(user)) == .joined
        untracked {
          if isHere, me == nil, !isDeleted {
            do { try store.add(User(user)) } catch { news = "\(error)" }
          }
        }
      },
    ]
  }

  /// The graph of the user's device.
  package var store: Store { replica.store }

  /// The user's own record, once it is here.
  package var me: User? { store.object(User.self, primaryKey: user) }

  private func join(_ wanted: Set<UUID>) {
    for id in wanted.subtracting(joined) { replica.join(Partitions.conversation(id)) }
    for id in joined.subtracting(wanted) { replica.leave(Partitions.conversation(id)) }
    joined = wanted
  }

  private func note(_ refusal: SyncRefusal) {
    var isMessage = false
    for change in refusal.changes.changes(of: ChatMessage.self) where change.kind == .inserted {
      isMessage = true
      refused.append(
        RefusedMessage(
          id: change.id, conversation: change.new(\.conversation) ?? UUID(),
          text: change.new(\.text) ?? "", reason: refusal.reason))
    }
    if !isMessage { news = "refused: \(refusal.reason)" }
  }

  // MARK: - People

  /// The public side of a user.
  package func chatter(_ name: String) -> Chatter? {
    store.object(Chatter.self, primaryKey: name)
  }

  /// The name of a user as others see it.
  package func title(of name: String) -> String { chatter(name)?.title ?? name }

  /// The names of the users that are connected, and don't hide it.
  package var onlineNames: Set<String> { online.value }

  /// They are found once for all rows that show them.
  private lazy var online = Computed { [unowned self] in
    let present = replica.users(in: Partitions.allUsers).map(\.user)
    return Set(present.filter { chatter($0)?.isHidden != true })
  }

  /// The names of the others that are typing in a conversation.
  package func typingNames(in conversation: Conversation) -> [String] {
    replica.users(in: conversation.partition)
      .filter { $0.user != user && $0.status == Self.typing }.map { title(of: $0.user) }
  }

  /// The status of a user that is typing.
  static let typing = "typing"

  /// Shows to others whether the user is typing.
  package func setTyping(_ isTyping: Bool, in conversation: Conversation) {
    try? replica.setStatus(isTyping ? Self.typing : "", in: conversation.partition)
  }

  // MARK: - Photos

  /// Returns the photo with a name that the device has; see ``address(ofPhotoIn:)``.
  package func photo(named name: String) -> Photo? {
    let parts = name.split(separator: "-", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    if parts[0] == "avatar" { return chatter(String(parts[1]))?.avatar }
    guard parts[0] == "message", let id = UUID(uuidString: String(parts[1])) else { return nil }
    return store.object(ChatMessage.self, primaryKey: id)?.photo
  }

  /// The address of a message's photo, for a renderer that shows photos.
  package func address(ofPhotoIn message: ChatMessage) -> String {
    "/files/chat/message-\(message.id)"
  }

  /// The address of a user's photo, for a renderer that shows photos.
  package func address(ofPhotoOf chatter: Chatter) -> String {
    "/files/chat/avatar-\(chatter.name)"
  }

  // MARK: - Conversations

  /// Returns a conversation, if it is here.
  package func conversation(_ id: UUID) -> Conversation? {
    store.object(Conversation.self, primaryKey: id)
  }

  /// Returns the last message of a conversation.
  package func lastMessage(of conversation: Conversation) -> ChatMessage? {
    let id = conversation.id
    return store.results(ChatMessage.self).where(\.conversation, equals: id).max {
      $0.position < $1.position
    }
  }

  /// The user's side of a conversation.
  package func membership(in conversation: Conversation) -> Membership? {
    store.object(
      Membership.self, primaryKey: Membership.id(of: user, in: conversation.id))
  }

  /// Whether the user is a member, as far as the device knows.
  ///
  /// The membership may end before the device learns of it in the conversation, which it may not read then.
  package func isMember(of conversation: Conversation) -> Bool {
    conversation.isActive(user) && membership(in: conversation)?.isActive == true
  }

  /// Leaves all conversations, and deletes the user.
  package func deleteUser() throws {
    try store.write {
      for conversation in store.results(Conversation.self) where conversation.isActive(user) {
        try conversation.remove(user, by: user)
      }
      if let me { try store.delete(me) }
      isDeleted = true
    }
  }
}
