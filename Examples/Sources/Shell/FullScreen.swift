package import Signals
import SignalsTerminal

/// What an example shows on a full screen: its own screens, which scroll where there is no room for them, and at the foot
/// a line that says what there is to know and which keys there are.
///
/// `?` shows what all keys do, `q` quits. What else a key does, whoever shows this binds with `onKey`.
package struct FullScreen: View {
  /// A key, and what it does, in a word or two.
  package struct Key {
    let name: String
    let does: String

    /// Says what a key does.
    package init(_ name: String, _ does: String) { (self.name, self.does) = (name, does) }
  }

  private let status: String
  private let keys: [Key]
  private let content: () -> Element
  @State private var showsHelp = false
  @Environment(\.terminalQuit) private var quit

  /// Shows content above a line of status and keys.
  package init(
    status: String = "", keys: [Key], @ElementBuilder content: @escaping () -> Element
  ) {
    self.status = status
    self.keys = keys + [Key("?", "help"), Key("q", "quit")]
    self.content = content
  }

  /// What the view shows.
  package var body: Element {
    Column {
      content()
      if showsHelp { help }
      Text(([status] + keys.map(\.hint)).filter { !$0.isEmpty }.joined(separator: "  "))
        .style(.status)
    }
    .onKey("?") { showsHelp.toggle() }
    .onKey("q") { quit() }
  }

  @ElementBuilder private var help: Element {
    Divider()
    Text("Keys").style(.title)
    for key in keys + FullScreen.moves {
      Row {
        Text(key.name).style(.emphasized).frame(minWidth: 9, maxWidth: 9)
        Text(key.does)
      }
    }
  }

  /// What holds for every app on a terminal.
  private static let moves = [
    Key("arrows", "move, also in lists"), Key("tab", "to the next control"),
    Key("return", "uses what has the focus"),
  ]
}

extension FullScreen.Key {
  fileprivate var hint: String { "\(name) \(does)" }
}
