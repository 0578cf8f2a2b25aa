import Shell
import Signals
import SignalsTerminal
import Testing

@Suite struct `What the examples have in common on a full screen` {
  @Test func `the status stands at the foot, with the keys, and a question mark says more`() {
    let screen = TerminalScreen(Store(), width: 44, height: 11) {
      FullScreen(status: "3 notes", keys: [.init("n", "new")]) { ScrollBox { Button("One") {} } }
    }
    #expect(screen.text.hasPrefix("[One]\n\n"))
    #expect(screen.text.hasSuffix("\n3 notes  n new  ? help  q quit"))
    screen.press("?")
    #expect(
      screen.text == """
        Keys
        n           new
        arrows      move, also in lists
        tab         to the next control
        return      uses what has the focus
        ?, f1       this help
        q, ctrl-c   quit



        esc ? f1 q: close
        """)
    screen.press("?")
    #expect(screen.text.hasPrefix("[One]\n"))
    #expect(screen.focus == "One")
    screen.press("?", "escape")
    #expect(screen.text.hasPrefix("[One]\n"))
  }

  @Test func `while a field is typed into, letters are its own, and other keys stand at the foot`()
  {
    let text = Signal("")
    let keys: [FullScreen.Key] = [
      .init("n", "new"), .init("esc", "back"), .init("down", "to one", inFieldsAlone: true),
    ]
    let screen = TerminalScreen(Store(), width: 60, height: 11) {
      FullScreen(keys: keys, fields: ["name"]) {
        ScrollBox {
          TextField("Name", text: text.binding, id: "name")
          Button("One") {}
        }
      }
    }
    screen.type("?q")
    #expect(text.value == "?q")
    #expect(screen.text.hasSuffix("\nesc back  down to one  f1 help  ctrl-c quit"))
    screen.press("f1")
    #expect(screen.text.hasPrefix("Keys\n"))
    #expect(screen.text.contains("\nn           new\n"))
    screen.press("f1", "tab")
    #expect(screen.text.hasSuffix("\nn new  esc back  ? help  q quit"))
  }
}
