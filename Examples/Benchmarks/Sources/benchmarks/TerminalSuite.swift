import Signals
import SignalsTerminal

/// Frames of a full-screen app at 200×60: from a change to the bytes that a terminal is told, and how many they are.
///
/// 60 frames a second leave 16.7 ms for one.
enum TerminalSuite {
  private static let size = (width: 200, height: 60)

  struct Line: View {
    @ObservedObject var book: Book

    var body: Element {
      TableRow(id: book.title) {
        Text(book.title)
        Text("\(book.pages) pages of a text that fills what is left of the line, or most of it")
        Text("\(book.pages)")
      } onTap: {
      }
    }
  }

  static func run(_ report: Report) throws {
    for count in report.isQuick ? [1000] : [1000, 1_000_000] { try table(count, report) }
    first(report)
  }

  /// A table of so many rows of objects, of which one screen is to be seen.
  private static func table(_ count: Int, _ report: Report) throws {
    let store = Store(undoLimit: 0)
    let books = (0..<count).map { number in
      let book = Book()
      book.title = "row \(number)"
      book.pages = number
      return book
    }
    try store.write(undoable: false) { try store.add(books) }
    let all = store.results(Book.self)
    let screen = TerminalScreen(store, width: size.width, height: size.height) {
      Text("A title").style(.title)
      Table(
        [
          TableColumn("Name", minWidth: 20), TableColumn("Text", flex: 1),
          TableColumn("Pages", minWidth: 10, alignment: .trailing),
        ], id: "table"
      ) {
        ForEach(all) { book in Line(book: book) }
      }
      Text("A line at the foot").style(.status)
    }
    use(screen.renderer.update().count)
    let runs = report.isQuick ? 5 : 200

    try measure("1 row of \(count) changes", runs, screen, report) { run in
      try store.write { books[5].title = "row 5, \(run)" }
    }
    measure("all of \(count) scroll by a page", runs, screen, report) { _ in
      screen.press("page-down")
    }
    measure("all of \(count) scroll by 3 lines", runs, screen, report) { run in
      screen.handle(.mouse(TerminalMouse(run % 40 < 20 ? .scrollUp : .scrollDown, x: 9, y: 9)))
    }
    measure("all of \(count) from one end to the other", min(runs, 50), screen, report) { run in
      screen.press(run.isMultiple(of: 2) ? "end" : "home")
    }
    report.expect(screen.host.bodies < 60 * (runs + 200), "only rows in sight are made")
  }

  /// Everything written: what a resize, or `ctrl-l`, costs.
  private static func first(_ report: Report) {
    let screen = TerminalScreen(Store(), width: size.width, height: size.height) {
      ForEach(Array(0..<size.height), id: \.self) { row in
        Text(String(repeating: "line \(row) ", count: 20))
      }
    }
    measure("every cell is written", report.isQuick ? 5 : 100, screen, report) { _ in
      screen.resize(width: size.width, height: size.height)
    }
  }

  private static func measure(
    _ name: String, _ runs: Int, _ screen: TerminalScreen, _ report: Report,
    _ change: (Int) throws -> Void
  ) rethrows {
    var times: [Double] = []
    var bytes: [Int] = []
    for run in 0..<runs {
      times.append(
        try timed {
          try change(run)
          bytes.append(screen.renderer.update().count)
        })
    }
    let worst = times.max() ?? 0
    report.add(
      Row(
        name: name, unit: .nanoseconds, signals: times.sorted()[runs / 2],
        note: "\(bytes.sorted()[runs / 2]) bytes; worst \(Int(worst / 1000)) us"))
  }
}
