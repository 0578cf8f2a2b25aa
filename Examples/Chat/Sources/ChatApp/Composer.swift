import ChatModel
import Foundation
import Signals

/// The next message, which is kept on the device until it is sent.
struct Composer: View {
  let session: ChatSession
  let device: ChatDevice
  let conversation: Conversation
  @Restored private var draft: Draft
  @State private var path = ""
  @State private var showsPhoto = false

  /// A message that isn't sent yet.
  struct Draft: Hashable, Codable, Sendable {
    var text = ""
    var photo: Attachment?
    var place: Place?
  }

  struct Attachment: Hashable, Codable, Sendable {
    var title: String
    var bytes: [UInt8]
  }

  init(session: ChatSession, device: ChatDevice, conversation: Conversation) {
    (self.session, self.device, self.conversation) = (session, device, conversation)
    _draft = Restored(wrappedValue: Draft(), "draft.\(conversation.id)")
  }

  var body: Element {
    let (session, device, conversation) = (session, device, conversation)
    let draft = draft
    if let photo = draft.photo {
      Row {
        Text("Photo: \(photo.title)")
        Button("Remove photo", id: "remove-photo") { self.draft.photo = nil }
      }
    }
    if let place = draft.place {
      Row {
        Text("Place: \(place)")
        Button("Remove place", id: "remove-place") { self.draft.place = nil }
      }
    }
    TextField("Message", text: $draft.text, id: "message") { try send() }
      .onChange(of: draft.text.isEmpty) {
        session.setTyping(!self.draft.text.isEmpty, in: conversation)
      }
    Row {
      Button("Send", id: "send") { try send() }.disabled(draft == Draft())
      if let place = device.place, draft.place == nil {
        Button("Attach place", id: "place") { self.draft.place = place }
      }
      if let read = device.readPhoto, draft.photo == nil {
        TextField("Photo file", text: $path, id: "photo")
        Button("Attach photo", id: "attach") {
          let photo = try read(path)
          self.draft.photo = Attachment(title: photo.title, bytes: photo.bytes)
          path = ""
        }
      }
    }
  }

  private func send() throws {
    if !session.isMember(of: conversation) { throw ChatError.notMember(session.user) }
    let photo = draft.photo.map { attachment in
      let photo = Photo()
      (photo.title, photo.bytes, photo.date) = (attachment.title, attachment.bytes, session.now())
      return photo
    }
    try conversation.send(
      draft.text, photo: photo, place: draft.place, by: session.user, at: session.now())
    draft = Draft()
  }
}

/// Messages that the server has refused.
struct RefusedMessages: View {
  let session: ChatSession
  let conversation: Conversation

  var body: Element {
    let session = session
    for message in session.refused.filter({ $0.conversation == conversation.id }) {
      Row {
        Text("Not sent: \(message.text) (\(message.reason))").style(.negative)
        Button("OK", id: "dismiss-\(message.id)") { session.refused.removeAll { $0 == message } }
      }
    }
  }
}

/// The members, the name, and the way out.
struct MembersSection: View {
  let session: ChatSession
  @ObservedObject var conversation: Conversation
  @ObservedResults(Chatter.self, sortedBy: \.title) private var chatters
  @Navigation private var address
  @State private var name: String?
  @State private var query = ""

  var body: Element {
    let (session, conversation) = (session, conversation)
    let user = session.user
    let online = session.onlineNames
    let members = conversation.memberNames
    Row {
      TextField(
        "Name", text: Binding(get: { name ?? conversation.name }, set: { name = $0 }), id: "name")
      Button("Rename", id: "rename") {
        try conversation.rename(to: name ?? conversation.name)
        name = nil
      }
    }
    ForEach(members, id: \.self) { member in
      Row {
        Text((online.contains(member) ? "● " : "○ ") + session.title(of: member))
        if member != user, user == conversation.founder {
          Button("Remove", id: "remove-\(member)") { try conversation.remove(member, by: user) }
        }
      }
    }
    TextField("Add people", text: $query, id: "search")
    if !query.isEmpty {
      ForEach($chatters.where(on: query) { $0.matches(query) }) { chatter in
        Button("Add \(chatter.title)", id: "add-\(chatter.name)") {
          do { try conversation.add(chatter.name) } catch ChatError.alreadyMember {
            throw ChatError.alreadyMember(chatter.title)
          }
          query = ""
        }
      }
    }
    Button("Leave conversation", id: "leave") {
      try conversation.remove(user, by: user)
      $address.goBack()
    }
  }
}
