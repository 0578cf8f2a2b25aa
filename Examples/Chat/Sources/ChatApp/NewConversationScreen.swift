import ChatModel
import Signals

/// Chooses the name and the people of a new conversation.
struct NewConversationScreen: View {
  let session: ChatSession
  @Navigation private var address
  @ObservedResults(Chatter.self, sortedBy: \.title) private var chatters
  @Restored("new.name") private var name = ""
  @Restored("new.members") private var members: [String] = []
  @State private var query = ""
  @State private var error = ""

  var body: Element {
    let session = session
    let chosen = members
    let user = session.user
    Column {
      Text("New conversation").style(.title)
      TextField("Name", text: $name, id: "name")
      if !chosen.isEmpty {
        Section("Members") {
          ForEach(chosen, id: \.self) { member in
            Row {
              Text(session.title(of: member))
              Button("Remove", id: "remove-\(member)") { members.removeAll { $0 == member } }
            }
          }
        }
      }
      Section("People") {
        TextField("Search", text: $query, id: "search")
        ListBox {
          ForEach(
            $chatters.where(on: Choice(query: query, user: user)) { chatter in
              chatter.name != user && chatter.matches(query)
            }
          ) { chatter in
            Button(chatter.title, id: "add-\(chatter.name)") {
              error = ""
              if members.contains(chatter.name) { throw ChatError.alreadyMember(chatter.title) }
              members.append(chatter.name)
            }
          }
        }
      }
      if !error.isEmpty { Text(error).style(.negative) }
      Row {
        Button("Save", id: "save") {
          error = ""
          let conversation = try Conversation.begin(
            name, by: user, with: members, in: session.store)
          (name, members) = ("", [])
          $address.goBack()
          address = "/conversations/\(conversation.id)"
        }
        .disabled(chosen.isEmpty || (try? Conversation.validName(name)) == nil)
        Button("Cancel", id: "cancel") {
          (name, members) = ("", [])
          $address.goBack()
        }
      }
    }
    .onError { error = "\($0)" }
  }

  private struct Choice: Hashable {
    let query: String
    let user: String
  }
}
