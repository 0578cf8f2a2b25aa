import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Frames of a log whose renderer asks for some rows alone, as one that scrolls does.
@Suite struct `Views, frames of rows in a log` {
  private func list(_ store: Store, _ sign: String) -> Element {
    let notes = store.results(Note.self).sorted(by: \.number)
    return ForEach(notes) { note in
      Row {
        Text("\(sign)\(note.title) \(note.rank)")
        Button("Raise") { note.rank += 1 }
        Button("Raise \(note.number)", id: "raise-\(note.number)") { note.rank += 10 }
      }
    }.element
  }

  private func mountWhole(_ store: Store) throws -> TestHost {
    try TestHost(store) { self.list(store, "") }
  }

  private func mount(
    _ store: Store, _ window: Range<Int>, sign: String = ""
  ) -> (host: ViewHost, renderer: WindowRenderer) {
    let renderer = WindowRenderer(window)
    let host = ViewHost(store, renderer: renderer) { self.list(store, sign) }
    host.intentLog = IntentLog(start: store.snapshot(), keepingScreens: true)
    return (host, renderer)
  }

  /// Of ten rows the first three, then two more; used are the second and the seventh.
  private func recorded() throws -> IntentLog {
    let (host, renderer) = mount(try notes(10).store, 0..<3)
    try host.perform("raise-1")
    renderer.window = 6..<8
    renderer.draw()
    let button = try #require(host.buttons("Raise").last)
    try host.perform(.element(button))
    let data = try JSONEncoder().encode(try #require(host.intentLog))
    let log = try JSONDecoder().decode(IntentLog.self, from: data)
    #expect(log == host.intentLog)
    return log
  }

  @Test func `an entry has the rows that were asked for, and says which`() throws {
    let log = try recorded()
    #expect(log.entries.map(\.rows) == [[[0..<3]], [[0..<3, 6..<8]]])
    #expect(log.entries.map(\.place) == [nil, [7, 0]])
    let screen = try #require(log.entries[1].screen)
    #expect(screen.contains("text \"note 7 8\""))
    #expect(screen.contains("rows 3..<6 that were not asked for\n"))
    #expect(screen.hasSuffix("rows 8..<10 that were not asked for"))
  }

  @Test func `a replay compares these rows, whatever its renderer asks for`() throws {
    let log = try recorded()
    let start = try #require(log.start)
    let whole = try mountWhole(Store(start))
    try whole.host.replay(log)
    #expect(whole.text.contains("note 7 8"))
    for window in [0..<3, 5..<9, 0..<0] {
      let (host, _) = mount(Store(start), window)
      try host.replay(log)
    }
  }

  @Test func `a log of all rows is compared in all, also where a renderer asks for few`() throws {
    let app = try mountWhole(try notes(10).store)
    app.intentLog = IntentLog(start: app.host.store.snapshot())
    try app.tap("raise-8")
    let log = try #require(app.intentLog)
    #expect(log.entries.map(\.rows) == [nil])
    try mount(Store(try #require(log.start)), 0..<2).host.replay(log)
  }

  @Test func `what differs in a row that was asked for is found, and so is another number of rows`()
    throws
  {
    let log = try recorded()
    let start = try #require(log.start)
    let error = try #require(throws: ReplayError.self) {
      try mount(Store(start), 0..<1, sign: "* ").host.replay(log)
    }
    #expect(error.description.contains("text \"* note 2 2\""))
    let fewer = Store(start)
    try fewer.delete(try #require(fewer.object(Note.self, primaryKey: 9)))
    let other = try #require(throws: ReplayError.self) {
      try mount(fewer, 0..<3).host.replay(log)
    }
    #expect(other.description.contains("rows 3..<9 that were not asked for"))
  }

  @Test func `looks are compared, and texts that look like lines are no lines`() throws {
    func lines(_ element: @escaping () -> Element) throws -> String {
      let app = try TestHost(Store()) { element() }
      app.intentLog = IntentLog(keepingScreens: true)
      try app.host.perform {}
      return try #require(app.intentLog?.entries.first?.screen)
    }
    #expect(try lines { Text("a").element } == "text \"a\"")
    #expect(try lines { Text("a").style(.warning) } == "text \"a\" {warning}")
    let id = try lines { Button("b", id: "x \"a\"\ntext \"c\"") {}.element }
    #expect(id == "button #\"x \\\"a\\\"\\ntext \\\"c\\\"\" \"b\"")
  }
}

extension ViewHost {
  /// The buttons of a title on screen.
  func buttons(_ title: String) -> [DrawnElement] {
    var found: [DrawnElement] = []
    frame.forEachShown { if $0.text == title { found.append($0) } }
    return found
  }
}

extension Frame {
  /// Calls `body` with what stands in the rows 6 and 7 of the list on screen.
  fileprivate func forEachShown(_ body: (DrawnElement) -> Void) {
    guard let list = elements(of: root).first?.scope, let rows = rows(of: list) else { return }
    func walk(_ elements: [Element]) {
      for element in elements {
        switch element.content {
        case .drawn(let drawn):
          body(drawn)
          walk(drawn.children)
        case .scope(let scope): walk(self.elements(of: scope))
        case nil: break
        }
      }
    }
    for row in rows[6..<8] { walk(elements(of: row)) }
  }
}
