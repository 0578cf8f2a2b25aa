import Probes
import Signals
import SignalsHTML

/// Pages of browsers: from a change to the patch, and how many bytes it has; and what a session needs.
enum PagesSuite {

  static func run(_ report: Report) throws {
    try form(report)
    try list(report)
    sessions(report)
  }

  /// 60 elements: 20 texts, fields and buttons each.
  private struct Form: View {
    let texts: [Signal<String>]

    var body: Element {
      for (number, text) in texts.enumerated() {
        Text(text.value)
        TextField("field \(number)", text: .constant("text"), id: "field \(number)")
        Button("button \(number)") {}
      }
    }
  }

  /// The same, with a view for each three.
  private struct Parts: View {
    let texts: [Signal<String>]

    var body: Element { for text in texts { Form(texts: [text]) } }
  }

  private static func form(_ report: Report) throws {
    let texts = (0..<20).map { Signal("text \($0)") }
    for (name, isParted) in [("one view", false), ("20 views", true)] {
      let session = HTMLSession(Store(), title: "Form", live: "/live") {
        if isParted { Parts(texts: texts) } else { Form(texts: texts) }
      }
      let page = try open(session)
      measure("a text of 60 elements in \(name)", page, report) { texts[7].value = "changed \($0)" }
    }
  }

  private struct Line: View {
    @ObservedObject var book: Book

    var body: Element { Text(book.title) }
  }

  private static func list(_ report: Report) throws {
    let store = Store(undoLimit: 0)
    let books = (0..<10_000).map { number in
      let book = Book()
      book.title = "row \(number)"
      book.pages = number
      return book
    }
    try store.write(undoable: false) { try store.add(books) }
    let sorted = store.results(Book.self).sorted(by: \.pages)
    let session = HTMLSession(store, title: "List", live: "/live") {
      ForEach(sorted) { book in Line(book: book) }
    }
    let page = try open(session)
    try measure("a row of 10000, of which 100 are shown", page, report) { run in
      try store.write { books[5].title = "row 5, \(run)" }
    }
    try measure("a row is put before 10000", page, report) { run in
      try store.write {
        let book = Book()
        book.title = "new \(run)"
        book.pages = -run
        try store.add(book)
      }
    }
  }

  /// Sessions with a page of 60 elements each.
  private static func sessions(_ report: Report) {
    guard probe_allocated_bytes() > 0 else { return }
    let texts = (0..<20).map { Signal("text \($0)") }
    for (name, live) in [("without a script", nil), ("with a script", "/live")]
      as [(String, String?)]
    {
      let count = report.isQuick ? 10 : 200
      var sessions: [HTMLSession] = []
      sessions.reserveCapacity(count)
      let before = probe_allocated_bytes()
      for _ in 0..<count {
        let session = HTMLSession(Store(), title: "Form", live: live) { Form(texts: texts) }
        use(session.page().count)
        sessions.append(session)
      }
      let bytes = Double(probe_allocated_bytes() - before) / Double(count)
      report.add(Row(name: "a session of 60 elements \(name)", unit: .bytes, signals: bytes))
      use(sessions)
    }
  }

  private static func open(_ session: HTMLSession) throws -> LivePage {
    let text = String(decoding: session.page(), as: UTF8.self)
    let name = text.firstMatch(of: /data-page="([^"]*)"/)?.1 ?? ""
    guard let page = session.livePage(String(name)) else { stop(1, "benchmarks: no page \(name)") }
    return page
  }

  private static func measure(
    _ name: String, _ page: LivePage, _ report: Report, _ change: (Int) throws -> Void
  ) rethrows {
    var (times, bytes): ([Double], [Int]) = ([], [])
    let runs = report.isQuick ? 5 : 500
    for run in 0..<runs {
      var patch: [UInt8]?
      times.append(
        try timed {
          try change(run)
          patch = page.nextPatch()
        })
      report.expect(patch != nil && page.nextPatch() == nil, "\(name): there is one patch")
      bytes.append(patch?.count ?? 0)
    }
    report.add(
      Row(
        name: name, unit: .nanoseconds, signals: times.sorted()[runs / 2],
        note: "\(bytes.sorted()[runs / 2]) bytes"))
  }
}
