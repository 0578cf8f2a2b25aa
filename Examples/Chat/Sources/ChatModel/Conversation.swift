// A conversation is one object in a partition of its own, with its members as parts and its last
// messages. The server moves the messages before to pages, which are partitions that a device joins to
// show them: so neither a device nor the server has them all. Each member has a `Membership` in the partition of the user, which says which conversations
// a device joins, and how far the user has read.

package import Foundation
package import Signals

/// A conversation of several people, which its members share.
package final class Conversation: Object {
  @PrimaryKey package var id = UUID()
  @Field package var name = ""
  /// The name of the user who has begun it, and may remove others.
  @Field package var founder = ""
  /// The number of the last message; the server counts.
  @Field package var head = 0
  /// The number of messages, from the first one on, that are in pages.
  @Field package var movedCount = 0
  @Links package var members: List<Member>

  /// The number of messages in a page, and the smallest number of last ones.
  package static let pageSize = 100
  /// The number of messages that are moved together; with a photo each, they fit into a commit.
  package static let moveSize = 50
  /// The longest name, in bytes of UTF-8.
  package static let nameLimit = 200
  /// The largest number of members, with former ones.
  package static let memberLimit = 100

  /// The name of the partition.
  package var partition: String { Partitions.conversation(id) }

  /// The names of the members that haven't left.
  package var memberNames: [String] { members.filter { $0.status != .left }.map(\.userName) }

  /// Returns the member with the name of a user.
  package func member(_ user: String) -> Member? { members.first { $0.userName == user } }

  /// Whether a user is a member.
  package func isActive(_ user: String) -> Bool { member(user)?.status == .active }

  /// The number of pages; the last one may get further messages.
  package var pageCount: Int { (movedCount + Self.pageSize - 1) / Self.pageSize }

  /// The pages with those of the last messages that aren't in the partition.
  ///
  /// - Parameter count: The number of the last messages.
  package func pages(ofLast count: Int) -> Range<Int> {
    head - count >= movedCount ? pageCount..<pageCount : page(ofLast: count)..<pageCount
  }

  /// The page that has the first of the last messages, or will have it.
  package func page(ofLast count: Int) -> Int { max(0, head - count) / Self.pageSize }

  /// Begins a conversation.
  ///
  /// - Parameters:
  ///   - name: The name; spaces around it are left out.
  ///   - founder: The user who begins it.
  ///   - others: The names of the other members, who are asked by the server.
  ///   - store: The store of the founder.
  package static func begin(
    _ name: String, by founder: String, with others: [String], in store: Store
  ) throws(ChatError) -> Conversation {
    let conversation = Conversation()
    conversation.name = try validName(name)
    conversation.founder = founder
    if others.isEmpty { throw .noMembers }
    if others.count >= memberLimit { throw .tooManyMembers }
    var names: Set<String> = [founder]
    for other in others where !names.insert(other).inserted { throw .alreadyMember(other) }
    conversation.members =
      [Member(founder, .active)] + others.map { Member($0, .pending) }
    let membership = Membership(of: founder, in: conversation.id)
    membership.conversation = conversation
    do { try store.write { try store.add(membership) } } catch { throw .notSaved("\(error)") }
    return conversation
  }

  /// Returns a name without spaces around it.
  package static func validName(_ text: String) throws(ChatError) -> String {
    let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if name.isEmpty { throw .noName }
    if name.utf8.count > nameLimit { throw .nameTooLong }
    return name
  }

  /// Changes the name.
  package func rename(to text: String) throws(ChatError) { name = try Self.validName(text) }

  /// Asks another user to join.
  package func add(_ user: String) throws(ChatError) {
    switch member(user)?.status {
    case .left: member(user)?.status = .pending
    case nil where members.count >= Self.memberLimit: throw .tooManyMembers
    case nil: members.append(Member(user, .pending))
    default: throw .alreadyMember(user)
    }
  }

  /// Removes a member: a user that leaves, or another one if the founder removes it.
  package func remove(_ user: String, by remover: String) throws(ChatError) {
    guard let member = member(user), member.status != .left else { throw .notMember(user) }
    if user != remover, remover != founder { throw .notAllowed }
    member.status = .left
  }

  /// Adds a message.
  ///
  /// - Parameters:
  ///   - text: The text; spaces around it are left out. It may be empty if there is a photo or a place.
  ///   - author: The name of the user.
  ///   - date: The present time.
  @discardableResult
  package func send(
    _ text: String, photo: Photo? = nil, place: Place? = nil, by author: String, at date: Date
  ) throws -> ChatMessage {
    guard isActive(author) else { throw ChatError.notMember(author) }
    let message = ChatMessage()
    (message.conversation, message.author, message.sentAt) = (id, author, date)
    message.text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    (message.photo, message.place) = (photo, place)
    try message.validate()
    try store?.add(message)
    return message
  }
}

/// A member of a conversation.
package final class Member: EmbeddedObject {
  /// What a member is.
  package enum Status: String, Codable, Sendable {
    /// Added by another member; the server makes it active.
    case pending
    /// A member.
    case active
    /// A former member.
    case left
  }

  @Field package var userName = ""
  @Field package var status = Status.pending

  convenience init(_ user: String, _ status: Status) {
    self.init()
    (userName, self.status) = (user, status)
  }
}

/// A conversation as one user knows it, in the partition of the user.
package final class Membership: Object {
  /// The name of the user and the id of the conversation.
  @PrimaryKey package var id = ""
  @Field package var user = ""
  @Field package var conversationID = UUID()
  /// The conversation, once it is here.
  @Link package var conversation: Conversation?
  @Field package var isActive = true
  /// The number of the last message that the user has read, on any device.
  @Latest package var lastRead = 0

  package convenience init(of user: String, in conversation: UUID) {
    self.init()
    id = Self.id(of: user, in: conversation)
    (self.user, conversationID) = (user, conversation)
  }

  /// The primary key of a membership.
  package static func id(of user: String, in conversation: UUID) -> String {
    "\(user)/\(conversation)"
  }

  /// The number of messages that the user hasn't read.
  package var unread: Int { max(0, (conversation?.head ?? 0) - max(0, lastRead)) }

  /// The name of the conversation.
  package var name: String { conversation?.name ?? "" }

  /// Whether the conversation is shown.
  package var isShown: Bool { isActive && conversation != nil }

  /// Notes that the user has read all messages.
  package func markRead() { if unread > 0, let conversation { lastRead = conversation.head } }
}
