import Signals
import SignalsTerminal
import Testing

/// A screen as an SVG.
@Suite struct `Screen, as a picture` {
  private func svg(@ElementBuilder _ root: @escaping () -> Element) -> String {
    TerminalScreen(Store(), width: 20, height: 4, root: root).svg(title: "A \"test\"")
  }

  /// The elements that draw what is on screen.
  private func drawn(@ElementBuilder _ root: @escaping () -> Element) -> [Substring] {
    Array(svg(root).split(separator: "\n").dropFirst(4).dropLast(2))
  }

  @Test func `a picture has the size of its cells, and a title to be read out`() {
    let lines = svg { Text("hello") }.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0].contains(" viewBox=\"0 0 184 92\" width=\"184\" height=\"92\">"))
    #expect(lines[1] == "<title>A &quot;test&quot;</title>")
    #expect(lines.suffix(3) == ["</g>", "</svg>", ""])
  }

  @Test func `text is in its cells, and means nothing to XML`() {
    #expect(
      drawn { Text("a < b && c > d") } == [
        "<text x=\"0\" y=\"13\" textLength=\"112\">a &lt; b &amp;&amp; c &gt; d</text>"
      ])
  }

  @Test func `styles and colors are drawn`() {
    let lines = drawn {
      Row {
        Text("bold").style(.emphasized)
        Text("red").style(.negative)
        Text("own").tint(ElementColor(red: 1, green: 0.5, blue: -3))
      }
      Text("foot").style(.status)
    }
    #expect(lines.contains { $0.hasSuffix(" font-weight=\"bold\">bold</text>") })
    #expect(lines.contains { $0.hasSuffix(" fill=\"#e06c75\">red</text>") })
    #expect(lines.contains { $0.hasSuffix(" fill=\"#ff8000\">own</text>") })
    #expect(
      lines.suffix(2) == [
        "<rect x=\"0\" y=\"17\" width=\"160\" height=\"17\" fill=\"#d7dae0\"/>",
        "<text x=\"0\" y=\"30\" textLength=\"32\" fill=\"#16181d\">foot</text>",
      ])
  }

  @Test func `a wide character takes two cells, a cluster one, and both stand alone`() {
    let lines = drawn { Text("日e\u{301}x") }
    #expect(lines[0].contains("x=\"0\" y=\"13\" textLength=\"16\""))
    #expect(lines[0].hasSuffix(">日</text>"))
    #expect(lines[1].contains("x=\"16\" y=\"13\" textLength=\"8\""))
    #expect(lines[1].hasSuffix(">e\u{301}</text>"))
    #expect(lines[2].contains("x=\"24\" "))
  }

  @Test func `lines and bars are drawn, not written`() {
    let lines = drawn {
      Divider()
      ProgressBar(value: 0.5)
    }
    #expect(lines[0] == "<rect x=\"0\" y=\"8\" width=\"160\" height=\"1\" opacity=\"0.6\"/>")
    #expect(lines[1] == "<rect x=\"0\" y=\"17\" width=\"56\" height=\"17\" fill=\"#98c379\"/>")
    #expect(lines.allSatisfy { !$0.contains("█") && !$0.contains("░") })
  }

  @Test func `a field that is edited shows its cursor`() {
    let text = Signal("ab")
    let screen = TerminalScreen(Store(), width: 20, height: 4) {
      TextField("T", text: text.binding)
    }
    #expect(screen.svg().contains("<rect x=\"40\" y=\"0\" width=\"8\" height=\"17\" fill="))
  }

  @Test func `equal screens are equal pictures`() {
    #expect(svg { Text("one") } == svg { Text("one") })
    #expect(svg { Text("one") } != svg { Text("two") })
  }
}
