import ChatModel
import Foundation
package import Signals
import SignalsSync

/// The whole app on any renderer.
package struct ChatScreen: View {
  @Navigation(restoredAs: "address") private var address
  @Restored("signed in") private var signedIn: SignedIn? = nil
  private let device: ChatDevice

  package init(_ device: ChatDevice) { self.device = device }

  package var body: Element {
    let device = device
    Column { content }
      .onAppear { if let signedIn, device.session == nil { try device.resume(signedIn) } }
      .onChange(of: device.signedIn) { signedIn = device.signedIn }
  }

  @ElementBuilder private var content: Element {
    if let session = device.session {
      Column {
        if !device.status.isEmpty { Text(device.status).style(.warning) }
        switch address.parts.first {
        case "new": NewConversationScreen(session: session)
        case "profile": ProfileScreen(session: session, device: device)
        case "conversations":
          RoomScreen(
            session: session, device: device, id: address.part(after: "conversations") ?? ""
          )
          .id(address)
        default: ConversationsScreen(session: session, device: device)
        }
      }
      .environment(\.store, session.store)
      // Drafts are those of the user, also in a browser that several use.
      .environment(\.restorationStore, session.store)
      .task(id: device.wantsConnection) { await device.stayConnected() }
      .id(session.user)
    } else {
      SignInScreen(device: device)
    }
  }
}

/// The way in.
struct SignInScreen: View {
  let device: ChatDevice
  @Restored("name") private var typedName: String? = nil
  @State private var password = ""
  @State private var error = ""
  @Focus private var focus

  var body: Element {
    let device = device
    Column {
      Text("Chat").style(.title)
      if !device.notice.isEmpty { Text(device.notice).style(.warning) }
      TextField(
        "Name", text: Binding(get: { name }, set: { typedName = $0 }), id: "name")
      SecureField("Password", text: $password, id: "password")
      Row {
        Button("Sign in", id: "sign-in") { try await device.signIn(credentials()) }
        Button("Register", id: "register") { try await device.register(credentials()) }
      }
      if !error.isEmpty { Text(error).style(.negative) }
    }
    .onError { self.error = "\($0)" }
    .onAppear { focus = name.isEmpty ? "name" : "password" }
  }

  private var name: String { typedName ?? device.suggestedName }

  private func credentials() -> Credentials {
    error = ""
    defer { password = "" }
    return Credentials(name: name, password: password)
  }
}

/// The user's conversations, unread ones first.
struct ConversationsScreen: View {
  let session: ChatSession
  let device: ChatDevice
  @ObservedResults(
    Membership.self, sortedBy: .descending(\.unread), .ascending(\.name), where: \.isShown)
  private var memberships
  @State private var asksSignOut = false

  var body: Element {
    let (session, device) = (session, device)
    Column {
      Text(session.title(of: session.user)).style(.title)
      Row {
        Hyperlink("New conversation", opening: "/new", id: "new")
        Hyperlink("Profile", opening: "/profile", id: "profile")
        Button("Sign out", id: "sign-out") { asksSignOut = true }
          .dialog(signOutQuestion, isPresented: $asksSignOut) {
            Row {
              Button("Sign out", id: "confirm") { try await device.signOut() }
              Button("Cancel", id: "cancel") { asksSignOut = false }
            }
          }
      }
      if session.me?.isProfileSet == false {
        Text("Others see this name, until you choose another one in the profile.").style(.secondary)
      }
      if memberships.isEmpty { Text(emptyText).style(.secondary) }
      ListBox {
        ForEach(memberships) { membership in
          if let conversation = membership.conversation {
            ConversationRow(session: session, membership: membership, conversation: conversation)
          }
        }
      }
    }
  }

  /// The text in place of conversations, which may just not have arrived.
  private var emptyText: String {
    let replica = session.replica
    return switch replica.state(of: Partitions.user(session.user)) {
    case .joined, .notJoined: "No conversations yet."
    case .joining where replica.isOnline: "Loading…"
    case .joining: "Your conversations appear when there is a connection."
    case .delayed(let reason), .refused(let reason): "Your conversations can't be shown: \(reason)."
    }
  }

  private var signOutQuestion: String {
    let pending = session.replica.pendingCount
    return pending == 0
      ? "Sign out?" : "Sign out? \(pending) changes aren't sent; they stay on this device."
  }
}

/// A conversation in the list.
struct ConversationRow: View {
  let session: ChatSession
  @ObservedObject var membership: Membership
  @ObservedObject var conversation: Conversation

  var body: Element {
    let unread = membership.unread
    Row {
      Hyperlink(
        conversation.name, opening: "/conversations/\(conversation.id)",
        id: "open-\(conversation.id)"
      )
      .style(unread > 0 ? .emphasized : .secondary)
      if unread > 0 {
        Text(unread == 1 ? "1 new message" : "\(unread) new messages").style(.accent)
      }
      Text(people).style(.secondary)
      if conversation.hasPendingChanges { Text("not sent").style(.secondary) }
    }
  }

  private var people: String {
    let online = session.onlineNames
    return conversation.memberNames.filter { $0 != session.user }
      .map { (online.contains($0) ? "● " : "○ ") + session.title(of: $0) }.joined(separator: "  ")
  }
}
