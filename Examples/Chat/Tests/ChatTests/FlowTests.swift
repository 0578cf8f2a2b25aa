import ChatApp
import ChatModel
import Foundation
import Signals
import SignalsSync
import Testing

@MainActor @Suite struct `The chat's flows, with three people` {
  @Test func `a new user is mirrored for all others, without what is private`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    #expect(jane.title(of: "rod") == "rod")
    #expect(rod.me?.isProfileSet == false)
    #expect(jane.store.object(User.self, primaryKey: "rod") == nil)
  }

  @Test func `a saved profile replaces the preferences, and reaches all others`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let photo = Photo()
    (photo.title, photo.bytes) = ("me.png", [1, 2, 3])
    let preferences = UserPreferences()
    (preferences.displayName, preferences.avatar) = ("Rod Burton", photo)
    rod.me?.preferences = preferences
    try await eventually { jane.title(of: "rod") == "Rod Burton" }
    #expect(jane.chatter("rod")?.avatar?.bytes == [1, 2, 3])
    #expect(rod.me?.isProfileSet == true)
    preferences.displayName = "Rod"
    try await eventually { jane.title(of: "rod") == "Rod" }
    rod.me?.preferences = UserPreferences()
    try await eventually { jane.chatter("rod")?.avatar == nil && jane.title(of: "rod") == "rod" }
  }

  @Test func `who is connected is seen, unless it is hidden`() async throws {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    try await eventually { jane.onlineNames == ["rod", "jane", "freddy"] }
    rod.replica.disconnect()
    try await eventually { jane.onlineNames == ["jane", "freddy"] }
    let preferences = UserPreferences()
    preferences.isHidden = true
    freddy.me?.preferences = preferences
    try await eventually { jane.onlineNames == ["jane"] }
  }

  @Test func `added people become members, whose devices join`() async throws {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    let id = try await people.begin("Sample chat", by: rod, with: jane)
    #expect(jane.conversation(id)?.memberNames == ["rod", "jane"])
    #expect(freddy.conversation(id) == nil)
    try jane.conversation(id)?.add("freddy")
    try await eventually { freddy.conversation(id)?.isActive("freddy") == true }
    #expect(rod.conversation(id)?.memberNames == ["rod", "jane", "freddy"])
  }

  @Test func `messages are counted and numbered by the server, in one order everywhere`()
    async throws
  {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    let id = try await people.begin("Sample chat", by: rod, with: jane, freddy)
    for number in 1...20 {
      for session in [rod, jane, freddy] { try session.send("\(session.user) \(number)", in: id) }
    }
    try await eventually { [rod, jane, freddy].allSatisfy { $0.conversation(id)?.head == 60 } }
    #expect(rod.messages(id).map(\.number) == Array(1...60))
    #expect(jane.texts(id) == rod.texts(id) && freddy.texts(id) == rod.texts(id))
    let own = rod.texts(id).filter { $0.hasPrefix("rod") }
    #expect(own == (1...20).map { "rod \($0)" })
  }

  @Test func `1,000 messages of one device, and 300 of each of three, are there once everywhere`()
    async throws
  {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    let all = [rod, jane, freddy]
    let id = try await people.begin("Sample chat", by: rod, with: jane, freddy)
    for number in 0..<1_000 {
      try rod.send("rod \(number)", in: id)
      if number % 10 == 0 { await Task.yield() }
    }
    for number in 1_000..<1_300 {
      for session in all { try session.send("\(session.user) \(number)", in: id) }
      await Task.yield()
    }
    try await eventually("all have 1,900") {
      all.allSatisfy {
        $0.conversation(id)?.head == 1_900 && $0.replica.pendingCount == 0
      }
    }
    for session in all { try await people.joinPages(of: id, in: session) }
    let texts = rod.texts(id)
    #expect(texts.count == 1_900 && Set(texts).count == 1_900)
    #expect(jane.texts(id) == texts && freddy.texts(id) == texts)
    for session in all {
      let own = texts.filter { $0.hasPrefix(session.user) }
      let numbers = (session === rod ? 0 : 1_000)..<1_300
      #expect(own == numbers.map { "\(session.user) \($0)" })
    }
  }

  @Test func `unread messages are those after the last read one, on all devices of a user`()
    async throws
  {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let other = people.device("jane")
    let id = try await people.begin("Sample chat", by: rod, with: jane)
    try rod.send("one", in: id)
    try rod.send("two", in: id)
    try await eventually { jane.unread(id) == 2 && other.unread(id) == 2 }
    jane.conversation(id).flatMap(jane.membership)?.markRead()
    #expect(jane.unread(id) == 0)
    try await eventually { other.unread(id) == 0 }
    #expect(rod.unread(id) == 2)
    try rod.send("three", in: id)
    try await eventually { jane.unread(id) == 1 }
  }

  @Test func `a device that has read less doesn't take back what another one has read`()
    async throws
  {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let other = people.device("jane")
    let id = try await people.begin("Sample chat", by: rod, with: jane)
    try rod.send("one", in: id)
    try await eventually { jane.unread(id) == 1 && other.unread(id) == 1 }
    other.replica.disconnect()
    other.conversation(id).flatMap(other.membership)?.markRead()
    try rod.send("two", in: id)
    try await eventually { jane.unread(id) == 2 }
    jane.conversation(id).flatMap(jane.membership)?.markRead()
    try await jane.settle()
    people.connect(other)
    try await other.settle()
    #expect(jane.unread(id) == 0)
    try await eventually { other.unread(id) == 0 }
  }

  @Test func `typing is seen by the others, and not by the user`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Sample chat", by: rod, with: jane)
    let (here, there) = (try #require(rod.conversation(id)), try #require(jane.conversation(id)))
    jane.setTyping(true, in: there)
    try await eventually { rod.typingNames(in: here) == ["jane"] }
    #expect(jane.typingNames(in: there).isEmpty)
    jane.setTyping(false, in: there)
    try await eventually { rod.typingNames(in: here).isEmpty }
  }

  @Test func `messages without a connection are sent later, after those of others`() async throws {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Sample chat", by: rod, with: jane)
    rod.replica.disconnect()
    let message = try rod.send("from the train", in: id)
    #expect(message.hasPendingChanges)
    #expect(rod.texts(id) == ["from the train"])
    try jane.send("meanwhile", in: id)
    try await jane.settle()
    people.connect(rod)
    try await eventually { jane.texts(id) == ["meanwhile", "from the train"] }
    try await rod.settle()
    #expect(rod.texts(id) == ["meanwhile", "from the train"])
    #expect(!message.hasPendingChanges && message.number == 2)
  }

  @Test func `a conversation begun without a connection is there at once, and for others later`()
    async throws
  {
    let people = People()
    let (rod, jane, _) = try await people.three()
    rod.replica.disconnect()
    let conversation = try Conversation.begin("Later", by: "rod", with: ["jane"], in: rod.store)
    try rod.send("hello", in: conversation.id)
    #expect(conversation.hasPendingChanges)
    people.connect(rod)
    try await eventually { jane.texts(conversation.id) == ["hello"] }
    try await rod.settle()
    #expect(rod.news == "" && rod.refused.isEmpty)
    #expect(conversation.head == 1 && jane.unread(conversation.id) == 1)
  }

  @Test func `a member who was removed receives nothing more, and can't send`() async throws {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    let id = try await people.begin("Sample chat", by: rod, with: jane, freddy)
    try rod.send("for all", in: id)
    try await eventually { freddy.texts(id) == ["for all"] }
    freddy.replica.disconnect()
    try freddy.send("I'm still here", in: id)
    try rod.conversation(id)?.remove("freddy", by: "rod")
    try rod.send("without freddy", in: id)
    try await rod.settle()
    people.connect(freddy)
    try await eventually("freddy knows") {
      freddy.conversation(id).flatMap(freddy.membership)?.isActive == false
    }
    try await eventually("the message is refused") {
      freddy.refused.map(\.text) == ["I'm still here"]
    }
    #expect(freddy.texts(id) == ["for all"])
    #expect(freddy.replica.pendingCount == 0)
    #expect(rod.texts(id) == ["for all", "without freddy"])
    try rod.conversation(id)?.add("freddy")
    try await eventually { freddy.texts(id) == ["for all", "without freddy"] }
  }

  @Test func `a conversation renamed in two places has the later name, and the other side is told`()
    async throws
  {
    let people = People()
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Sample chat", by: rod, with: jane)
    rod.replica.disconnect()
    try rod.conversation(id)?.rename(to: "Rod's")
    try await Task.sleep(for: .milliseconds(5))
    try jane.conversation(id)?.rename(to: "Jane's")
    try await jane.settle()
    people.connect(rod)
    try await rod.settle()
    #expect(rod.conversation(id)?.name == "Jane's" && jane.conversation(id)?.name == "Jane's")
    #expect(rod.news == "another change of name is later")
  }

  @Test func `a user who is deleted has left all conversations, and is gone for others`()
    async throws
  {
    let people = People()
    let (rod, jane, freddy) = try await people.three()
    let id = try await people.begin("Sample chat", by: rod, with: jane, freddy)
    try jane.send("goodbye", in: id)
    try await jane.settle()
    try jane.deleteUser()
    try await eventually { rod.chatter("jane") == nil && freddy.chatter("jane") == nil }
    try await eventually { rod.conversation(id)?.memberNames == ["rod", "freddy"] }
    #expect(rod.texts(id) == ["goodbye"])
  }
}
