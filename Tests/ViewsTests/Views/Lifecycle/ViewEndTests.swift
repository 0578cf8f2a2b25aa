import Signals
import SignalsTesting
import TestSupport
import Testing

/// The end of views whose state writes when it goes.
@Suite struct `Views, ends that write` {
  final class Doc: Object {
    @Field var open = 0
  }

  /// Runs a closure when it goes.
  final class Token {
    let end: () -> Void
    init(_ end: @escaping () -> Void) { self.end = end }
    deinit { end() }
  }

  /// A view that keeps a token in its state, and shows what the end of it writes.
  struct Pane: View {
    let doc: Doc
    @StateObject var token: Token

    init(_ doc: Doc, _ end: @escaping () -> Void = {}) {
      self.doc = doc
      _token = StateObject(
        wrappedValue: Token {
          doc.open -= 1
          end()
        })
    }

    var body: Element {
      let _ = token
      Text("\(doc.open) open")
    }
  }

  @Test func `a host goes whose views' objects write what its other views have read`() throws {
    let (store, doc) = (Store(), Doc())
    doc.open = 4
    try store.add(doc)
    let bodies = Count()
    var host: ViewHost? = ViewHost(store, renderer: TextRenderer()) {
      let _ = bodies.value += 1
      Pane(doc)
      Column { Pane(doc) }
      ForEach([1, 2], id: \.self) { _ in Pane(doc) }
      Text("\(doc.open)")
    }
    #expect(host != nil)
    host = nil
    #expect(doc.open == 0)
    #expect(bodies.value == 1, "nothing of the host runs any more")
  }

  @Test func `every kind of state may delete what the other views of a host show when it goes`()
    throws
  {
    let (store, notes) = try notes(9)
    let (shown, values) = (Signal(true), Subject<Int, Never>())
    var host: ViewHost? = ViewHost(store, renderer: TextRenderer()) {
      ForEach(store.results(Note.self)) { Text($0.title) }
      if shown.value {
        Keeper(values: values, make: { number in Token { try? store.delete(notes[number]) } })
      }
    }
    #expect(host != nil)
    host = nil
    #expect(store.results(Note.self).map(\.number) == [6, 7, 8])
  }

  @Test func `every kind of state may delete what a host that lives shows`() throws {
    let (store, notes) = try notes(9)
    let (shown, values) = (Signal(true), Subject<Int, Never>())
    let app = try TestHost(store) {
      ForEach(store.results(Note.self)) { Text($0.title) }
      if shown.value {
        Keeper(values: values, make: { number in Token { try? store.delete(notes[number]) } })
      }
    }
    shown.value = false
    #expect(store.results(Note.self).map(\.number) == [6, 7, 8])
    #expect(app.text == "note 6\nnote 7\nnote 8")
  }

  /// Keeps six tokens, each in another way.
  struct Keeper: View {
    let values: Subject<Int, Never>
    let make: (Int) -> Token
    @State private var kept: Token?
    @State private var subscription: (any Cancellable)?
    @StateObject private var signal = Signal<Token?>(nil)

    var body: Element {
      let captured = make(0)
      let cleaned = make(1)
      let _ = onCleanup { _ = cleaned.end }
      Button("b") { _ = captured.end }
      Text("in an environment").environment(\.endToken, make(2))
      Text("life").onAppear {
        kept = make(3)
        signal.value = make(4)
        let token = make(5)
        subscription = values.sink { _ in _ = token.end }
      }
    }
  }

  @Test func `two hosts that release each other both go, with what they write`() throws {
    final class Holder {
      var host: ViewHost?
      func end() {
        let old = host
        withExtendedLifetime(old) { host = nil }
      }
    }
    let (store, doc) = (Store(), Doc())
    doc.open = 2
    try store.add(doc)
    let (first, second) = (Holder(), Holder())
    first.host = ViewHost(store, renderer: TextRenderer()) { Pane(doc) { second.end() } }
    second.host = ViewHost(store, renderer: TextRenderer()) { Pane(doc) { first.end() } }
    weak let (one, other) = (first.host, second.host)
    first.end()
    #expect(one == nil && other == nil)
    #expect(doc.open == 0)
  }

  @Test func `a host is released in an intent, an effect and a commit of its own`() throws {
    final class Holder: Renderer {
      var host: ViewHost?
      var ends = false
      func end() {
        let old = host
        withExtendedLifetime(old) { host = nil }
      }
      func commit(_ new: Frame, replacing old: Frame?) {
        _ = new.texts(in: new.root)
        if ends { end() }
      }
    }
    for way in 0..<4 {
      let (store, doc) = (Store(), Doc())
      doc.open = 2
      try store.add(doc)
      let holder = Holder()
      holder.host = ViewHost(store, renderer: holder) {
        Pane(doc)
        Pane(doc)
        Button("end", id: "end") { holder.end() }
        Text("x").onChange(of: doc.open) { if way == 2, doc.open == 7 { holder.end() } }
      }
      weak let host = holder.host
      var effect: Effect?
      switch way {
      case 0: try holder.host?.perform("end")
      case 1: effect = Effect { if doc.open == 7 { holder.end() } }
      case 3: holder.ends = true
      default: break
      }
      if way > 0 { doc.open = 7 }
      #expect(host == nil, "way \(way)")
      #expect(doc.open == (way == 0 ? 0 : 5), "way \(way)")
      effect?.cancel()
    }
  }

  @Test func `what a host that has gone waited for keeps no clock waiting`() {
    let clock = FrameClock.manual
    let value = Signal(1)
    var host: ViewHost? = ViewHost(Store(), renderer: TextRenderer(), clock: clock) {
      Text("\(value.value)")
    }
    value.value = 2
    #expect(host != nil && clock.isWaiting)
    host = nil
    #expect(!clock.isWaiting)
  }

  /// `SIGNALS_STEPS` sets the number of steps, `SIGNALS_SEED` the first seed.
  @Test func `hosts and views end in random order while what they keep writes and ends others`()
    throws
  {
    let steps = runLength(usually: 3_000)
    let (nodes, edges) = (ReactiveGraph.liveNodes, ReactiveGraph.liveEdges)
    var (step, seed) = (0, firstSeed)
    while step < steps {
      let world = EndWorld(seed: seed)
      for number in 0..<60 {
        step += 1
        world.step()
        let failures = world.failures
        #expect(failures == [], "seed \(seed), step \(number)")
        if !failures.isEmpty { return }
      }
      world.end()
      seed += 1
    }
    #expect((ReactiveGraph.liveNodes, ReactiveGraph.liveEdges) == (nodes, edges))
  }
}

private enum EndTokenKey: EnvironmentKey {
  static var defaultValue: `Views, ends that write`.Token? { nil }
}

extension EnvironmentValues {
  var endToken: `Views, ends that write`.Token? {
    get { self[EndTokenKey.self] }
    set { self[EndTokenKey.self] = newValue }
  }
}
