import Signals
import SignalsTesting
import TestSupport
import Testing

/// Rows whose ids are equal, or become so.
@Suite struct `Views, rows with equal ids` {
  private let tags = Signal<[String]>([])

  /// A row's tag with a state of its own: the number of times that it was pushed.
  private struct Row: View {
    @Binding var tag: String
    @State private var pushes = 0

    var body: Element {
      TextField("t", text: $tag, id: "tag")
      Button("\(pushes)", id: "push") { pushes += 1 }
    }
  }

  private func bound(_ clock: FrameClock = .immediate) throws -> TestHost {
    let tags = tags
    return try TestHost(Store(), clock: clock) {
      ForEachBinding(tags.binding, id: \.self) { $tag in Row(tag: $tag) }
      Text(tags.value.joined(separator: ","))
    }
  }

  private func element(_ id: String, _ number: Int, in app: TestHost) throws -> DrawnElement {
    let all = app.elements { $0.id == id }
    return try #require(number < all.count ? all[number] : nil)
  }

  /// Types a text character by character.
  private func type(_ text: String, into row: Int, of app: TestHost) throws {
    for character in text {
      let field = try element("tag", row, in: app)
      guard case .text(let present) = field.value else { return }
      try app.type(present + String(character), into: field)
    }
  }

  /// The states of the rows.
  private func pushes(_ app: TestHost) -> [String] {
    app.elements { $0.id == "push" }.map(\.text)
  }

  @Test func `a refused id leaves the row where it is`() throws {
    let tags = tags
    tags.value = ["a", "b"]
    let unique = Binding(
      get: { tags.value }, set: { if Set($0).count == $0.count { tags.value = $0 } })
    let app = try TestHost(Store()) {
      ForEachBinding(unique, id: \.self) { $tag in Row(tag: $tag) }
    }
    try app.tap(element("push", 0, in: app))
    try app.type("b", into: element("tag", 0, in: app))
    #expect(tags.value == ["a", "b"])
    tags.value = ["b"]
    #expect(pushes(app) == ["0"])
  }

  @Test(arguments: [
    (["", ""], 1, "hi", ["", "hi"]), (["", ""], 0, "hi", ["hi", ""]),
    (["red", "re"], 1, "ds", ["red", "reds"]), (["re", "red"], 0, "ds", ["reds", "red"]),
    (["a", "b", "a", "b"], 2, "b", ["a", "b", "ab", "b"]), (["", "", ""], 1, "x", ["", "x", ""]),
    (["a", "", "ab", "abc"], 1, "abcd", ["a", "abcd", "ab", "abc"]),
  ]) func `a row stays itself, whatever is typed into it`(
    _ old: [String], _ row: Int, _ text: String, _ new: [String]
  ) throws {
    tags.value = old
    let app = try bound()
    for number in old.indices {
      for _ in 0...number { try app.tap(element("push", number, in: app)) }
    }
    let states = pushes(app)
    let scopes = app.host.frame.rows
    try type(text, into: row, of: app)
    #expect(tags.value == new)
    #expect(pushes(app) == states)
    #expect(app.host.frame.rows == scopes)
    for number in new.indices { try app.tap(element("push", number, in: app)) }
    #expect(pushes(app) == old.indices.map { "\($0 + 2)" })
    #expect(app.errors.isEmpty)
  }

  @Test func `rows that are typed into between two frames stay themselves`() throws {
    tags.value = ["", "", ""]
    let clock = FrameClock.manual
    let app = try bound(clock)
    try app.tap(element("push", 1, in: app))
    clock.tick()
    try app.type("b", into: element("tag", 1, in: app))
    try app.type("a", into: element("tag", 0, in: app))
    tags.value.append("")
    clock.tick()
    #expect(tags.value == ["a", "b", "", ""])
    #expect(pushes(app) == ["0", "1", "0", "0"])
  }

  @Test func `a row that comes while another is typed into does not take its place`() throws {
    tags.value = ["re", "red"]
    let clock = FrameClock.manual
    let app = try bound(clock)
    try app.tap(element("push", 0, in: app))
    clock.tick()
    try app.type("r", into: element("tag", 0, in: app))
    tags.value.insert("new", at: 0)
    clock.tick()
    #expect(tags.value == ["new", "r", "red"])
    #expect(pushes(app) == ["0", "1", "0"])
    tags.value = ["", ""]
    clock.tick()
    try app.tap(element("push", 1, in: app))
    clock.tick()
    try app.type("a", into: element("tag", 1, in: app))
    tags.value.insert("", at: 0)
    clock.tick()
    #expect(tags.value == ["", "", "a"])
    #expect(pushes(app) == ["0", "0", "1"])
  }

  @Test func `a value that others replace has another row`() throws {
    tags.value = ["a", "b"]
    let app = try bound()
    try app.tap(element("push", 0, in: app))
    tags.value = ["c", "b"]
    #expect(pushes(app) == ["0", "0"])
  }

  @Test func `what is written and undone leaves the row itself`() throws {
    tags.value = ["a", "a"]
    let app = try bound()
    try app.tap(element("push", 1, in: app))
    try app.type("b", into: element("tag", 1, in: app))
    try app.type("a", into: element("tag", 1, in: app))
    #expect((tags.value, pushes(app)) == (["a", "a"], ["0", "1"]))
  }

  @Test func `rows that are added and removed concern no equal one`() throws {
    tags.value = ["", ""]
    let app = try bound()
    try app.tap(element("push", 0, in: app))
    tags.value.append("")
    #expect(pushes(app) == ["1", "0", "0"])
    try app.tap(element("push", 2, in: app))
    try app.tap(element("push", 2, in: app))
    tags.value = ["", "x", "", ""]
    #expect(pushes(app) == ["1", "0", "0", "2"])
    tags.value.removeFirst()
    #expect(pushes(app) == ["0", "0", "2"])
    tags.value.removeFirst()
    #expect(pushes(app) == ["0", "2"])
  }

  @Test func `the frame says where the focus is, also when the row has another id`() throws {
    tags.value = ["", ""]
    let app = try bound()
    let row = try #require(app.host.frame.rows.last)
    guard case .scope(let view)? = app.host.frame.elements(of: row).first?.content else {
      return #expect(Bool(false), "a row has no view")
    }
    app.host.moveFocus(to: "tag", in: view)
    try type("hi", into: 1, of: app)
    let focus = try #require(app.host.frame.focus)
    #expect(app.host.frame.scope(at: focus.scope) == view)
    #expect(app.host.frame.element(focus)?.value == .text("hi"))
  }

  @Test(arguments: 0..<30) func `the changes of rows lead from each frame to the next`(
    _ seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    tags.value = ["", "a", ""]
    let app = try bound()
    var (last, rows) = (app.host.frame.list, app.host.frame.rows)
    for _ in 0..<20 {
      let count = tags.value.count
      switch Int.random(in: 0..<5, using: &random) {
      case 0: tags.value.insert(["", "a"].randomElement(using: &random) ?? "", at: count / 2)
      case 1 where count > 1: tags.value.remove(at: Int.random(in: 0..<count, using: &random))
      case 2: tags.value.shuffle(using: &random)
      default:
        let field = try element("tag", Int.random(in: 0..<count, using: &random), in: app)
        try app.type(["", "a", "ab"].randomElement(using: &random) ?? "", into: field)
      }
      let frame = app.host.frame
      #expect(app.elements { $0.id == "tag" }.map(\.value) == tags.value.map { .text($0) })
      #expect(Set(frame.rows).count == tags.value.count)
      let list = try #require(frame.list)
      list.change(from: try #require(last)).apply(to: &rows)
      #expect(rows == frame.rows)
      (last, rows) = (list, frame.rows)
    }
  }

  private final class Book: Object { @Field var title = "" }
  private final class Shelf: Object { @Links var books: List<Book> }

  @Test func `a list with an object twice keeps the state of the second with that`() throws {
    let (store, shelf, book, other) = (Store(), Shelf(), Book(), Book())
    shelf.books = [book, other, book]
    try store.add(shelf)
    let app = try TestHost(store) {
      ForEach(shelf.books) { book in
        Row(tag: Binding(get: { book.title }, set: { book.title = $0 }))
      }
    }
    try app.tap(element("push", 2, in: app))
    shelf.books.removeFirst()
    #expect(pushes(app) == ["0", "1"])
    shelf.books.insert(book, at: 0)
    #expect(pushes(app) == ["0", "0", "1"])
    shelf.books.insert(other, at: 0)
    #expect(pushes(app) == ["0", "0", "0", "1"])
    try type("x", into: 3, of: app)
    #expect(pushes(app) == ["0", "0", "0", "1"] && book.title == "x")
  }

  /// A row with a number, and a state of its own.
  private struct NumberRow: View {
    @Binding var number: Double
    @State private var pushes = 0

    var body: Element {
      Button("\(pushes)", id: "push") { pushes += 1 }
      Button("one", id: "one") { number = 1 }
    }
  }

  @Test func `Rows whose ids are NaN keep their states and their bindings`() throws {
    let numbers = Signal<[Double]>([.nan, 2, .nan])
    let app = try TestHost(Store()) {
      ForEachBinding(numbers.binding, id: \.self) { $number in NumberRow(number: $number) }
    }
    try app.tap(element("push", 2, in: app))
    #expect(pushes(app) == ["0", "0", "1"])
    numbers.value[1] = 3
    #expect(pushes(app) == ["0", "0", "1"])
    numbers.value.insert(4, at: 0)
    #expect(pushes(app) == ["0", "0", "0", "1"])
    try app.tap(element("one", 3, in: app))
    #expect(numbers.value.map { $0.isNaN ? -1 : $0 } == [4, -1, 3, 1])
    #expect(pushes(app) == ["0", "0", "0", "1"])
    numbers.value.removeAll { $0.isNaN }
    #expect(pushes(app) == ["0", "0", "1"])
  }
}

extension Frame {
  /// The rows of the only list on screen.
  fileprivate var list: FrameRows? {
    for element in elements(of: root) {
      if case .scope(let scope)? = element.content, let rows = rows(of: scope) { return rows }
    }
    return nil
  }

  fileprivate var rows: [ScopeID] { list.map(Array.init) ?? [] }
}
