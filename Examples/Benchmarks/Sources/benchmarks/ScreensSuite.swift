import Probes
import Signals

/// Many hosts of one screen over one store, as a server has them.
enum ScreensSuite {
  struct Search: View {
    @ObservedResults(Book.self, sortedBy: \.title) var books
    @State private var text = ""

    var body: Element {
      TextField("search", text: $text, id: "search")
      ForEach($books.where(on: text) { text.isEmpty || $0.title.contains(text) }) { book in
        Text("\(book.title), \(book.pages)")
      }
    }
  }

  struct WordSearch: View {
    @ObservedResults(Book.self, sortedBy: \.title) var books
    @State private var text = ""

    var body: Element {
      TextField("search", text: $text, id: "search")
      ForEach($books.results(on: text) { $0.matching(text + "*", in: \.title) }) { book in
        Text("\(book.title), \(book.pages)")
      }
    }
  }

  /// Asks for the first rows of the list, and then for those that look different.
  final class Top: Renderer {
    private(set) var shown = 0

    func commit(_ new: Frame, replacing old: Frame?) {
      guard case .scope(let search)? = new.elements(of: new.root).first?.content,
        case .scope(let list)? = new.elements(of: search).last?.content,
        let rows = new.rows(of: list)
      else { return }
      if old != nil, !new.changed.contains(list) {
        for scope in new.changed { use(new.elements(of: scope).count) }
        return
      }
      shown = 0
      for row in rows.prefix(20) { shown += new.elements(of: row).count }
    }
  }

  static func run(_ report: Report) throws {
    let rows = report.isQuick ? 200 : 10_000
    let (store, books) = try ResultsSuite.makeStore(rows)
    let first = books.min { $0.title < $1.title }
    var screens: [(host: ViewHost, renderer: Top)] = []
    func open() {
      let renderer = Top()
      screens.append((ViewHost(store, renderer: renderer) { Search() }, renderer))
    }
    open()
    let count = report.isQuick ? 10 : 1000
    let bytes = probe_allocated_bytes()
    let mount = timed { for _ in 1..<count { open() } }
    let grown = Int(probe_allocated_bytes()) - Int(bytes)
    report.expect(screens.allSatisfy { $0.renderer.shown == 20 }, "not all screens show 20 rows")
    report.add(
      Row(
        name: "mount one of \(count) screens, \(rows) rows", unit: .nanoseconds,
        signals: mount / Double(count - 1),
        note: "\(grown / (count - 1) / 1024) KiB each"))
    let writes = report.isQuick ? 1 : 5
    let write = median(of: report.isQuick ? 1 : 3, operations: writes * count) {
      for _ in 0..<writes { first?.pages += 1 }
    }
    report.add(
      Row(
        name: "a write of a row that \(count) screens show, each", unit: .nanoseconds,
        signals: write))
    var letters = 0
    let typing = try median(of: report.isQuick ? 1 : 5) {
      letters += 1
      try screens[count / 2].host.perform("search", with: .text("\(letters)"))
    }
    var found = 0
    let plainTyping = median(of: report.isQuick ? 1 : 5) {
      letters += 1
      let text = "\(letters)"
      found = books.filter { text.isEmpty || $0.title.contains(text) }.count
    }
    use(found)
    report.add(
      Row(
        name: "type in one of \(count) screens", unit: .nanoseconds, signals: typing,
        peers: [.plain: plainTyping], note: "plain: the filter alone"))
    let words = Top()
    let host = ViewHost(store, renderer: words) { WordSearch() }
    try host.perform("search", with: .text("0"))
    let typingWords = try median(of: report.isQuick ? 1 : 5) {
      letters += 10
      try host.perform("search", with: .text("\(letters)"))
    }
    report.add(
      Row(
        name: "type in one of \(count) screens, by words", unit: .nanoseconds,
        signals: typingWords, note: "\(words.shown) rows shown"))
  }
}
