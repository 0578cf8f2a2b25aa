import ChatApp
import Shell
import Signals
import SignalsTerminal

/// The app on a full screen.
struct ChatTerminal: View {
  let device: ChatDevice
  @Navigation private var address

  var body: Element {
    let device = device
    FullScreen(keys: keys, fields: Self.fields) {
      ScrollBox(id: "\(address)") { ChatScreen(device) }
    }
    .onKey("n") { if device.session != nil { address = "/new" } }
    .onKey("o") { device.wantsConnection.toggle() }
  }

  private var keys: [FullScreen.Key] {
    guard device.session != nil else { return [.init("tab", "next")] }
    let connects = FullScreen.Key("o", device.wantsConnection ? "offline" : "online")
    return [.init("n", "new"), connects, .init("esc", "back")]
  }

  /// The ids of the fields that are typed into.
  private static let fields: Set<String> = [
    "name", "password", "search", "message", "photo", "display-name",
  ]
}
