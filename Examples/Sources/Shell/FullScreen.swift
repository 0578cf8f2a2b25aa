public import Signals
import SignalsTerminal

/// What an example shows on a full screen: its own screens, which scroll where there is no room for them, and at the foot
/// a line that says what there is to know and which keys there are.
///
/// `?` shows what all keys do, `q` quits. What else a key does, whoever shows this binds with `onKey`. A letter that is
/// typed into a field is the field's: while one has the focus the line tells of the other keys alone.
public struct FullScreen: View {
  /// A key, and what it does, in a word or two.
  public struct Key: Sendable {
    let name: String
    let does: String
    let inFieldsAlone: Bool

    /// Says what a key does; `inFieldsAlone` is for one that is worth a word only while a field has the focus.
    public init(_ name: String, _ does: String, inFieldsAlone: Bool = false) {
      (self.name, self.does, self.inFieldsAlone) = (name, does, inFieldsAlone)
    }
  }

  private let status: String
  private let keys: [Key]
  private let fields: Set<String>
  private let content: () -> Element
  @Focus private var focus
  @State private var showsHelp = false
  @Environment(\.terminalQuit) private var quit

  /// Shows content above a line of status and keys; `fields` are the ids of the fields that are typed into.
  public init(
    status: String = "", keys: [Key], fields: Set<String> = [],
    @ElementBuilder content: @escaping () -> Element
  ) {
    self.status = status
    self.keys = keys
    self.fields = fields
    self.content = content
  }

  /// What the view shows.
  public var body: Element {
    Column {
      content()
      Text(([status] + hints).filter { !$0.isEmpty }.joined(separator: "  ")).style(.status)
    }
    // What goes on below goes on.
    .covered(when: showsHelp) { HelpPage(keys: keys) { showsHelp = false } }
    .onKey("?") { showsHelp = true }
    .onKey("f1") { showsHelp = true }
    .onKey("q") { quit() }
  }

  private var hints: [String] {
    let isTyping = focus.map(fields.contains) ?? false
    let always =
      isTyping
      ? [Key("f1", "help"), Key("ctrl-c", "quit")] : [Key("?", "help"), Key("q", "quit")]
    let keys = keys.filter { isTyping ? $0.name.count > 1 : !$0.inFieldsAlone }
    return (keys + always).map { "\($0.name) \($0.does)" }
  }
}

/// What all keys do; it covers what it is about, and goes with any of the keys at its foot.
struct HelpPage: View {
  let keys: [FullScreen.Key]
  let close: () -> Void

  var body: Element {
    Column {
      ScrollBox {
        Text("Keys").style(.title)
        for key in keys + HelpPage.always {
          Row {
            Text(key.name).style(.emphasized).frame(minWidth: 10, maxWidth: 10)
            Text(key.does)
          }
        }
      }
      // No longer than the narrowest screen.
      Text("esc ? f1 q: close").style(.status)
    }
    .onKey("escape", action: close)
    .onKey("?", action: close)
    .onKey("f1", action: close)
    .onKey("q", action: close)
  }

  /// What holds for every app on a terminal.
  private static let always: [FullScreen.Key] = [
    .init("arrows", "move, also in lists"), .init("tab", "to the next control"),
    .init("return", "uses what has the focus"), .init("?, f1", "this help"),
    .init("q, ctrl-c", "quit"),
  ]
}
