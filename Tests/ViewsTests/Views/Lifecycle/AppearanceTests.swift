import Signals
import SignalsTesting
import TestSupport
import Testing

extension `Views, lifecycle` {
  // MARK: - onAppear

  @Test func `onAppear runs after the renderer was given the frame in which the view stands`() {
    let log = Count(), isShown = Signal(false)
    let renderer = TextRenderer { log.log.append("frame \($0)") }
    let host = ViewHost(Store(), renderer: renderer) {
      if isShown.value { Text("shown").onAppear { log.log.append("appeared") } }
    }
    isShown.value = true
    #expect(log.log == ["frame ", "frame shown", "appeared"])
    withExtendedLifetime(host) {}
  }

  @Test func `what onAppear writes is the next frame, one for views that appear together`() throws {
    let log = Count(), number = Signal(0)
    let renderer = TextRenderer { log.log.append($0) }
    let host = ViewHost(Store(), renderer: renderer) {
      Text("\(number.value)").onAppear { number.value += 1 }
      Text("b").onAppear { number.value += 10 }
    }
    #expect(log.log == ["0\nb", "11\nb"])
    withExtendedLifetime(host) {}
  }

  @Test func `each onAppear is one transaction`() throws {
    let (store, notes) = try notes(1)
    var ranks: [Int] = []
    let token = store.commits.sink { ranks.append($0.changes.count) }
    let app = try TestHost(store) {
      Text("\(notes[0].rank)").onAppear {
        notes[0].rank = 1
        notes[0].title = "one"
      }
      .onAppear { notes[0].rank = 5 }
    }
    #expect((ranks.count, app.frames) == (2, 2))
    try store.undo()
    #expect((notes[0].rank, notes[0].title) == (5, "note 0"), "the outer one ran first")
    token.cancel()
  }

  @Test func `onAppear runs once for an identity, not when bodies run again`() throws {
    let log = Count(), number = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(number.value)").onAppear { log.value += 1 }
    }
    number.value = 1
    number.value = 2
    #expect((log.value, app.frames) == (1, 3))
  }

  @Test func `parents appear before what they hold, then the order of the body`() throws {
    struct Parent: View {
      let journal: Journal
      var body: Element {
        Column {
          Noted(name: "a", journal: journal).onAppear { journal.note("around a") }
          Noted(name: "b", journal: journal)
          Text("last").onAppear { journal.note("last") }
        }.onAppear { journal.note("column") }
      }
    }
    let journal = Journal()
    let app = try TestHost(Store()) {
      Parent(journal: journal).onAppear { journal.note("parent") }
    }
    #expect(journal.entries == ["parent", "column", "around a", "last", "+a", "+b"])
    withExtendedLifetime(app) {}
  }

  @Test func `what onAppear reads is no dependency`() throws {
    let number = Signal(0), log = Count()
    let app = try TestHost(Store()) {
      Text("text").onAppear { log.value += number.value }
    }
    number.value = 1
    #expect((app.bodies, app.frames, log.value) == (1, 1, 0))
  }

  @Test func `effects run after the last of what appeared together`() throws {
    let number = Signal(0), log = Count()
    let app = try TestHost(Store()) {
      Text("a").onAppear { number.value = 1 }
      Text("b").onAppear { number.value = 2 }
    }
    let isShown = Signal(false)
    let second = try TestHost(Store()) {
      if isShown.value {
        Text("a").onAppear { number.value = 3 }
        Text("b").onAppear { number.value = 4 }
      }
    }
    let effect = Effect { log.log.append("\(number.value)") }
    isShown.value = true
    #expect(log.log == ["2", "4"])
    effect.cancel()
    withExtendedLifetime((app, second)) {}
  }

  @Test func `in a transaction what appears waits for its end`() throws {
    let (store, notes) = try notes(1)
    var app: TestHost?
    try store.write {
      app = try TestHost(store) { Text("\(notes[0].rank)").onAppear { notes[0].rank += 1 } }
      notes[0].rank = 5
      #expect(app?.text == "0")
    }
    #expect((app?.text, notes[0].rank) == ("6", 6))
  }

  // MARK: - Rows

  @Test func `a row appears when it is first made for a renderer`() throws {
    let journal = Journal()
    let renderer = WindowRenderer(1..<3)
    let host = ViewHost(Store(), renderer: renderer) {
      ForEach(0..<100, id: \.self) { row in Text("\(row)").onAppear { journal.note("\(row)") } }
    }
    #expect(journal.entries == ["1", "2"])
    renderer.window = 2..<5
    renderer.draw()
    #expect(journal.entries == ["1", "2", "3", "4"])
    renderer.window = 1..<2
    renderer.draw()
    #expect(journal.entries.count == 4, "scrolling is neither")
    withExtendedLifetime(host) {}
  }

  @Test func `a row that is made to be found appears too`() throws {
    let journal = Journal()
    let host = ViewHost(Store(), renderer: FrameLog()) {
      ForEach(0..<3, id: \.self) { Noted(name: "\($0)", journal: journal) }
    }
    #expect(journal.entries == [])
    _ = try host.element("1")
    #expect(journal.entries == ["+0", "+1", "+2"], "a search evaluates all rows")
  }

  @Test func `of a row that is made between two frames onAppear runs before the renderer gets it`()
    throws
  {
    let log = Count(), names = Signal(["a", "b"])
    let host = ViewHost(Store(), renderer: FrameLog()) {
      ForEach(names.value, id: \.self) { name in
        Text(name + "\(log.value)").onAppear {
          log.value += 1
          names.value.append("c\(log.value)")
        }
      }
    }
    let frame = host.frame
    let list = try #require(frame.elements(of: frame.root).first?.scope)
    let row = try #require(frame.rows(of: list)?.first)
    #expect(log.value == 0)
    #expect(frame.texts(in: row) == ["a0"])
    #expect((log.value, names.value) == (1, ["a", "b", "c1"]))
    #expect(host.frame.rows(of: list)?.count == 3)
  }

  @Test func `a row that a renderer asks for in a batch appears at its end`() throws {
    let journal = Journal(), number = Signal(0)
    let renderer = WindowRenderer(0..<1)
    let host = ViewHost(Store(), renderer: renderer) {
      ForEach(0..<100, id: \.self) { row in
        Text("\(row) \(number.value)").onAppear {
          number.value += 1
          journal.note("\(row)")
        }
      }
    }
    renderer.window = 0..<3
    batch {
      renderer.draw()
      journal.note("drawn")
    }
    #expect(journal.entries == ["0", "drawn", "1", "2"])
    #expect(renderer.texts == ["0 3", "1 3", "2 3"])
    withExtendedLifetime(host) {}
  }

  @Test func `moving a row is no appearance, removing it is a disappearance`() throws {
    let journal = Journal(), names = Signal(["a", "b", "c"])
    let app = try TestHost(Store()) {
      ForEach(names.value, id: \.self) { name in
        Text(name).onAppear { journal.note("+\(name)") }.onDisappear { journal.note("-\(name)") }
      }
    }
    names.value = ["c", "a", "b"]
    #expect(journal.entries == ["+a", "+b", "+c"])
    names.value = ["b", "d"]
    #expect(journal.entries.dropFirst(3) == ["-c", "-a", "+d"])
    withExtendedLifetime(app) {}
  }

  @Test func `a row of objects in a list appears once, and disappears with its object`() throws {
    let (store, notes) = try notes(3)
    let journal = Journal()
    let results = store.results(Note.self).sorted(by: \.rank)
    let app = try TestHost(store) {
      ForEach(results) { note in Noted(name: "\(note.number)", journal: journal) }
    }
    notes[0].rank = 9
    try store.delete(notes[1])
    try store.undo()
    #expect(journal.entries == ["+0", "+1", "+2", "-1", "+1"])
    withExtendedLifetime(app) {}
  }

  @Test func `10,000 rows appear in one turn`() throws {
    let count = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(count.value)")
      ForEach(0..<10_000, id: \.self) { _ in Text("").onAppear { count.value += 1 } }
    }
    #expect((app.text.prefix(6), app.frames) == ("10000\n", 2))
  }

  // MARK: - onDisappear

  @Test func `onDisappear runs after the renderer was given the frame without the view`() {
    let log = Count(), isShown = Signal(true)
    let renderer = TextRenderer { log.log.append("frame \($0)") }
    let host = ViewHost(Store(), renderer: renderer) {
      if isShown.value {
        Text("shown").onDisappear { log.log.append("gone") }
      } else {
        Text("other").onAppear { log.log.append("appeared") }
      }
    }
    isShown.value = false
    #expect(log.log == ["frame shown", "frame other", "gone", "appeared"])
    withExtendedLifetime(host) {}
  }

  @Test func `what appeared last disappears first`() throws {
    let journal = Journal(), isShown = Signal(true)
    let app = try TestHost(Store()) {
      if isShown.value {
        Column {
          Noted(name: "a", journal: journal)
          Noted(name: "b", journal: journal)
        }.onDisappear { journal.note("-column") }
      }
    }
    isShown.value = false
    #expect(journal.entries == ["+a", "+b", "-b", "-a", "-column"])
    withExtendedLifetime(app) {}
  }

  @Test func `onDisappear runs when the host goes`() throws {
    let (store, notes) = try notes(1)
    let journal = Journal()
    var app: TestHost? = try TestHost(store) {
      Noted(name: "a", journal: journal).onDisappear { notes[0].rank = 7 }
    }
    #expect(app?.text == "[a 0]")
    app = nil
    #expect(journal.entries == ["+a", "-a"])
    #expect(notes[0].rank == 7)
  }

  @Test func `onDisappear is the intent that the last body gave`() throws {
    let number = Signal(0), log = Count()
    var app: TestHost? = try TestHost(Store()) {
      let number = number.value
      Text("\(number)").onDisappear { log.value = number }
    }
    number.value = 5
    #expect(app?.text == "5")
    app = nil
    #expect(log.value == 5)
  }

  @Test func `what never appeared does not disappear`() throws {
    let journal = Journal(), store = Store()
    try store.write {
      let app = try TestHost(store) { Noted(name: "a", journal: journal) }
      #expect(app.text == "[a 0]")
    }
    #expect(journal.entries == [])
  }

  @Test func `with a manual clock what appears does not ask for a frame`() throws {
    let clock = FrameClock.manual, log = Count()
    let app = try TestHost(Store(), clock: clock) { Text("a").onAppear { log.value += 1 } }
    #expect((log.value, clock.isWaiting, app.frames) == (1, false, 1))
  }

  // MARK: - Places

  @Test func `modifiers in a loop and in a condition are told apart by their places`() throws {
    let journal = Journal(), names = Signal(["a", "b"]), isFirst = Signal(true)
    let app = try TestHost(Store()) {
      for name in names.value {
        Text(name).onAppear { journal.note("+\(name)") }.onDisappear { journal.note("-\(name)") }
          .id(name)
      }
      isFirst.value
        ? Text("x").onAppear { journal.note("+x") } : Text("x").onDisappear { journal.note("-x") }
    }
    names.value = ["a", "b", "c"]
    isFirst.value = false
    isFirst.value = true
    #expect(journal.entries == ["+a", "+b", "+x", "+c", "-x", "+x"])
    names.value = ["a"]
    #expect(journal.entries.dropFirst(6) == ["-c", "-b"])
    withExtendedLifetime(app) {}
  }

  @Test func `one element in two places has two lives`() throws {
    let log = Count()
    let app = try TestHost(Store()) {
      let twin = Text("twin").onAppear { log.value += 1 }
      twin
      Column { twin }
    }
    #expect((app.text, log.value) == ("twin\ntwin", 2))
  }

  @Test func `an endless chain of appearances is stopped, and names the body`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      struct Growing: View {
        let number: Signal<Int>
        var body: Element {
          Text("\(number.value)").id(number.value).onChange(of: number.value, initial: true) {
            number.value += 1
          }
        }
      }
      let number = Signal(0)
      let app = try TestHost(Store()) { Growing(number: number) }
      withExtendedLifetime(app) {}
    }
    expectError(
      result, "stopped an endless chain: a host (the body of Growing) kept triggering itself")
  }
}
