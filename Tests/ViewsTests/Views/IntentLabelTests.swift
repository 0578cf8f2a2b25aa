import Signals
import SignalsTesting
import TestSupport
import Testing

/// What steps of the undo history are called that intents have made.
@Suite struct `Views, labels of intents` {
  let store = Store()
  let soup = StockedDish("soup")

  init() throws { try store.write(undoable: false) { try store.add(soup) } }

  @Test func `the step of a button has its title, of a field and a toggle theirs`() throws {
    let app = try TestHost(store) {
      Button("Raise", id: "raise") { soup.price += 1 }
      TextField("Title", text: Binding(get: { soup.name }, set: { soup.name = $0 }), id: "title")
      Toggle("Done", isOn: Binding(get: { soup.isServed }, set: { soup.isServed = $0 }), id: "done")
    }
    try app.host.perform("raise")
    #expect(store.history.undoLabel == "Raise")
    try app.host.perform("title", with: .text("x"))
    #expect(store.history.undoLabel == "Title")
    try app.host.perform("done", with: .flag(true))
    #expect(store.history.undoLabel == "Done")
    #expect(store.history.undoCount == 3)
    try store.undo()
    #expect((store.history.undoLabel, store.history.redoLabel) == ("Title", "Done"))
  }

  @Test func `an undo that no history records needs no time`() throws {
    let page = Page()
    var count = 0
    store.now = {
      count += 1
      return .zero
    }
    try store.write(undoable: false) { try store.add(page) }
    let app = try TestHost(store) {
      Button("Count") { page.number += 1 }
      Button("Undo") { try store.undo() }
    }
    try app.tap("Count")
    #expect(count == 1)
    try app.tap("Undo")
    #expect(count == 1 && page.number == 0)
  }

  @Test func `a write in it may give another, and an effect that it sets off has none`() throws {
    let app = try TestHost(store) {
      Button("Raise", id: "raise") {
        try store.write(label: "Raise \(soup.name)") { soup.price += 1 }
      }
      Button("Plain", id: "plain") { soup.price += 1 }
    }
    try app.host.perform("raise")
    #expect(store.history.undoLabel == "Raise soup")
    let effect = Effect { if soup.price == 2 { soup.name = "two" } }
    try app.host.perform("plain")
    #expect(store.history.undoSteps.map(\.label) == [nil, "Plain", "Raise soup"])
    effect.cancel()
  }

  @Test func `an intent of the app's own has its name, and the next commit none of it`() throws {
    let app = try TestHost(store) { Text("") }
    try app.host.perform(named: "Tick") { soup.price += 1 }
    #expect(store.history.undoLabel == "Tick")
    try app.host.perform { soup.price += 1 }
    #expect(store.history.undoLabel == nil)
    #expect(throws: Refusal.self) {
      try app.host.perform(named: "Fail") {
        soup.price += 1
        throw Refusal()
      }
    }
    soup.price += 1
    #expect(store.history.undoLabel == nil && store.history.undoCount == 3)
  }

  @Test func `a step of an async intent of a host without an actor has its title, too`()
    async throws
  {
    let (store, soup) = (store, soup)
    let app = try TestHost(store, isolation: nil) {
      Button("Cook", id: "cook") {
        await Task.yield()
        soup.price += 1
      }
    }
    try await app.tapAsync("cook")
    #expect(store.history.undoSteps.map(\.label) == ["Cook"])
  }

  @Test func `a button shows the label of what it undoes`() throws {
    let app = try TestHost(store) {
      Button("Raise", id: "raise") { soup.price += 1 }
      Button("Undo \(store.history.undoLabel ?? "")", id: "undo") { try store.undo() }
        .disabled(!store.canUndo)
    }
    try app.host.perform("raise")
    #expect(app.text.contains("[Undo Raise]"))
    try app.host.perform("undo")
    #expect(store.history.redoLabel == "Raise")
  }
}

/// The same for intents that suspend.
@MainActor
@Suite struct `Views, labels of async intents` {
  let store = Store()
  let soup = StockedDish("soup")

  init() throws { try store.write(undoable: false) { try store.add(soup) } }

  @Test func `each step of an async intent has its title, unless a write gives another`()
    async throws
  {
    let app = try TestHost(store) {
      Button("Cook", id: "cook") {
        soup.price += 1
        await Task.yield()
        try store.write { soup.price += 1 }
        await Task.yield()
        try store.write(label: "Serve") { soup.isServed = true }
        try store.write(undoable: false) { soup.name = "hot soup" }
        await Task { @MainActor in soup.price += 1 }.value
      }
    }
    let effect = Effect { if soup.price == 3 { soup.name = "three" } }
    try await app.tapAsync("cook")
    #expect(
      store.history.undoSteps.map(\.label) == [nil, "Cook", "Serve", "Cook", "Cook"],
      "an effect that it sets off has none")
    soup.price += 1
    #expect(store.history.undoLabel == nil)
    effect.cancel()
  }
}
