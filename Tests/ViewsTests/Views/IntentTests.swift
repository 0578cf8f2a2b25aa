import Signals
import SignalsTesting
import TestSupport
import Testing

/// Intents: found by id, run as one transaction, errors that speak.
@Suite struct `Views, intents` {
  struct Stop: Error, Equatable {}

  @Test func `each kind of input reaches its element`() throws {
    let text = Signal("a"), flag = Signal(false), choice = Signal(1), taps = Count()
    let app = try TestHost(Store()) {
      Button("tap") { taps.value += 1 }
      TextField("text", text: text.binding)
      Toggle("flag", isOn: flag.binding)
      Picker("choice", selection: choice.binding, options: [1, 2, 3], id: "pick") { "no. \($0)" }
    }
    try app.host.perform("tap")
    try app.host.perform("text", with: .text("b"))
    try app.host.perform("flag", with: .flag(true))
    try app.host.perform("pick", with: .choice("3"))
    #expect(app.text == "[tap]\ntext: [b]\n[x] flag\nchoice: <no. 3>")
    try app.host.perform("flag")
    #expect((taps.value, flag.value, choice.value) == (1, false, 3))
  }

  @Test func `an element of another frame has only the error handler of its new place`() throws {
    let taken = Count(), own = Count()
    let first = try TestHost(Store()) {
      Button("go") { throw Stop() }.onError { _ in taken.value += 1 }
    }
    let button = try #require(first.host.frame.elements(of: first.host.frame.root).first)
    let second = try TestHost(Store()) { button }
    second.host.onError = { _ in own.value += 1 }
    #expect(throws: Stop()) { try second.host.perform("go") }
    #expect(taken.value == 0)
    #expect(own.value == 1)
  }

  @Test func `what can't be done is an error that says why`() throws {
    let app = try TestHost(Store()) {
      Button("borrow", id: "borrow-1") {}
      Button("borrow", id: "borrow-2") {}
      Button("return", id: "return-1") {}
      Button("off", id: "off") {}.disabled()
      Text("one", id: "twin")
      Text("two", id: "twin")
      Text("plain", id: "plain")
      Button("async", id: "async") { await Task.yield() }
      Picker("choice", selection: Signal("a").binding, options: ["a", "b"], id: "choice")
    }
    let expected: [(HostError, String)] = [
      (
        .noElement("borrow-3", nearest: ["borrow-1", "borrow-2", "choice"]),
        """
        no element with the id "borrow-3" is on screen; nearest: borrow-1, borrow-2, choice
        """
      ),
      (
        .ambiguousElement("twin", among: ["#twin", "#twin~1"].compactMap(ElementID.init)),
        """
        several elements with the id "twin" are on screen: what repeats needs ids of its own, \
        made of a key; they are #twin, #twin~1
        """
      ),
      (.disabled("off"), #"the element "off" is disabled"#),
      (
        .wrongInput("plain", kind: .text, .tap),
        #"the element "plain" is a text and can't take tap"#
      ),
      (.asyncIntent("async"), #"the intent of "async" is async: use performAsync"#),
    ]
    for (error, description) in expected {
      let id = String(error.description.split(separator: "\"")[1])
      #expect(throws: error) { try app.host.perform(.id(id)) }
      #expect(error.description == description)
    }
    let noOption = HostError.noOption("choice", option: "c", options: ["a", "b"])
    #expect(throws: noOption) { try app.host.perform("choice", with: .choice("c")) }
    #expect(noOption.description == #"the element "choice" has no option "c", only a, b"#)
    let wrong = HostError.wrongInput("borrow-1", kind: .button, .text("x"))
    #expect(throws: wrong) { try app.host.perform("borrow-1", with: .text("x")) }
    #expect(
      wrong.description == #"the element "borrow-1" is a button and can't take text("x")"#)
    #expect(
      HostError.noElement("a", nearest: []).description
        == #"no element with the id "a" is on screen"#)
    #expect(
      HostError.busy("a").description == #"another async intent is under way, "a" has to wait"#)
  }

  @Test func `an intent is one commit and one frame, over several writes`() throws {
    let (store, notes) = try notes(3)
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    let app = try TestHost(store) {
      Text(notes.map { "\($0.rank)" }.joined(separator: " "))
      Button("raise") {
        for note in notes { note.rank += 10 }
        try store.delete(notes[2])
        notes[1].rank = 0
      }
    }
    try app.tap("raise")
    #expect((app.text, app.frames, commits.count) == ("10 0 12\n[raise]", 2, 1))
    try store.undo()
    #expect(notes.map(\.rank) == [0, 1, 2])
    token.cancel()
  }

  @Test func `a throwing intent leaves every store unchanged, and notifies no observer`() throws {
    let (store, notes) = try notes(2)
    let (other, others) = try TestSupport.notes(1)
    let log = Count()
    let effect = Effect { log.log.append("\(notes[0].rank) \(others[0].rank)") }
    let app = try TestHost(store) {
      Text("\(notes[0].rank) \(store.results(Note.self).count)")
      Button("fail") {
        notes[0].rank = 50
        others[0].rank = 60
        try store.delete(notes[1])
        try other.write { try other.delete(others[0]) }
        throw Stop()
      }
    }
    var handled: [any Error] = []
    app.host.onError = { handled.append($0) }
    #expect(throws: Stop()) { try app.tap("fail") }
    #expect(handled.count == 1 && handled.first is Stop)
    #expect((app.text, app.frames) == ("0 2\n[fail]", 1))
    #expect(log.log == ["0 0"])
    #expect(!notes[1].isDeleted && !others[0].isDeleted)
    effect.cancel()
  }

  @Test func `a refused write makes the intent throw`() throws {
    let (store, notes) = try notes(2)
    let app = try TestHost(store) {
      Button("clash") {
        notes[0].title = "written"
        notes[1].number = 0
      }
    }
    #expect(throws: StoreError.self) { try app.tap("clash") }
    #expect((notes[0].title, notes[1].number) == ("note 0", 1))
  }

  @Test func `signals written by a throwing intent keep their values`() throws {
    let number = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(number.value)")
      Button("fail") {
        number.value = 1
        throw Stop()
      }
    }
    #expect(throws: Stop()) { try app.tap("fail") }
    #expect(app.text == "1\n[fail]")
  }

  @Test func `an intent within an intent is a savepoint of it`() throws {
    let (store, notes) = try notes(2)
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    let app = try TestHost(store) { Text("\(notes[0].rank) \(notes[1].rank)") }
    let host = app.host
    try host.perform {
      notes[0].rank = 5
      #expect(throws: Stop()) {
        try host.perform {
          notes[1].rank = 6
          throw Stop()
        }
      }
      try host.perform { notes[0].rank += 1 }
    }
    #expect((app.text, app.frames, commits) == ("6 1", 2, 1))
    #expect(throws: Stop()) {
      try host.perform {
        try host.perform { notes[0].rank = 100 }
        throw Stop()
      }
    }
    #expect((notes[0].rank, commits) == (6, 1))
    token.cancel()
  }

  @Test func `an observer may perform an intent, which is a later commit`() throws {
    let (store, notes) = try notes(2)
    var commits = 0
    let sink = store.commits.sink { _ in commits += 1 }
    let app = try TestHost(store) {
      Text("\(notes[0].rank) \(notes[1].rank)")
      Button("follow") { notes[1].rank = notes[0].rank }
    }
    let host = app.host
    let token = store.results(Note.self).where { $0.number == 0 }.observe { _ in
      try? host.perform("follow")
    }
    notes[0].rank = 8
    #expect((app.text, commits) == ("8 8\n[follow]", 2))
    sink.cancel()
    token.cancel()
  }

  @Test func `an intent may take its own view off the screen`() throws {
    let isShown = Signal(true), lifetime = Count()
    let app = try TestHost(Store()) {
      if isShown.value {
        Closing { isShown.value = false }
      } else {
        Text("gone \(lifetime.value)")
      }
    }
    try app.tap("close")
    #expect(app.text == "gone 0")
  }

  private struct Closing: View {
    @State var taps = 0
    let close: () -> Void
    var body: Element {
      Button("close") {
        close()
        taps += 1
      }
    }
  }

  @Test func `an intent in a body traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let host = ViewHost(Store(), renderer: TextRenderer()) { Text("") }
      let second = try TestHost(Store()) {
        let _ = try? host.perform {}
        Text("")
      }
      _ = second
    }
    expectError(result, "Signals: the root of a host must not write by an intent")
  }
}
