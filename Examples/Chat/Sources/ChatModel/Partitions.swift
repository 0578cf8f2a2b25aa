package import Foundation
package import SignalsSync

/// The names of the partitions, and the shared classes.
package enum Partitions {
  /// The public sides of all users.
  package static let allUsers = "all-users=all"

  /// The partition of a user.
  package static func user(_ name: String) -> String { "user=\(name)" }

  /// The partition of a conversation.
  package static func conversation(_ id: UUID) -> String { "conversation=\(id)" }

  /// The partition of a page of messages.
  package static func page(_ number: Int, of conversation: UUID) -> String {
    "page=\(conversation)/\(number)"
  }

  /// The shared classes; parts are with their owners.
  package static var classes: [SharedClass] {
    [
      SharedClass(User.self) { user($0.name) },
      SharedClass(Membership.self) { user($0.user) },
      SharedClass(Chatter.self) { _ in allUsers },
      SharedClass(Conversation.self) { conversation($0.id) },
      SharedClass(ChatMessage.self) { message in
        message.page.map { page($0, of: message.conversation) }
          ?? conversation(message.conversation)
      },
    ]
  }
}
