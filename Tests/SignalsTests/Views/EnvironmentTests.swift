import Signals
import SignalsTesting
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
