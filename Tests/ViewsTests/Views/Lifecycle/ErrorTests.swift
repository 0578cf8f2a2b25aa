import Signals
import SignalsTesting
import TestSupport
import Testing

/// `onError`: who gets what an intent throws.
@Suite struct `Views, errors` {
  struct Stop: Error, Equatable { var number = 0 }

  @Test func `the nearest handler gets an error, and the caller all the same`() throws {
    let journal = Journal()
    let app = try TestHost(Store()) {
      Column {
        Column { Button("inner") { throw Stop() } }.onError { _ in journal.note("inner") }
        Button("outer") { throw Stop() }
      }.onError { _ in journal.note("outer") }
    }
    #expect(throws: Stop()) { try app.tap("inner") }
    #expect(throws: Stop()) { try app.tap("outer") }
    #expect(journal.entries == ["inner", "outer"])
    #expect(app.errors.isEmpty, "the host's own is asked last")
  }

  @Test func `without a handler the host's own gets it`() throws {
    let app = try TestHost(Store()) {
      Button("free") { throw Stop() }
      Button("handled") {}.onError { _ in }
    }
    #expect(throws: Stop()) { try app.tap("free") }
    #expect(throws: Stop(number: 1)) { try app.host.perform { throw Stop(number: 1) } }
    #expect(app.errors.compactMap { ($0 as? Stop)?.number } == [0, 1])
  }

  @Test func `handlers reach through views and rows`() throws {
    struct Child: View {
      let number: Int
      var body: Element { Button("\(number)") { throw Stop(number: number) } }
    }
    struct Rows: View {
      @State var message = ""
      var body: Element {
        Text(message)
        ForEach(0..<3, id: \.self) { Child(number: $0) }
          .onError { message = "\(($0 as? Stop)?.number ?? -1)" }
      }
    }
    let app = try TestHost(Store()) { Rows() }
    #expect(throws: Stop(number: 2)) { try app.tap("2") }
    #expect(app.text == "2\n[0]\n[1]\n[2]")
  }

  @Test func `the intent is undone before, and the handler is a transaction of its own`() throws {
    let (store, notes) = try notes(2)
    var seen: [Int] = []
    let app = try TestHost(store) {
      Text("\(notes[0].rank) \(notes[1].rank)")
      Button("fail") {
        notes[0].rank = 50
        throw Stop()
      }.onError { _ in
        seen.append(notes[0].rank)
        notes[1].rank = 7
        notes[1].title = "handled"
      }
    }
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    #expect(throws: Stop()) { try app.tap("fail") }
    #expect((seen, commits, app.frames, app.text) == ([0], 1, 2, "0 7\n[fail]"))
    token.cancel()
  }

  @Test func `what a handler throws goes to the next one around it, and undoes what it wrote`()
    throws
  {
    let (store, notes) = try notes(1)
    let journal = Journal()
    let app = try TestHost(store) {
      Column {
        Button("fail") { throw Stop(number: 1) }.onError { _ in
          notes[0].rank = 9
          throw Stop(number: 2)
        }
      }.onError { journal.note("\(($0 as? Stop)?.number ?? -1)") }
      Button("free") { throw Stop(number: 3) }.onError { throw $0 }
    }
    #expect(throws: Stop(number: 1)) { try app.tap("fail") }
    #expect((journal.entries, notes[0].rank) == (["2"], 0))
    #expect(throws: Stop(number: 3)) { try app.tap("free") }
    #expect(app.errors.count == 1)
  }

  @Test func `onAppear, onDisappear and onChange reach it too, and are undone`() throws {
    let (store, notes) = try notes(1)
    let journal = Journal(), number = Signal(0), isShown = Signal(true)
    let app = try TestHost(store) {
      Column {
        if isShown.value {
          Text("\(number.value)")
            .onAppear {
              notes[0].rank = 1
              throw Stop(number: 1)
            }
            .onChange(of: number.value) { throw Stop(number: 2) }
            .onDisappear { throw Stop(number: 3) }
        }
      }.onError { journal.note("\(($0 as? Stop)?.number ?? -1)") }
    }
    number.value = 1
    isShown.value = false
    #expect((journal.entries, notes[0].rank) == (["1", "2", "3"], 0))
    #expect(app.text == "")
  }

  @Test func `a modifier that follows onError is not handled by it`() throws {
    let journal = Journal()
    #expect(throws: Stop()) {
      _ = try TestHost(Store()) {
        Text("").onError { _ in journal.note("handled") }.onAppear { throw Stop() }
      }
    }
    #expect(journal.entries == [])
  }

  @Test func `a handler that goes in the same frame does not get the errors of onDisappear`() throws
  {
    let journal = Journal(), isShown = Signal(true)
    let app = try TestHost(Store()) {
      Column {
        if isShown.value {
          Text("a").onDisappear { throw Stop() }.onError { _ in journal.note("gone") }
        }
      }.onError { _ in journal.note("there") }
    }
    isShown.value = false
    #expect(journal.entries == ["there"])
    withExtendedLifetime(app) {}
  }

  @Test func `a handler is what the last body said`() throws {
    let journal = Journal(), number = Signal(0)
    let app = try TestHost(Store()) {
      let number = number.value
      Button("fail") { throw Stop() }.onError { _ in journal.note("\(number)") }
    }
    number.value = 1
    #expect(throws: Stop()) { try app.tap("fail") }
    #expect(journal.entries == ["1"])
  }

  @Test func `a handler is no input: what stands below does not run again with it`() throws {
    struct Leaf: View {
      let count: Count
      var body: Element {
        let _ = count.value += 1
        Text("leaf")
      }
    }
    let number = Signal(0), count = Count()
    let app = try TestHost(Store()) {
      let number = number.value
      Leaf(count: count).onError { _ in _ = number }
    }
    number.value = 1
    #expect((app.bodies, count.value) == (3, 1))
  }

  @Test func `an async intent reaches it`() async throws {
    let journal = Journal()
    let app = try TestHost(Store()) {
      Button("fail") {
        await Task.yield()
        throw Stop()
      }.onError { _ in journal.note("handled") }
    }
    await #expect(throws: Stop()) { try await app.tapAsync("fail") }
    #expect(journal.entries == ["handled"] && app.errors.isEmpty)
  }

  @Test func `what can't be done is for the caller alone`() throws {
    let journal = Journal()
    let app = try TestHost(Store()) {
      Button("off") {}.disabled().onError { _ in journal.note("handled") }
    }
    #expect(throws: TestHostError.self) { try app.tap("off") }
    #expect(journal.entries == [] && app.errors.isEmpty)
  }

  @Test func `without any handler an error of a view's life is printed`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let host = ViewHost(Store(), renderer: TextRenderer()) {
        Text("").onAppear { throw Stop(number: 4) }
      }
      withExtendedLifetime(host) {}
    }
    expectError(result, "Signals: no onError gets what a view's intent threw: Stop(number: 4)")
  }
}
