import Signals
import SignalsTesting
import TestSupport
import Testing

/// `@Restored`: state of a view that is back after a relaunch.
@Suite struct `Views, restored state` {
  struct Search: View {
    @Restored("query") var query = ""
    @Restored("page") var page = 1
    var body: Element {
      TextField("Search", text: $query, id: "search")
      Button("Next") { page += 1 }
      Button("Fail") {
        page = 99
        throw Failure()
      }
      Text("page \(page)")
    }
  }

  struct Failure: Error {}

  @Test func `it is back after a relaunch`() throws {
    let store = Store()
    var app = try TestHost(store) { Search() }
    try app.type("neu", into: "search")
    try app.tap("Next")
    app = try TestHost(try relaunched(store)) { Search() }
    #expect(app.text == "Search: [neu]\n[Next]\n[Fail]\npage 2")
  }

  @Test func `after a kill at any moment it is what the last frame showed`() throws {
    let store = Store()
    let shown = Signal("")
    let app = try TestHost(store) { Search() }
    for step in 0..<10 {
      if step.isMultiple(of: 3) {
        try app.tap("Next")
      } else {
        try app.type("\(step)", into: "search")
      }
      shown.value = app.text
      let restored = try TestHost(try relaunched(store)) { Search() }
      #expect(restored.text == shown.value)
    }
  }

  @Test func `a value that was never changed is not kept`() throws {
    let store = Store()
    let app = try TestHost(store) { Search() }
    #expect(store.results(RestoredValue<String>.self).isEmpty)
    try app.type("x", into: "search")
    #expect(store.results(RestoredValue<String>.self).map(\.key) == ["query"])
    #expect(store.results(RestoredValue<Int>.self).isEmpty)
  }

  @Test func `keeping it is a commit of its own, which no undo takes back`() throws {
    let store = Store(undoLimit: 10)
    let app = try TestHost(store) { Search() }
    var origins: [Origin?] = []
    let token = store.commits.sink { origins.append($0.origin) }
    try app.type("x", into: "search")
    #expect(origins == [.restored])
    #expect(throws: StoreError.nothingToUndo) { try store.undo() }
    #expect(app.text.contains("[x]"))
    token.cancel()
  }

  @Test func `like any state it is set back by an intent that throws`() throws {
    let store = Store()
    let app = try TestHost(store) { Search() }
    #expect(throws: Failure.self) { try app.tap("Fail") }
    #expect(!app.text.contains("page 99"))
    #expect(store.object(RestoredValue<Int>.self, primaryKey: "page") == nil)
  }

  @Test func `one key is one value in all views of a store, and another in another store`() throws {
    let store = Store()
    let one = try TestHost(store) { Search() }
    let two = try TestHost(store) { Search() }
    let other = try TestHost(Store()) { Search() }
    try one.type("x", into: "search")
    #expect(two.text.contains("[x]"))
    #expect(!other.text.contains("[x]"))
  }

  @Test func `it stays while the view is off the screen`() throws {
    let isShown = Signal(true)
    let app = try TestHost(Store()) { if isShown.value { Search() } }
    try app.type("x", into: "search")
    isShown.value = false
    isShown.value = true
    #expect(app.text.contains("[x]"))
  }

  @Test func `what a replica changes shows`() throws {
    let store = Store()
    let app = try TestHost(store) { Search() }
    try app.type("x", into: "search")
    let replica = Store(store.snapshot())
    var sent: [ChangeSet] = []
    let token = replica.commits.sink { sent.append($0) }
    let there = try TestHost(replica) { Search() }
    try there.type("y", into: "search")
    for change in sent { try store.apply(change) }
    #expect(app.text.contains("[y]"))
    token.cancel()
  }

  @Test func `values of two types are two values under one key`() throws {
    struct Both: View {
      @Restored("same") var text = "a"
      @Restored("same") var number = 1
      var body: Element {
        Text("\(text) \(number)")
        Button("change") {
          text = "b"
          number = 2
        }
      }
    }
    let store = Store()
    let app = try TestHost(store) { Both() }
    try app.tap("change")
    #expect(try TestHost(try relaunched(store)) { Both() }.text.hasPrefix("b 2"))
  }

  @Test func `outside of a view it is plain state, or kept where it is told`() throws {
    struct Plain {
      @Restored("key") var value = 1
      init(_ store: Store? = nil) { _value = Restored(wrappedValue: 1, "key", in: store) }
    }
    let plain = Plain()
    plain.value = 2
    #expect(plain.value == 2)
    let store = Store()
    let kept = Plain(store)
    kept.value = 3
    #expect(store.object(RestoredValue<Int>.self, primaryKey: "key")?.value == 3)
    #expect(Plain(store).value == 3)
  }

  @Test func `nothing outlives the views but the value in the store`() throws {
    let store = Store()
    weak var host: ViewHost?
    do {
      let app = try TestHost(store) { Search() }
      try app.type("x", into: "search")
      host = app.host
    }
    #expect(host == nil)
    let kept = try #require(store.results(RestoredValue<String>.self).first)
    try store.delete(kept)
    #expect(try TestHost(store) { Search() }.text.contains("[]"))
  }

  @Test func `a refused commit is tried again with the next one`() throws {
    let store = Store()
    var refused = 0
    store.onRefusal = { _ in refused += 1 }
    let app = try TestHost(store) { Search() }
    try app.tap("Next")
    let rule = store.beforeCommit { _ in throw Failure() }
    try app.tap("Next")
    #expect(app.text.contains("page 3") && refused == 1)
    #expect(store.object(RestoredValue<Int>.self, primaryKey: "page")?.value == 2)
    rule.cancel()
    try app.type("x", into: "search")
    #expect(store.object(RestoredValue<Int>.self, primaryKey: "page")?.value == 3)
    #expect(app.text.contains("page 3"))
    #expect(store.commitObservers.active == 0)
  }

  @Test func `not-a-number agrees with itself, and yields to what a replica sends`() throws {
    struct Angle: View {
      @Restored("angle") var angle = 0.0
      var body: Element {
        Text("\(angle)")
        Button("lose") { angle = .nan }
      }
    }
    let store = Store()
    let app = try TestHost(store) { Angle() }
    try app.tap("lose")
    let kept = try #require(store.object(RestoredValue<Double>.self, primaryKey: "angle"))
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    let replica = Store(store.snapshot())
    let sent = Signal<ChangeSet?>(nil)
    let sending = replica.commits.sink { sent.value = $0 }
    let there = try TestHost(replica) { Angle2() }
    try there.tap("turn")
    try store.apply(try #require(sent.value))
    #expect(kept.value == 90 && app.text.hasPrefix("90.0") && commits == 1)
    token.cancel()
    sending.cancel()
  }

  private struct Angle2: View {
    @Restored("angle") var angle = 0.0
    var body: Element { Button("turn") { angle = 90 } }
  }

  @Test func `a private type is a trap that says so`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try TestHost(Store()) { WithPrivate() }
    }
    expectError(result, "@Restored of Hidden: no other process finds a private type")
  }
}

private enum Hidden: Codable { case one }

private struct WithPrivate: View {
  @Restored("hidden") var hidden = Hidden.one
  var body: Element { Text("\(hidden)") }
}
