import Signals
import SignalsTesting
import TestSupport
import Testing

/// Nothing that a host made outlives it, and nothing of a view outlives the view.
@Suite struct `Views, lifetime` {
  final class Model {
    @Signal var text = "model"
    let lifetime: Lifetime
    init(_ lifetime: Lifetime) { self.lifetime = lifetime }
  }

  struct Everything: View {
    @State var number = 0
    @State var object: Lifetime?
    @StateObject var model: Model
    @Environment(\.isEnabled) var isEnabled
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    let signal: Signal<Int>

    init(_ signal: Signal<Int>, _ count: Count) {
      self.signal = signal
      _model = StateObject(wrappedValue: Model(Lifetime { count.value -= 1 }))
      count.value += 1
    }

    var body: Element {
      let _ = Effect { _ = signal.value }
      Text("\(signal.value) \(isEnabled) \(model.text)")
      TextField("text", text: $model.text)
      Button("add") { number += 1 }
      ForEach($notes.where(on: number) { $0.rank >= number }) { note in
        Text("\(note.title) \(number)")
        Inner(note: note)
      }
    }
  }

  struct Inner: View {
    @ObservedObject var note: Note
    @State var isOpen = false
    var body: Element { Toggle(note.title, isOn: $isOpen) }
  }

  @Test func `a released host leaves nothing behind`() throws {
    let (store, notes) = try notes(10)
    let signal = Signal(0), count = Count()
    let nodes = ReactiveGraph.liveNodes, edges = ReactiveGraph.liveEdges
    func use() throws -> Weak<ViewHost> {
      let app = try TestHost(store) { Everything(signal, count) }
      try app.tap("add")
      signal.value += 1
      notes[4].title = "changed"
      #expect(count.value > 0)
      #expect(app.text.contains("changed 1"))
      return Weak(app.host)
    }
    _ = try use()
    // The objects keep the nodes of the properties that were read once.
    let watched = ReactiveGraph.liveNodes - nodes
    let host = try use()
    #expect(host.object == nil)
    #expect(ReactiveGraph.liveNodes - nodes == watched)
    #expect(watched <= notes.count * 2 + 4)
    #expect(ReactiveGraph.liveEdges == edges)
    signal.value += 1
    notes[4].title = "afterwards"
  }

  @Test func `a view that goes leaves nothing behind`() throws {
    let (store, _) = try notes(5)
    let signal = Signal(0), count = Count(), isShown = Signal(true)
    let app = try TestHost(store) { if isShown.value { Everything(signal, count) } }
    isShown.value = false
    let nodes = ReactiveGraph.liveNodes, edges = ReactiveGraph.liveEdges
    for _ in 0..<50 {
      isShown.value = true
      try app.tap("add")
      isShown.value = false
    }
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
    #expect(count.value == 0)
  }

  @Test func `mounting and unmounting views without end leaves nothing behind`() throws {
    struct Leaf: View {
      let number: Int
      @State var state = 0
      var body: Element { Text("\(number + state)") }
    }
    let range = Signal(0..<100)
    let app = try TestHost(Store()) { ForEach(range.value, id: \.self) { Leaf(number: $0) } }
    let nodes = ReactiveGraph.liveNodes, edges = ReactiveGraph.liveEdges
    for step in 1...50 { range.value = (step * 100)..<(step * 100 + 100) }
    #expect(app.text.hasPrefix("5000\n"))
    #expect((ReactiveGraph.liveNodes, ReactiveGraph.liveEdges) == (nodes, edges))
  }

  @Test func `a host may be released by its own intent, frame or effect`() throws {
    let number = Signal(0)
    var host: ViewHost?
    final class Releasing: Renderer {
      var onFrame: () -> Void = {}
      func commit(_ new: Frame, replacing old: Frame?) { onFrame() }
    }
    let renderer = Releasing()
    host = ViewHost(Store(), renderer: renderer) { Text("\(number.value)") }
    renderer.onFrame = { host = nil }
    number.value = 1
    #expect(host == nil)
    renderer.onFrame = {}
    host = ViewHost(Store(), renderer: renderer) { Button("go") { host = nil } }
    try host?.perform("go")
    #expect(host == nil)
    host = ViewHost(Store(), renderer: renderer) { Text("\(number.value)") }
    let effect = Effect { if number.value == 2 { host = nil } }
    number.value = 2
    #expect(host == nil)
    effect.cancel()
  }

  @Test func `what a view releases may write when it goes`() throws {
    let number = Signal(0), isShown = Signal(true)
    struct Leaf: View {
      @StateObject private var lifetime: Lifetime
      init(_ number: Signal<Int>) {
        _lifetime = StateObject(wrappedValue: Lifetime { number.value += 1 })
      }
      var body: Element {
        let _ = lifetime.use()
        Text("leaf")
      }
    }
    let app = try TestHost(Store()) {
      Text("\(number.value)")
      if isShown.value { Leaf(number) }
    }
    isShown.value = false
    #expect(app.text == "1")
    var other: TestHost? = try TestHost(Store()) { Leaf(number) }
    withExtendedLifetime(other) {}
    other = nil
    #expect(app.text == "2")
  }

  @Test func `an effect may take views away while a commit propagates`() throws {
    let number = Signal(0), isShown = Signal(true)
    let effect = Effect { if number.value > 0 { isShown.value = false } }
    let count = Count()
    struct Leaf: View {
      let number: Signal<Int>, count: Count
      var body: Element {
        let _ = count.value += 1
        Text("\(number.value)")
      }
    }
    let app = try TestHost(Store()) {
      if isShown.value { Leaf(number: number, count: count) }
    }
    number.value = 1
    #expect((app.text, count.value, app.frames) == ("", 1, 2))
    effect.cancel()
  }
}

/// A reference that keeps nothing alive.
struct Weak<Value: AnyObject> {
  weak var object: Value?
  init(_ object: Value) { self.object = object }
}
