import ChatApp
import ChatModel
import Foundation
import Signals
import SignalsSync
import Testing

/// What the business logic refuses, before anything is sent.
@MainActor @Suite struct `The chat's business logic` {
  private let store = Store()

  private func conversation() throws -> Conversation {
    try Conversation.begin("Tea", by: "rod", with: ["jane"], in: store)
  }

  @Test func `a conversation has a name, and somebody else, once`() throws {
    #expect(throws: ChatError.noName) {
      try Conversation.begin(" \n", by: "rod", with: ["jane"], in: store)
    }
    #expect(throws: ChatError.nameTooLong) {
      try Conversation.begin(
        String(repeating: "x", count: 201), by: "rod", with: ["jane"], in: store)
    }
    #expect(throws: ChatError.noMembers) {
      try Conversation.begin("Tea", by: "rod", with: [], in: store)
    }
    #expect(throws: ChatError.alreadyMember("jane")) {
      try Conversation.begin("Tea", by: "rod", with: ["jane", "jane"], in: store)
    }
    #expect(throws: ChatError.alreadyMember("rod")) {
      try Conversation.begin("Tea", by: "rod", with: ["rod"], in: store)
    }
    #expect(store.results(Conversation.self).isEmpty && store.results(Membership.self).isEmpty)
    #expect("\(ChatError.alreadyMember("Jane"))" == "Jane is already part of this chat")
    #expect(try conversation().memberNames == ["rod", "jane"])
  }

  @Test func `a member is added and removed once, and others only by the founder`() throws {
    let tea = try conversation()
    #expect(throws: ChatError.alreadyMember("jane")) { try tea.add("jane") }
    #expect(throws: ChatError.notAllowed) { try tea.remove("rod", by: "jane") }
    try tea.remove("jane", by: "rod")
    #expect(throws: ChatError.notMember("jane")) { try tea.remove("jane", by: "rod") }
    #expect(throws: ChatError.notMember("eve")) { try tea.remove("eve", by: "rod") }
    try tea.add("jane")
    #expect(tea.member("jane")?.status == .pending)
    #expect(tea.members.count == 2)
  }

  @Test func `a message has a text, a photo or a place, of some size`() throws {
    let tea = try conversation()
    func send(_ text: String, photo: Photo? = nil, place: Place? = nil) throws {
      try tea.send(
        text, photo: photo, place: place, by: "rod", at: Date(timeIntervalSince1970: 0))
    }
    #expect(throws: ChatError.emptyMessage) { try send(" \n ") }
    #expect(throws: ChatError.textTooLong) { try send(String(repeating: "é", count: 5_001)) }
    #expect(throws: ChatError.noPlace) { try send("", place: Place(longitude: .nan, latitude: 0)) }
    #expect(throws: ChatError.noPlace) { try send("", place: Place(longitude: 0, latitude: 91)) }
    let photo = Photo()
    photo.bytes = Array(repeating: 0, count: Photo.sizeLimit + 1)
    #expect(throws: ChatError.photoTooLarge) { try send("", photo: photo) }
    #expect(store.results(ChatMessage.self).isEmpty)
    try send("", place: Place(longitude: -0.127, latitude: 51.507))
    try send(" hello ")
    #expect(store.results(ChatMessage.self).map(\.text) == ["", "hello"])
    #expect(store.results(ChatMessage.self).first?.place?.description == "51.51° N 0.13° W")
  }

  @Test func `somebody who isn't a member, or not yet, sends nothing`() throws {
    let tea = try conversation()
    let date = Date(timeIntervalSince1970: 0)
    #expect(throws: ChatError.notMember("jane")) { try tea.send("hi", by: "jane", at: date) }
    #expect(throws: ChatError.notMember("eve")) { try tea.send("hi", by: "eve", at: date) }
  }

  @Test func `names are found without case and diacritics`() {
    let chatter = Chatter("rene")
    chatter.displayName = "René Müller"
    #expect(["", "rene", "MULL", "é"].allSatisfy(chatter.matches))
    #expect(!chatter.matches("jane"))
  }
}

/// What the server refuses, whatever the app of a device does.
@MainActor @Suite struct `The chat's rules, against hostile devices` {
  /// Makes a change on a device, and expects that the server refuses it.
  private func expectRefused(
    _ session: ChatSession, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: () throws -> Void
  ) async throws {
    var reasons: [String] = []
    let token = session.replica.refusals.sink { reasons.append($0.reason) }
    try session.store.write(change)
    try await session.settle()
    #expect(reasons == [reason], sourceLocation: sourceLocation)
    withExtendedLifetime(token) {}
  }

  private func message(in id: UUID, by author: String, _ text: String) -> ChatMessage {
    let message = ChatMessage()
    (message.conversation, message.author, message.text) = (id, author, text)
    return message
  }

  @Test func `a message is written by its author, once, and numbered by the server`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    let notAllowed = "\(ChatError.notAllowed)"
    try await expectRefused(jane, notAllowed) {
      try jane.store.add(message(in: id, by: "rod", "I said this"))
    }
    try await expectRefused(jane, notAllowed) {
      let first = message(in: id, by: "jane", "first!")
      first.number = 1
      try jane.store.add(first)
    }
    try await expectRefused(jane, "\(ChatError.emptyMessage)") {
      try jane.store.add(message(in: id, by: "jane", " "))
    }
    let sent = try rod.send("hello", in: id)
    try await eventually { jane.texts(id) == ["hello"] }
    let copy = try #require(jane.messages(id).first)
    try await expectRefused(jane, notAllowed) { copy.text = "goodbye" }
    try await expectRefused(jane, notAllowed) { try jane.store.delete(copy) }
    try await expectRefused(rod, notAllowed) { sent.text = "goodbye" }
    #expect(jane.texts(id) == ["hello"] && rod.texts(id) == ["hello"])
    #expect(jane.conversation(id)?.head == 1)
  }

  @Test func `a message without a conversation is refused`() async throws {
    let people = People()
    let (rod, _, _) = try await people.three()
    let id = UUID()
    rod.replica.join(Partitions.conversation(id))
    try await expectRefused(rod, "\(ChatError.notMember("rod"))") {
      try rod.store.add(message(in: id, by: "rod", "anybody here?"))
    }
  }

  @Test func `members don't change others, the founder or the count of messages`() async throws {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane, freddy)
    let notAllowed = "\(ChatError.notAllowed)"
    let tea = try #require(jane.conversation(id))
    let member = try #require(tea.member("freddy"))
    try await expectRefused(jane, notAllowed) { member.status = .left }
    try await expectRefused(jane, notAllowed) { member.userName = "eve" }
    try await expectRefused(jane, notAllowed) { tea.members.remove(member) }
    try await expectRefused(jane, notAllowed) { tea.founder = "jane" }
    try await expectRefused(jane, notAllowed) { tea.head = 1_000 }
    try await expectRefused(jane, "\(ChatError.noName)") { tea.name = " " }
    try await expectRefused(jane, notAllowed) { try jane.store.delete(tea) }
    #expect(jane.conversation(id)?.memberNames == ["rod", "jane", "freddy"])
    try rod.conversation(id)?.remove("jane", by: "rod")
    try await eventually { jane.conversation(id).flatMap(jane.membership)?.isActive == false }
    #expect(rod.conversation(id)?.memberNames == ["rod", "freddy"])
  }

  @Test func `only users become members, and not too many`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    let tea = try #require(rod.conversation(id))
    try await expectRefused(rod, "\(ChatError.noUser("nobody"))") { try tea.add("nobody") }
    let names = (0..<Conversation.memberLimit).map { "user\($0)" }
    #expect(throws: ChatError.tooManyMembers) {
      try Conversation.begin("All", by: "rod", with: names, in: rod.store)
    }
    #expect(people.server.store.results(Conversation.self).count == 1)
    #expect(people.server.store.results(Membership.self).count == 2)
  }

  @Test func `texts that others get have limits in bytes`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    let long = "e" + String(repeating: "\u{301}", count: 1_000)
    try await expectRefused(rod, "\(ChatError.nameTooLong)") { rod.conversation(id)?.name = long }
    try await expectRefused(rod, "\(ChatError.notAllowed)") {
      rod.conversation(id)?.name = "Tea" + String(repeating: " ", count: 10_000)
    }
    let preferences = UserPreferences()
    preferences.displayName = long
    try await expectRefused(rod, "\(ChatError.nameTooLong)") {
      rod.me?.preferences = preferences
    }
    let photo = Photo()
    photo.title = long
    try await expectRefused(rod, "\(ChatError.nameTooLong)") {
      let preferences = UserPreferences()
      preferences.avatar = photo
      rod.me?.preferences = preferences
    }
    for seconds in [-1, 1e300, .nan] {
      try await expectRefused(rod, "\(ChatError.noDate)") {
        let message = message(in: id, by: "rod", "hello")
        message.sentAt = Date(timeIntervalSince1970: seconds)
        try rod.store.add(message)
      }
    }
    #expect(jane.title(of: "rod") == "rod" && jane.texts(id).isEmpty)
  }

  @Test func `nobody writes the records of another user, or the public ones`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let notAllowed = "\(ChatError.notAllowed)"
    let chatter = try #require(jane.chatter("rod"))
    try await expectRefused(jane, notAllowed) { chatter.displayName = "Fool" }
    try await expectRefused(jane, notAllowed) { try jane.store.delete(chatter) }
    try await expectRefused(jane, notAllowed) { try jane.store.add(Chatter("eve")) }
    #expect(jane.chatter("rod") === chatter)
    let photo = Photo()
    photo.bytes = [1]
    try await expectRefused(jane, notAllowed) { chatter.avatar = photo }
    // The partition of another user is closed, and what is written to it with it.
    jane.replica.join(Partitions.user("rod"))
    try await expectRefused(jane, notAllowed) { try jane.store.add(User("rod")) }
    #expect(jane.replica.state(of: Partitions.user("rod")) == .refused(notAllowed))
    #expect(rod.title(of: "rod") == "rod" && people.server.store.results(User.self).count == 3)
  }

  @Test func `nobody reads a conversation without being a member, or begins one for another user`()
    async throws
  {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    freddy.replica.join(Partitions.conversation(id))
    try await eventually {
      freddy.replica.state(of: Partitions.conversation(id))
        == .refused("\(ChatError.notMember("freddy"))")
    }
    #expect(freddy.conversation(id) == nil)
    let forged = Membership(of: "freddy", in: id)
    try freddy.store.add(forged)
    try await freddy.settle()
    #expect(freddy.conversation(id) == nil)
    let other = UUID()
    freddy.replica.join(Partitions.conversation(other))
    try await expectRefused(freddy, "\(ChatError.notMember("freddy"))") {
      let conversation = Conversation()
      (conversation.id, conversation.name, conversation.founder) = (other, "Spam", "rod")
      try freddy.store.add(conversation)
    }
    #expect(rod.store.results(Conversation.self).count == 1)
  }

  @Test func `what a user has read is written by the user only`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    let own = try #require(rod.conversation(id).flatMap(rod.membership))
    try await expectRefused(rod, "\(ChatError.notAllowed)") { own.isActive = false }
    try await expectRefused(rod, "\(ChatError.notAllowed)") { try rod.store.delete(own) }
    try await expectRefused(rod, "\(ChatError.notAllowed)") { own.lastRead = .min }
    #expect(own.isActive && own.unread == 0)
    #expect(jane.store.object(Membership.self, primaryKey: own.id) == nil)
  }
}
