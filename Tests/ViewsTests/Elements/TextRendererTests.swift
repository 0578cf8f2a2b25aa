import Signals
import SignalsTesting
import TestSupport
import Testing

/// How the plain-text renderer draws each element.
@Suite struct `Text renderer` {
  private func text(@ElementBuilder _ root: @escaping () -> Element) -> String {
    let renderer = TextRenderer()
    let host = ViewHost(Store(), renderer: renderer, root: root)
    return withExtendedLifetime(host) { renderer.text }
  }

  @Test func `a text is its lines`() {
    #expect(text { Text("one\ntwo") } == "one\ntwo")
    #expect(
      text {
        Text("a")
        Text("")
        Text("b")
      } == "a\n\nb")
  }

  @Test func `nothing in the data is a command to a terminal`() {
    #expect(
      text {
        Text("\u{1b}[2J\u{7}\u{7f}\u{9b}2J\r")
        Button("\u{8}\u{0}") {}
        Text("tab\t, \u{e9}, \u{a9}, 5 \u{b0}C")
      } == "\u{241b}[2J\u{2407}\u{2421}\u{fffd}2J\u{240d}\n[\u{2408}\u{2400}]\n"
        + "tab\t, \u{e9}, \u{a9}, 5 \u{b0}C")
  }

  @Test func `controls show what they hold`() {
    let screen = text {
      Button("Save") {}
      TextField("Name", text: .constant("Ada"))
      Toggle("On", isOn: .constant(true))
      Toggle("Off", isOn: .constant(false))
      Picker("Size", selection: .constant(2), options: [1, 2])
      Divider()
      ProgressBar("Load", value: 1, total: 4)
      ProgressBar(value: 7, total: 4)
      ProgressBar(value: .nan)
    }
    #expect(
      screen == """
        [Save]
        Name: [Ada]
        [x] On
        [ ] Off
        Size: <2>
        ----------
        Load [##--------] 25%
        [##########] 100%
        [----------] 0%
        """)
  }

  @Test func `containers stack, and rows stand side by side`() {
    struct Two: View {
      var body: Element {
        Text("x")
        Text("y")
      }
    }
    let screen = text {
      Section("Title") {
        Column {
          Text("one")
          Text("two")
        }
        ListBox { ForEach(0..<2, id: \.self) { Text("row \($0)") } }
        Row {
          Column {
            Text("wide one")
            Text("b")
          }
          Text("right")
          Two()
        }
      }
    }
    #expect(
      screen
        == """
        Title
        one
        two
        row 0
        row 1
        wide one  right  x  y
        b
        """)
  }

  @Test func `an element of one's own is its text and what it holds`() {
    let screen = text {
      Element(
        kind: ElementKind("badge"), text: "new", children: [Text("inside").element])
      Element(kind: ElementKind("gauge"), text: "far", value: .fraction(-3))
    }
    #expect(screen == "new\ninside\nfar [----------] 0%")
    #expect(ElementKind("badge").description == "badge")
  }

  @Test func `each frame is handed on`() {
    var frames: [String] = []
    let renderer = TextRenderer { frames.append($0) }
    let number = Signal(0)
    let host = ViewHost(Store(), renderer: renderer) { Text("\(number.value)") }
    number.value = 1
    withExtendedLifetime(host) {}
    #expect((frames, renderer.frames) == (["0", "1"], 2))
  }
}
