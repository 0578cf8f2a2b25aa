// The rules and triggers of the server. They see the values of the server, whatever a device claims.
//
// Order of events: a conversation's trigger makes added members active, and gives each of them a
// `Membership`, which makes their devices join. A user who leaves loses the `MayRead`, and receives
// nothing after that. A message's trigger gives it a number, and now and then moves the first of the last
// messages to a page.

import Foundation
import Signals
package import SignalsSync

extension Partitions {
  /// Who may do what, and what the server adds.
  @SyncRulesBuilder package static func rules() -> SyncRules {
    MayRead { user, partition, store in
      if partition == allUsers || partition == self.user(user) { return }
      guard let (id, page) = ids(in: partition) else { throw ChatError.notAllowed }
      guard let conversation = store.object(Conversation.self, primaryKey: id) else {
        // Its founder joins before it is there.
        if page != nil || !store.messages(of: id).isEmpty { throw ChatError.notAllowed }
        return
      }
      if let page, !(0..<conversation.pageCount).contains(page) { throw ChatError.notAllowed }
      let status = conversation.member(user)?.status
      if status == nil || status == .left { throw ChatError.notMember(user) }
    }
    users()
    conversations()
    messages()
  }

  /// The conversation of a partition, and the page if it is one.
  private static func ids(in partition: String) -> (conversation: UUID, page: Int?)? {
    let parts = partition.split(whereSeparator: { "=/".contains($0) })
    guard parts.count > 1, let id = UUID(uuidString: String(parts[1])) else { return nil }
    if partition == conversation(id) { return (id, nil) }
    guard let page = parts.last.flatMap({ Int($0) }), partition == self.page(page, of: id) else {
      return nil
    }
    return (id, page)
  }

  // MARK: - Users

  @SyncRulesBuilder private static func users() -> SyncRules {
    MayWrite(User.self) { change, user in
      if change.kind != .deleted, change.object?.name != user { throw ChatError.notAllowed }
    }
    MayWrite(UserPreferences.self) { change, _ in try change.object?.validate() }
    MayWrite(Chatter.self) { _, _ in throw ChatError.notAllowed }
    MayWrite(Membership.self) { change, user in
      guard let membership = change.object, change.kind != .deleted,
        membership.id == Membership.id(of: user, in: membership.conversationID),
        membership.lastRead >= 0
      else { throw ChatError.notAllowed }
      let isOwn = change.kind == .inserted ? membership.isActive : change["isActive"] == nil
      if !isOwn { throw ChatError.notAllowed }
    }
    After(User.self) { change, store in
      guard change.kind == .deleted else { return try mirror(change.object, in: store) }
      if let name = change.old(\.name), let chatter = store.chatter(name) {
        try store.delete(chatter)
      }
    }
    After(UserPreferences.self) { change, store in
      try mirror(change.object?.owner as? User, in: store)
    }
  }

  /// Copies what others may see of a user.
  private static func mirror(_ user: User?, in store: Store) throws {
    guard let user else { return }
    let chatter = store.chatter(user.name) ?? Chatter(user.name)
    chatter.displayName = user.preferences?.displayName ?? ""
    chatter.isHidden = user.preferences?.isHidden ?? false
    let avatar = user.preferences?.avatar
    if chatter.avatar?.bytes != avatar?.bytes { chatter.avatar = avatar?.copy() }
    if chatter.store == nil { try store.add(chatter) }
  }

  // MARK: - Conversations

  @SyncRulesBuilder private static func conversations() -> SyncRules {
    MayWrite(Conversation.self) { change, user in
      guard let conversation = change.object, change.kind != .deleted else {
        throw ChatError.notAllowed
      }
      let name = try Conversation.validName(conversation.name)
      if name != conversation.name { throw ChatError.notAllowed }
      if conversation.members.count > Conversation.memberLimit { throw ChatError.tooManyMembers }
      guard conversation.isActive(user) else { throw ChatError.notMember(user) }
      if change.kind == .inserted {
        if conversation.founder != user || conversation.head != 0 || conversation.movedCount != 0 {
          throw ChatError.notAllowed
        }
        if conversation.members.count < 2 { throw ChatError.noMembers }
      } else if ["head", "movedCount", "founder"].contains(where: { change[$0] != nil }) {
        throw ChatError.notAllowed
      }
    }
    MayWrite(Member.self) { change, user in
      guard let member = change.object, let conversation = member.owner as? Conversation,
        change.kind != .deleted
      else { throw ChatError.notAllowed }
      let isOwn = member.userName == user
      switch (change.kind, member.status) {
      case (.inserted, .active) where isOwn && conversation.founder == user: break
      case (.inserted, .pending) where !isOwn && conversation.isActive(user):
        // It is looked up where all devices have it open.
        if member.store?.chatter(member.userName) == nil {
          throw ChatError.noUser(member.userName)
        }
        if conversation.members.count(where: { $0.userName == member.userName }) > 1 {
          throw ChatError.alreadyMember(member.userName)
        }
      case (.modified, _) where change["userName"] != nil: throw ChatError.notAllowed
      case (.modified, .left) where isOwn || conversation.founder == user: break
      case (.modified, .pending) where !isOwn && conversation.isActive(user): break
      default: throw ChatError.notAllowed
      }
    }
    After(Conversation.self) { change, store in
      if let conversation = change.object { try admit(to: conversation, in: store) }
    }
    After(Member.self) { change, store in
      guard let member = change.object, let conversation = member.owner as? Conversation else {
        return
      }
      try admit(to: conversation, in: store)
      if member.status == .left {
        try store.membership(of: member.userName, in: conversation).isActive = false
      }
    }
  }

  /// Makes added members active.
  private static func admit(to conversation: Conversation, in store: Store) throws {
    for member in conversation.members where member.status == .pending {
      member.status = .active
      try store.membership(of: member.userName, in: conversation).isActive = true
    }
  }

  // MARK: - Messages

  @SyncRulesBuilder private static func messages() -> SyncRules {
    MayWrite(ChatMessage.self) { change, user in
      guard change.kind == .inserted, let message = change.object, message.author == user,
        message.number == 0, message.page == nil
      else { throw ChatError.notAllowed }
      try message.validate()
    }
    MayWrite(Photo.self) { change, user in
      try change.object?.validate()
      switch change.object?.owner {
      case let message as ChatMessage:
        if change.kind != .inserted || message.author != user { throw ChatError.notAllowed }
      case is UserPreferences, nil: break
      default: throw ChatError.notAllowed
      }
    }
    After(ChatMessage.self) { change, store in
      guard change.kind == .inserted, let message = change.object else { return }
      guard
        let conversation = store.object(Conversation.self, primaryKey: message.conversation),
        conversation.isActive(message.author)
      else { throw ChatError.notMember(message.author) }
      conversation.head += 1
      message.number = conversation.head
      try moveMessages(of: conversation, in: store)
    }
  }

  /// Moves the first ones of the last messages to a page, if there are too many.
  private static func moveMessages(of conversation: Conversation, in store: Store) throws {
    let (first, count) = (conversation.movedCount + 1, Conversation.moveSize)
    if conversation.head < conversation.movedCount + Conversation.pageSize + count { return }
    let page = conversation.movedCount / Conversation.pageSize
    let moving = store.messages(of: conversation.id).filter {
      first..<first + count ~= $0.number
    }
    // After a failure, the page may have them, and the conversation too.
    let known = Set(moving.filter { $0.page != nil }.map(\.number))
    for message in moving where message.page == nil {
      if !known.contains(message.number) { try store.add(message.copy(to: page)) }
      try store.delete(message)
    }
    conversation.movedCount += count
  }
}

extension Store {
  fileprivate func chatter(_ name: String) -> Chatter? { object(Chatter.self, primaryKey: name) }

  fileprivate func messages(of conversation: UUID) -> Results<ChatMessage> {
    results(ChatMessage.self).where(\.conversation, equals: conversation)
  }

  /// Returns the membership of a user, which is made if it isn't there.
  ///
  /// The server opens the partition of the user for a new object, and then decides again.
  fileprivate func membership(of user: String, in conversation: Conversation) throws -> Membership {
    let id = Membership.id(of: user, in: conversation.id)
    if let known = object(Membership.self, primaryKey: id) { return known }
    let new = Membership(of: user, in: conversation.id)
    new.conversation = conversation
    try add(new)
    return new
  }
}
