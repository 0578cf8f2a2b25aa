import Foundation
import Signals
import SignalsTerminal
import Testing

/// Screens that are nested deeper than anybody would.
@Suite struct `Screen, depth` {
  /// One view in another.
  struct Nested: View {
    let depth: Int
    var body: Element {
      if depth == 0 { Button("deep", id: "deep") {} } else { Nested(depth: depth - 1) }
    }
  }

  /// Runs a check on a stack of 8 MB, as the main thread has it.
  private func onMainStack(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      body()
      done.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    done.wait()
  }

  private static func nested(
    _ depth: Int, _ around: (Element) -> Element = { inner in Column { inner }.element }
  ) -> Element {
    var element = Button("deep", id: "deep") {}.element
    for _ in 0..<depth { element = around(element) }
    return element
  }

  @Test(arguments: [10, 100, 2000]) func `columns in columns are drawn`(_ depth: Int) {
    onMainStack {
      let screen = TerminalScreen(Store(), width: 30, height: 5, isolation: nil) {
        Text("top")
        Self.nested(depth)
      }
      screen.press("down")
      #expect((screen.text, screen.focus) == ("top\n[deep]", "deep"))
      #expect(screen.svg().contains("deep"))
    }
  }

  @Test(arguments: [100, 16_000]) func `views in views are drawn`(_ depth: Int) {
    onMainStack {
      let screen = TerminalScreen(Store(), width: 30, height: 5, isolation: nil) {
        Text("top")
        Nested(depth: depth)
      }
      screen.press("down")
      #expect((screen.text, screen.focus) == ("top\n[deep]", "deep"))
    }
  }

  @Test func `a tree that is too deep to be laid out says so on screen`() {
    onMainStack {
      let screen = TerminalScreen(Store(), width: 60, height: 5, isolation: nil) {
        Self.nested(1050) { inner in
          Column {
            inner
            Text("")
          }.element
        }
      }
      #expect(screen.text.contains("! nested too deep to be drawn: "))
      screen.press("down", "end", "home")
      #expect(!screen.text.isEmpty)
    }
  }

  @Test func `elements that are nested deeper than the stack trap by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = TerminalScreen(Store(), isolation: nil) { DepthTestsRoot() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the elements of the body of DepthTestsRoot"))
    #expect(text.contains("at last in a column"))
  }

  @Test func `rows that are nested too deep say so in their place`() {
    onMainStack {
      let screen = TerminalScreen(Store(), width: 60, height: 8, isolation: nil) {
        ListBox {
          Text("first")
          Self.nested(1050) { inner in
            Column {
              inner
              Text("")
            }.element
          }
        }
      }
      #expect(screen.text.contains("first"))
      #expect(screen.text.contains("! nested too deep to be drawn: "))
    }
  }
}

/// Columns in columns, more than any stack takes.
struct DepthTestsRoot: View {
  var body: Element { DepthTestsRoot.nested() }

  private static func nested() -> Element {
    var element = Text("").element
    for _ in 0..<300_000 {
      let inner = element
      element = Column { inner }.element
    }
    return element
  }
}
