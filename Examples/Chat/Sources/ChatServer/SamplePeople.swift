// The people of a new file: three users with three conversations, of whom two answer by themselves.

import ChatApp
import ChatModel
package import Foundation
import Signals
import SignalsSync

/// The sample people.
package enum SamplePeople {
  /// The names of the users: the one who is signed in at first, and the two that answer.
  package static let names = ["rod", "jane", "freddy"]
  /// The names of those who answer by themselves.
  package static var answering: [String] { Array(names.dropFirst()) }
  /// Their password.
  package static let password = "sample people"

  private static let titles = [
    "rod": "Rod Burton", "jane": "Jane Tucker", "freddy": "Freddy Marks",
  ]

  /// The messages of each conversation, in the order of sending.
  private static let conversations:
    [(name: String, members: [String], messages: [(String, String)])] =
      [
        (
          "Sample chat", ["rod", "jane", "freddy"],
          [
            ("jane", "Has anyone seen the glove puppet?"), ("rod", "Not since the rehearsal."),
            ("freddy", "It is in my bag."), ("jane", "Then please bring it tomorrow."),
          ]
        ),
        (
          "Fishy chat", ["rod", "freddy"],
          [("freddy", "Fish for supper?"), ("rod", "Again?"), ("rod", "All right.")]
        ),
        ("Third chat", ["rod", "jane"], [("rod", "Lunch?"), ("jane", "At one.")]),
      ]

  /// How many messages of each conversation the first user has read.
  private static let read = ["Sample chat": 2, "Fishy chat": 3, "Third chat": 1]

  /// Fills a hub that has no accounts.
  package static func fill(_ hub: ChatHub, now: Date, isolation: isolated (any Actor)? = #isolation)
    async throws
  {
    var sessions: [String: ChatSession] = [:]
    for name in names {
      try await hub.register(Credentials(name: name, password: password))
      let session = ChatSession(name, Replica(sharing: Partitions.classes), now: { now })
      session.replica.connect(hub.server.connection(for: name))
      sessions[name] = session
      try await wait { session.me != nil }
      let preferences = UserPreferences()
      preferences.displayName = titles[name] ?? ""
      preferences.isHidden = name == "freddy"
      session.me?.preferences = preferences
    }
    defer { for session in sessions.values { session.replica.disconnect() } }
    var minutes = -60.0
    for (name, members, messages) in conversations {
      guard let founder = sessions[members[0]] else { continue }
      let conversation = try Conversation.begin(
        name, by: members[0], with: Array(members.dropFirst()), in: founder.store)
      let id = conversation.id
      for (number, (author, text)) in messages.enumerated() {
        guard let session = sessions[author] else { continue }
        // Each author has the messages before.
        try await wait { session.conversation(id)?.head == number }
        minutes += 5
        try session.conversation(id)?.send(
          text, by: author, at: now.addingTimeInterval(60 * minutes))
      }
      for (name, session) in sessions where members.contains(name) {
        try await wait { session.conversation(id)?.head == messages.count }
        session.conversation(id).flatMap(session.membership)?.lastRead =
          name == members[0] ? read[conversation.name] ?? 0 : messages.count
      }
    }
    for session in sessions.values { try await wait { session.replica.pendingCount == 0 } }
    try hub.accounts.noteSamples()
  }
}
