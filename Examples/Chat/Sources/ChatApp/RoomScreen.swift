import ChatModel
import Foundation
import Signals
import SignalsSync

/// The messages of a conversation, and the field for the next one.
struct RoomScreen: View {
  let session: ChatSession
  let device: ChatDevice
  let id: String
  @Navigation private var address

  var body: Element {
    let (session, device) = (session, device)
    let conversation = UUID(uuidString: id).flatMap {
      session.store.object(Conversation.self, primaryKey: $0)
    }
    if let conversation, session.isMember(of: conversation) {
      Room(session: session, device: device, conversation: conversation)
    } else {
      Text("Conversation").style(.title)
      Text(reason)
      Button("Back", id: "back") { $address.goBack() }
    }
  }

  private var reason: String {
    guard let id = UUID(uuidString: id) else { return "There is no such conversation." }
    switch session.replica.state(of: Partitions.conversation(id)) {
    case .joining(let share): return "Loading, \(Int(share * 100)) %"
    case .refused(let reason), .delayed(let reason): return reason
    case .joined, .notJoined: return "You aren't part of this conversation."
    }
  }
}

/// A conversation that the user is part of.
private struct Room: View {
  let session: ChatSession
  let device: ChatDevice
  @ObservedObject var conversation: Conversation
  @Navigation private var address
  @State private var error = ""
  @State private var showsMembers = false
  @Focus private var focus

  var body: Element {
    let (session, device, conversation) = (session, device, conversation)
    Column {
      Row {
        Text(conversation.name).style(.title)
        Button(showsMembers ? "Messages" : "Members", id: "members") { showsMembers.toggle() }
        Button("Back", id: "back") { $address.goBack() }
      }
      if showsMembers {
        MembersSection(session: session, conversation: conversation)
      } else {
        MessageList(session: session, conversation: conversation)
        let typing = session.typingNames(in: conversation)
        if !typing.isEmpty {
          Text(typing.joined(separator: ", ") + (typing.count == 1 ? " is" : " are") + " typing…")
            .style(.secondary)
        }
        RefusedMessages(session: session, conversation: conversation)
        Composer(session: session, device: device, conversation: conversation)
      }
      if !error.isEmpty { Text(error).style(.negative) }
    }
    .onError { error = "\($0)" }
    .onAppear {
      session.membership(in: conversation)?.markRead()
      // A letter is typed, and isn't a key of the app.
      focus = "message"
    }
    .onChange(of: conversation.head) { error = "" }
    .onDisappear {
      session.setTyping(false, in: conversation)
      session.membership(in: conversation)?.markRead()
    }
  }
}

/// The messages by day, the last ones first on screen; older ones on demand.
private struct MessageList: View {
  let session: ChatSession
  @ObservedObject var conversation: Conversation
  @ObservedResults(ChatMessage.self, sortedBy: .ascending(\.position), .ascending(\.sentAt))
  private var messages
  @State private var count = step

  private static let step = 50

  /// The messages of a conversation from a page on.
  private struct Part: Hashable {
    let conversation: UUID
    let firstPage: Int

    func messages(of all: Results<ChatMessage>) -> Results<ChatMessage> {
      all.where(\.conversation, equals: conversation)
        .where { $0.position > firstPage * Conversation.pageSize }
    }
  }

  var body: Element {
    let session = session
    let (id, pages) = (conversation.id, conversation.pages(ofLast: count))
    let part = Part(conversation: id, firstPage: conversation.page(ofLast: count))
    let all = $messages.results(on: part, part.messages)
    let shown = entries(all.suffix(count))
    ScrollBox(id: "messages") {
      if max(conversation.head, all.count) > count {
        Button("Older messages", id: "older") { count += Self.step }
      }
      ForEach(pages, id: \.self) { OlderMessages(partition: Partitions.page($0, of: id)) }
      if all.isEmpty { Text("No messages yet.").style(.secondary) }
      ForEach(shown) { MessageRow(session: session, message: $0.message, day: $0.day) }
    }
  }

  /// A message, and the day if it is the first one of the day.
  private struct Entry: Identifiable {
    let message: ChatMessage
    let day: String?

    var id: ObjectID { message.objectID }
  }

  private func entries(_ messages: some Sequence<ChatMessage>) -> [Entry] {
    var last = (day: "", number: 0)
    return messages.compactMap { message in
      // While it is moved, it may be here twice.
      if message.number > 0, message.number == last.number { return nil }
      let day = message.sentAt.formatted(date: .long, time: .omitted)
      defer { last = (day, message.number) }
      return Entry(message: message, day: day == last.day ? nil : day)
    }
  }
}

/// A page that is joined as long as its messages are shown.
private struct OlderMessages: View {
  @Joined private var state: PartitionState

  init(partition: String) { _state = Joined(partition) }

  var body: Element {
    if case .refused(let reason) = state {
      Text(reason).style(.negative)
    } else if state != .joined {
      Text("Loading…").style(.secondary)
    }
  }
}

private struct MessageRow: View {
  let session: ChatSession
  @ObservedObject var message: ChatMessage
  let day: String?

  var body: Element {
    let isOwn = message.author == session.user
    if let day { Text(day).style(.secondary) }
    Row {
      if let chatter = session.chatter(message.author), chatter.avatar != nil {
        Image(session.address(ofPhotoOf: chatter), text: "").frame(maxWidth: 4)
      }
      Text(isOwn ? "You" : session.title(of: message.author)).style(isOwn ? .accent : .emphasized)
      if !message.text.isEmpty { Text(message.text) }
      if let photo = message.photo {
        Image(session.address(ofPhotoIn: message), text: "[photo: \(photo.title)]")
          .frame(maxWidth: 40)
      }
      if let place = message.place { Text("at \(place)").style(.secondary) }
      Text(message.sentAt.formatted(date: .omitted, time: .shortened)).style(.secondary)
      if message.hasPendingChanges { Text("not sent").style(.warning) }
    }
  }
}
