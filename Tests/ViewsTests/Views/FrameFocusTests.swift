import Signals
import SignalsTesting
import TestSupport
import Testing

/// The focus and the keys, as a renderer is told of them.
@Suite struct `Views, focus and keys in frames` {
  struct Form: View {
    @Focus private var focus
    @State private var text = ""

    var body: Element {
      TextField("a", text: $text)
      TextField("b", text: $text)
      Button("to b") { focus = "b" }
      Button("both") {
        focus = "b"
        text = "new"
      }
      Button("nowhere") { focus = "c" }
    }
  }

  private func form(_ clock: FrameClock = .immediate) -> (FrameLog, ViewHost) {
    let log = FrameLog()
    return (log, ViewHost(Store(), renderer: log, clock: clock) { Form() })
  }

  @Test func `a change of the focus alone is a frame in which nothing has changed`() throws {
    let (log, host) = form()
    #expect(log.frames.map { $0.focus } == [nil])
    try host.perform("to b")
    #expect(log.frames.map { $0.focus?.description } == [nil, "Form#b"])
    #expect(log.frames[1].changed.isEmpty)
    try host.perform("to b")
    #expect(log.frames.count == 2)
    host.focusNext()
    #expect(log.frames.last?.focus?.description == "Form#to b")
    #expect(host.frame.focus == log.frames.last?.focus)
    host.focus = nil
    #expect(log.frames.last?.focus == nil)
    #expect(log.frames.count == 4)
  }

  @Test func `a change of the focus and of what is shown is one frame`() throws {
    let (log, host) = form()
    try host.perform("both")
    #expect(log.frames.count == 2)
    #expect(log.frames[1].focus?.description == "Form#b")
    #expect(!log.frames[1].changed.isEmpty)
  }

  @Test func `a focus that leads nowhere makes no frame`() throws {
    let (log, host) = form()
    try host.perform("nowhere")
    #expect(log.frames.count == 1)
    #expect(host.focus == nil)
  }

  @Test func `the first frame has the focus that a view asks for as it appears`() {
    struct First: View {
      @Focus private var focus
      var body: Element { TextField("a", text: .constant("")).onAppear { focus = "a" } }
    }
    let log = FrameLog()
    let host = ViewHost(Store(), renderer: log) { First() }
    #expect(log.frames.last?.focus?.description == "First#a")
    withExtendedLifetime(host) {}
  }

  @Test func `with a clock of its own a host reports the focus at the tick`() throws {
    let clock = FrameClock.manual
    let (log, host) = form(clock)
    try host.perform("to b")
    host.focus = "a"
    #expect(log.frames.count == 1)
    clock.tick()
    #expect(log.frames.map { $0.focus?.description } == [nil, "Form#a"])
  }

  @Test func `when the element with the focus goes the next frame has none`() throws {
    let isShown = Signal(true), log = FrameLog()
    let host = ViewHost(Store(), renderer: log) {
      if isShown.value { TextField("a", text: .constant("")) }
    }
    host.focus = "a"
    isShown.value = false
    #expect(log.frames.map { $0.focus?.description } == [nil, "#a", nil])
    #expect(host.focus == nil)
  }

  @Test func `a focus in a row is told once the renderer has asked for the row`() throws {
    let (store, _) = try notes(3)
    let renderer = WindowRenderer(0..<3), wanted = Signal<String?>(nil)
    let host = ViewHost(store, renderer: renderer) {
      ForEach(store.results(Note.self)) { note in Button("row \(note.number)") {} }
    }
    host.focus = "row 1"
    #expect(renderer.frame?.focus?.description == "ForEach/=1#row 1")
    withExtendedLifetime(wanted) {}
  }

  @Test func `the keys that are bound are those of the frame`() throws {
    let isOn = Signal(true), log = FrameLog()
    let host = ViewHost(Store(), renderer: log) {
      Text("").onKey("a") {}.disabled(!isOn.value)
      Text("").onKey("b") {}
    }
    #expect(log.frames[0].keys == ["a", "b"])
    isOn.value = false
    #expect(log.frames.count == 2)
    #expect(log.frames[1].keys == ["b"])
    #expect(host.keys == ["b"])
    #expect(log.frames[0].keys == ["a", "b"], "a frame that was replaced keeps its keys")
  }

  @Test func `a text renderer draws no frame again for the focus alone`() throws {
    let app = try TestHost(Store()) { Form() }
    try app.tap("to b")
    #expect(app.frames == 1)
    #expect(app.host.focus == "b")
  }
}
