import Signals
// No `import Testing`: it comes with this.
import SignalsTesting
import TestSupport

/// Subscriptions that a view keeps in its state.
@Suite(.leavesNothing) struct `Views, subscriptions in state` {
  struct Ticking: View {
    let ticks: any Publisher<Int, Never>
    @State var count = 0
    @State var token: (any Cancellable)?
    @State var tokens: [any Cancellable] = []
    @State var byName: [String: any Cancellable] = [:]
    var body: Element {
      Text("\(count)").onAppear {
        token = ticks.sink { count += $0 }
        tokens = [ticks.sink { count += $0 }]
        byName["one"] = ticks.sink { count += $0 }
      }
    }
  }

  @Test func `they end when the view leaves the screen, and keep nothing`() throws {
    let ticks = Subject<Int, Never>()
    let isShown = Signal(true)
    var ended = 0
    let counted = ticks.handleEvents(receiveCancel: { ended += 1 })
    let app = try TestHost(Store()) {
      if isShown.value { Ticking(ticks: counted) }
      Text("end")
    }
    ticks.send(1)
    #expect(app.text == "3\nend" && ended == 0)
    isShown.value = false
    #expect(ended == 3 && app.text == "end")
    isShown.value = true
    ticks.send(2)
    #expect(app.text == "6\nend")
  }

  @Test func `they end with the host`() throws {
    let ticks = Subject<Int, Never>()
    var ended = 0
    let counted = ticks.handleEvents(receiveCancel: { ended += 1 })
    var app: TestHost? = try TestHost(Store()) { Ticking(ticks: counted) }
    ticks.send(1)
    #expect(app?.text == "3")
    app = nil
    #expect(ended == 3)
  }

  @Test func `an effect too, and in a row`() throws {
    struct Watching: View {
      let number: Signal<Int>
      let seen: Signal<Int>
      @State var effect: Effect?
      var body: Element {
        Text("x").onAppear { effect = Effect { seen.value = number.value } }
      }
    }
    let (number, seen, rows) = (Signal(1), Signal(0), Signal([1, 2]))
    let app = try TestHost(Store()) {
      ForEach(rows.value, id: \.self) { _ in Watching(number: number, seen: seen) }
    }
    #expect(app.text == "x\nx" && seen.value == 1)
    rows.value = []
    #expect(app.text == "")
    number.value = 5
    #expect(seen.value == 1)
  }
}
