import ChatModel
import Signals

/// The user's own name and photo, which are changed when they are saved.
struct ProfileScreen: View {
  let session: ChatSession
  let device: ChatDevice
  @Navigation private var address
  @State private var displayName: String?
  @State private var isHidden: Bool?
  @State private var avatar: Photo?
  @State private var path = ""
  @State private var error = ""
  @State private var asksDeletion = false

  var body: Element {
    let (session, device) = (session, device)
    let present = session.me?.preferences
    let photo = avatar ?? present?.avatar
    Column {
      Text("Profile").style(.title)
      TextField(
        "Name",
        text: Binding(
          get: { displayName ?? present?.displayName ?? "" }, set: { displayName = $0 }),
        id: "display-name")
      Toggle(
        "Hide that I'm online",
        isOn: Binding(get: { isHidden ?? present?.isHidden ?? false }, set: { isHidden = $0 }),
        id: "hidden")
      if let photo { Text("Photo: \(photo.title)") }
      if let read = device.readPhoto {
        Row {
          TextField("Photo file", text: $path, id: "photo")
          Button("Use", id: "use-photo") {
            error = ""
            avatar = try read(path)
          }
        }
      }
      if !error.isEmpty { Text(error).style(.negative) }
      Row {
        Button("Save", id: "save") {
          error = ""
          try save(photo)
          $address.goBack()
        }
        Button("Cancel", id: "cancel") { $address.goBack() }
        Button("Delete account", id: "delete") { asksDeletion = true }
          .dialog(
            "Leave all conversations, and delete the account?", isPresented: $asksDeletion
          ) {
            Row {
              Button("Delete", id: "confirm") {
                error = ""
                asksDeletion = false
                try await device.deleteAccount()
              }
              Button("Keep", id: "keep") { asksDeletion = false }
            }
          }
      }
    }
    .onError { error = "\($0)" }
  }

  private func save(_ photo: Photo?) throws {
    guard let me = session.me else { return }
    let new = UserPreferences()
    new.displayName = displayName ?? me.preferences?.displayName ?? ""
    new.isHidden = isHidden ?? me.preferences?.isHidden ?? false
    new.avatar = photo?.copy()
    try new.validate()
    me.preferences = new
  }
}
