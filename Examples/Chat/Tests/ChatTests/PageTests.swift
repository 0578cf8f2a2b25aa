import ChatApp
import ChatModel
import Foundation
import Signals
import SignalsSync
import Testing

/// Messages that the server moves to pages.
@MainActor @Suite struct `Pages of messages` {
  private let people = People()

  /// Sends messages, and waits until the server has numbered them.
  private func send(_ count: Int, by session: ChatSession, in id: UUID) async throws {
    let end = (session.conversation(id)?.head ?? 0) + count
    for number in 1...count {
      try session.send("\(session.user) \(number)", in: id)
      if number % 10 == 0 { await Task.yield() }
    }
    try await session.settle()
    try await eventually { session.conversation(id)?.head == end }
  }

  @Test func `a device has the last messages only, and joins the pages of others`() async throws {
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    try await send(149, by: rod, in: id)
    #expect(rod.conversation(id)?.movedCount == 0)
    try await send(301, by: rod, in: id)
    let conversation = try #require(rod.conversation(id))
    #expect(conversation.movedCount == 350 && conversation.pageCount == 4)
    #expect(rod.messages(id).map(\.number) == Array(351...450))
    try await eventually { jane.messages(id).map(\.number) == Array(351...450) }
    #expect(conversation.pages(ofLast: 100) == 4..<4)
    #expect(conversation.pages(ofLast: 101) == 3..<4)
    #expect(conversation.pages(ofLast: 151) == 2..<4)
    #expect(conversation.pages(ofLast: 10_000) == 0..<4)
    jane.replica.join(Partitions.page(1, of: id))
    try await eventually { jane.messages(id).map(\.number) == Array(101...200) + Array(351...450) }
    try await people.joinPages(of: id, in: rod)
    #expect(rod.messages(id).map(\.number) == Array(1...450))
    #expect(rod.texts(id) == (1...149).map { "rod \($0)" } + (1...301).map { "rod \($0)" })
  }

  @Test func `messages of one commit are numbered, and moved, like others`() async throws {
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    try rod.store.write { for number in 1...350 { try rod.send("rod \(number)", in: id) } }
    try await rod.settle()
    try await eventually { jane.messages(id).count == 100 }
    try await people.joinPages(of: id, in: jane)
    #expect(jane.messages(id).map(\.number) == Array(1...350))
    #expect(Set(jane.texts(id)) == Set((1...350).map { "rod \($0)" }))
  }

  @Test func `a message with a photo and a place is moved with them`() async throws {
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    let photo = Photo()
    (photo.title, photo.bytes) = ("a cat", [1, 2, 3])
    let place = Place(longitude: 1, latitude: 2)
    let date = Date(timeIntervalSince1970: 7)
    try #require(rod.conversation(id)).send("look", photo: photo, place: place, by: "rod", at: date)
    try await rod.settle()
    try await send(199, by: rod, in: id)
    try await people.joinPages(of: id, in: jane)
    let moved = try #require(jane.messages(id).first)
    #expect(moved.number == 1 && moved.text == "look" && moved.author == "rod")
    #expect(moved.photo?.title == "a cat" && moved.photo?.bytes == [1, 2, 3])
    #expect(moved.place == place && moved.sentAt == date)
    #expect(people.server.store.results(Photo.self).count == 1)
  }

  @Test func `a message written before pages were added has the next number`() async throws {
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    jane.replica.disconnect()
    let message = try jane.send("from the train", in: id)
    try await send(250, by: rod, in: id)
    people.connect(jane)
    try await jane.settle()
    #expect(message.number == 251 && !message.isDeleted)
    #expect(jane.texts(id).last == "from the train")
    try await eventually { rod.texts(id).last == "from the train" }
  }

  @Test func `only members read pages, of those that are there, and devices write none`()
    async throws
  {
    let (rod, jane, freddy) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    try await send(200, by: rod, in: id)
    let page = Partitions.page(0, of: id)
    freddy.replica.join(page)
    jane.replica.join(page)
    try await eventually { jane.replica.state(of: page) == .joined }
    #expect(
      freddy.replica.state(of: page) == .refused("\(ChatError.notMember("freddy"))"))
    for name in [
      Partitions.page(2, of: id), Partitions.page(-1, of: id), page + "/1", "page=\(id)", "page=",
    ] {
      rod.replica.join(name)
      try await eventually("\(name)") {
        rod.replica.state(of: name) == .refused("\(ChatError.notAllowed)")
      }
    }
    // Written by another app.
    let forged = try #require(rod.messages(id).first).copy(to: 0)
    forged.number = 0
    rod.replica.join(page)
    try rod.store.add(forged)
    try await eventually { rod.news == "" && rod.refused.count == 1 }
    #expect(rod.refused.first?.reason == "\(ChatError.notAllowed)")
    try #require(rod.conversation(id)).movedCount = 700
    try await eventually { rod.news == "refused: \(ChatError.notAllowed)" }
    try rod.conversation(id)?.remove("jane", by: "rod")
    try await eventually {
      jane.replica.state(of: page) == .refused("\(ChatError.notMember("jane"))")
    }
  }

  @Test func `a device has few messages, however many there were`() async throws {
    let (rod, jane, _) = try await people.three()
    let id = try await people.begin("Tea", by: rod, with: jane)
    for _ in 0..<40 { try await send(50, by: rod, in: id) }
    #expect(rod.conversation(id)?.movedCount == 1_900)
    #expect(rod.store.results(ChatMessage.self).count == 100)
    try await people.joinPages(of: id, in: jane)
    #expect(jane.messages(id).map(\.number) == Array(1...2_000))
  }
}
