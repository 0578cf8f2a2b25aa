import Signals
import SignalsTesting
import TestSupport
import Testing

private enum ThemeKey: EnvironmentKey {
  static var defaultValue: String { "light" }
}

private enum SizeKey: EnvironmentKey {
  static var defaultValue: Int { 12 }
}

extension EnvironmentValues {
  fileprivate var theme: String {
    get { self[ThemeKey.self] }
    set { self[ThemeKey.self] = newValue }
  }
  fileprivate var size: Int {
    get { self[SizeKey.self] }
    set { self[SizeKey.self] = newValue }
  }
}

/// `@Environment`: set above, read below.
@Suite struct `Views, environment` {
  struct Leaf: View {
    @Environment(\.theme) private var theme
    let count: Count
    init(_ count: Count) { self.count = count }
    var body: Element {
      let _ = count.value += 1
      Text(theme)
    }
  }

  struct Middle: View {
    let middle: Count, leaf: Count
    var body: Element {
      let _ = middle.value += 1
      Leaf(leaf)
    }
  }

  @Test func `a key has its default, an override, or the nearest of several`() throws {
    let count = Count()
    let app = try TestHost(Store()) {
      Leaf(count)
      Column {
        Leaf(count)
        Leaf(count).environment(\.theme, "red")
      }.environment(\.theme, "dark")
    }
    #expect(app.text == "light\ndark\nred")
  }

  @Test func `outside of a view it is the default`() {
    @Environment(\.theme) var theme
    #expect(theme == "light")
  }

  @Test func `only those who read a key run when it changes, without their parents`() throws {
    let theme = Signal("one"), size = Signal(1)
    let middle = Count(), leaf = Count()
    let app = try TestHost(Store()) {
      Middle(middle: middle, leaf: leaf)
        .environment(\.theme, theme.value).environment(\.size, size.value)
    }
    theme.value = "two"
    #expect((app.text, middle.value, leaf.value) == ("two", 1, 2))
    size.value = 2
    #expect((middle.value, leaf.value) == (1, 2))
  }

  @Test func `a child whose parent's inputs changed too is evaluated once, after it`() throws {
    struct Parent: View {
      let isShown: Bool
      let leaf: Count
      var body: Element {
        if isShown { Leaf(leaf) }
      }
    }
    let theme = Signal("one"), leaf = Count()
    let app = try TestHost(Store()) {
      Parent(isShown: theme.value != "gone", leaf: leaf).environment(\.theme, theme.value)
    }
    theme.value = "two"
    #expect((app.text, leaf.value) == ("two", 2))
    theme.value = "gone"
    #expect((app.text, leaf.value) == ("", 2), "never evaluated where its parent drops it")
  }

  @Test func `rows read through the wrappers of the view around them`() throws {
    struct Rows: View {
      @Environment(\.theme) private var theme
      init() {}
      var body: Element {
        ForEach(0..<2, id: \.self) { Text("\($0) \(theme)") }
      }
    }
    let theme = Signal("one")
    let app = try TestHost(Store()) { Rows().environment(\.theme, theme.value) }
    #expect(app.text == "0 one\n1 one")
    theme.value = "two"
    #expect(app.text == "0 two\n1 two")
  }

  @Test func `views in rows are notified without the rows around them`() throws {
    struct Rows: View {
      let leaf: Count
      var body: Element {
        ForEach(0..<3, id: \.self) { _ in Leaf(leaf) }
      }
    }
    let theme = Signal("one"), leaf = Count()
    let app = try TestHost(Store()) { Rows(leaf: leaf).environment(\.theme, theme.value) }
    let bodies = app.bodies
    theme.value = "two"
    #expect((app.text, leaf.value) == ("two\ntwo\ntwo", 6))
    #expect(app.bodies - bodies == 4, "the root and three leaves")
  }

  @Test func `a closure reads the present value`() throws {
    struct Asking: View {
      @Environment(\.theme) private var theme
      let count: Count
      init(_ count: Count) { self.count = count }
      var body: Element { Button("ask") { count.log.append(theme) } }
    }
    let theme = Signal("one"), count = Count()
    let app = try TestHost(Store()) { Asking(count).environment(\.theme, theme.value) }
    try app.tap("ask")
    theme.value = "two"
    try app.tap("ask")
    #expect(count.log == ["one", "two"])
    #expect(app.bodies == 3, "a read in an intent is no dependency")
  }

  @Test func `disabling reaches everything below, whatever is set further down`() throws {
    let isDisabled = Signal(true), count = Count()
    let app = try TestHost(Store()) {
      Column {
        Button("one") { count.value += 1 }
        Column { Button("two") { count.value += 1 } }.disabled(false)
      }.disabled(isDisabled.value)
    }
    let host = app.host
    #expect(throws: HostError.disabled("one")) { try host.perform("one") }
    #expect(throws: HostError.disabled("two")) { try host.perform("two") }
    isDisabled.value = false
    try app.tap("one")
    try app.tap("two")
    #expect(count.value == 2)
  }

  @Test func `a subtree may have a store of its own`() throws {
    struct Numbers: View {
      @ObservedResults(Note.self, sortedBy: \.rank) var notes
      var body: Element { Text("\(notes.count)") }
    }
    let (one, _) = try notes(1)
    let (two, _) = try notes(2)
    let (three, _) = try notes(3)
    let inner = Signal(false)
    let app = try TestHost(one) {
      Numbers()
      Numbers().environment(\.store, inner.value ? three : two)
    }
    #expect(app.text == "1\n2")
    inner.value = true
    #expect(app.text == "1\n3")
    let added = Note()
    added.number = 9
    try three.add(added)
    #expect(app.text == "1\n4")
  }
}

extension `Views, environment` {
  struct Shelf: View {
    @ObservedResults(Note.self, sortedBy: \.number) var notes
    @Environment(\.store) private var store
    let name: String

    init(_ name: String) { self.name = name }

    var body: Element {
      Text("\(name) \(notes.map { "\($0.rank)" }.joined(separator: " "))")
      Button("raise \(name)") { for note in notes { note.rank += 1 } }
      Button("add \(name)") {
        let note = Note()
        note.number = 9
        try $notes.append(note)
      }
      Button("undo \(name)") { try store?.undo() }
      Button("fail \(name)") {
        for note in notes { note.rank += 100 }
        throw Count.Stop()
      }
    }
  }

  @Test func `two stores side by side: the intents of each write their own`() throws {
    let (one, _) = try notes(1)
    let (two, _) = try notes(2)
    let app = try TestHost(one) {
      Shelf("a")
      Shelf("b").environment(\.store, two)
    }
    var log: [String] = []
    let tokens = [
      one.commits.sink { _ in log.append("one") }, two.commits.sink { _ in log.append("two") },
    ]
    func rows() -> [String] {
      app.text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("[") }
    }
    try app.tap("raise b")
    #expect((rows(), log) == (["a 0", "b 1 2"], ["two"]))
    try app.tap("add a")
    #expect((rows(), log) == (["a 0 0", "b 1 2"], ["two", "one"]))
    #expect(throws: Count.Stop.self) { try app.tap("fail b") }
    #expect((rows(), log.count) == (["a 0 0", "b 1 2"], 2), "undone in the store of the subtree")
    try app.tap("undo b")
    #expect(rows() == ["a 0 0", "b 0 1"])
    try app.tap("undo a")
    #expect((rows(), log) == (["a 0", "b 0 1"], ["two", "one", "two", "one"]))
    for token in tokens { token.cancel() }
  }

  @Test func `one intent that writes to two stores is a commit of each, or of none`() throws {
    let (one, ones) = try notes(1)
    let (two, twos) = try notes(1)
    let app = try TestHost(one) {
      Shelf("a")
      Shelf("b").environment(\.store, two)
      Button("both") {
        ones[0].rank = 5
        twos[0].rank = 6
      }
      Button("neither") {
        ones[0].rank = 7
        twos[0].rank = 8
        throw Count.Stop()
      }
    }
    try app.tap("both")
    #expect(throws: Count.Stop.self) { try app.tap("neither") }
    #expect((ones[0].rank, twos[0].rank, app.frames) == (5, 6, 2))
  }

  @Test func `a key that a body stopped reading is no dependency any more`() throws {
    struct Choosing: View {
      @Environment(\.theme) private var theme
      @Environment(\.size) private var size
      let asksTheme: Bool
      let count: Count
      init(_ asksTheme: Bool, _ count: Count) {
        self.asksTheme = asksTheme
        self.count = count
      }
      var body: Element {
        let _ = count.value += 1
        Text(asksTheme ? theme : "\(size)")
      }
    }
    let theme = Signal("one"), size = Signal(1), asksTheme = Signal(true), count = Count()
    let app = try TestHost(Store()) {
      Choosing(asksTheme.value, count).environment(\.theme, theme.value)
        .environment(\.size, size.value)
    }
    size.value = 2
    #expect(count.value == 1)
    asksTheme.value = false
    #expect((app.text, count.value) == ("2", 2))
    theme.value = "two"
    #expect(count.value == 2)
    size.value = 3
    #expect((app.text, count.value) == ("3", 3))
  }

  @Test func `setting an equal value runs no body`() throws {
    let number = Signal(0), count = Count()
    let app = try TestHost(Store()) {
      Leaf(count).environment(\.theme, number.value < 2 ? "low" : "high")
    }
    number.value = 1
    #expect((app.bodies, count.value) == (3, 1))
    number.value = 2
    #expect((app.text, count.value) == ("high", 2))
  }
}
