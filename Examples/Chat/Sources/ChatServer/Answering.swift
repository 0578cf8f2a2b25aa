// A user without a person, which reads all messages and answers those of people.
//
// Order of events: a message arrives; after a moment others see that the user is typing, and after
// another one they see the answer. All answers of a user are made one after the other.

package import ChatApp
import ChatModel
import Signals
import SignalsSync

/// Answers messages.
package struct Answering {
  private let session: ChatSession
  private let quiet: Set<String>
  private let pause: Duration

  /// Creates it for a user.
  ///
  /// - Parameters:
  ///   - session: The user, on a device that is connected.
  ///   - quiet: The users whose messages aren't answered, such as others that answer by themselves.
  ///   - pause: How long it reads, and types.
  package init(as session: ChatSession, ignoring quiet: [String], pause: Duration = .seconds(1)) {
    (self.session, self.quiet, self.pause) = (session, Set(quiet + [session.user]), pause)
  }

  /// Answers until the task is cancelled.
  package func run(isolation: isolated (any Actor)? = #isolation) async throws {
    while true {
      try await wait { next != nil }
      guard let membership = next, let conversation = membership.conversation else { continue }
      let last = session.lastMessage(of: conversation)
      membership.markRead()
      guard let last, !quiet.contains(last.author) else { continue }
      try await Task.sleep(for: pause)
      session.setTyping(true, in: conversation)
      try await Task.sleep(for: pause)
      session.setTyping(false, in: conversation)
      let answer = answer(to: last)
      // It may have been removed meanwhile.
      if conversation.isActive(session.user) {
        try conversation.send(answer, by: session.user, at: session.now())
      }
    }
  }

  /// A conversation with a new message.
  private var next: Membership? {
    session.store.results(Membership.self).first { $0.isShown && $0.unread > 0 }
  }

  private func answer(to message: ChatMessage) -> String {
    let name = session.title(of: message.author).split(separator: " ").first ?? ""
    if message.photo != nil { return "A nice picture, \(name)." }
    if message.place != nil { return "I'll come there." }
    if message.text.hasSuffix("?") { return "Let me think about it, \(name)." }
    let all = ["I see.", "Really?", "That is what I thought, \(name).", "Tell me more."]
    return all[message.number % all.count]
  }
}
