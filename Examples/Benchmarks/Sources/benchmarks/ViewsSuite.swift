import Probes
import Signals

/// Screens of many rows, up to the renderer; and keyed differences beside `CollectionDifference`.
enum ViewsSuite {
  struct Line: View {
    @ObservedObject var book: Book

    var body: Element { Text(book.title) }
  }

  struct Shelf: View {
    @ObservedResults(Book.self, sortedBy: \.pages) var books

    var body: Element {
      ForEach(books) { book in Text(book.title) }
    }
  }

  final class Part: Object {
    @Indexed var owner = 0
    @Field var title = ""
  }

  /// Rows with rows in them, each found with what the outer row shows.
  struct MasterDetail: View {
    @ObservedResults(Part.self) var parts
    let owners: [Int]

    var body: Element {
      ForEach(owners, id: \.self) { owner in
        Text("\(owner)")
        ForEach($parts.results(on: owner) { $0.where(\.owner, equals: owner) }) { part in
          Text(part.title)
        }
      }
    }
  }

  /// Keeps all rows, as a toolkit with widgets does: asks for all of the first frame, then for what changed.
  final class AllRows: Renderer {
    private var list: ScopeID?
    private var rows: FrameRows?
    private(set) var count = 0

    func commit(_ new: Frame, replacing old: Frame?) {
      guard old != nil, let list, let before = rows, let after = new.rows(of: list) else {
        new.forEach { use($0) }
        list = ViewsSuite.list(in: new)
        rows = list.flatMap { new.rows(of: $0) }
        count = rows?.count ?? 0
        return
      }
      for scope in new.changed where scope != list { use(new.elements(of: scope).count) }
      guard new.changed.contains(list) else { return }
      let change = after.change(from: before)
      for row in change.inserted { use(new.elements(of: row).count) }
      count += change.insertions.count - change.deletions.count
      rows = after
    }
  }

  /// The scope of the rows of a `Shelf`.
  private static func list(in frame: Frame) -> ScopeID? {
    guard case .scope(let shelf)? = frame.elements(of: frame.root).first?.content,
      case .scope(let list)? = frame.elements(of: shelf).first?.content
    else { return nil }
    return list
  }

  /// Asks for the rows that fit on a screen.
  final class Window: Renderer {
    private(set) var shown = 0

    func commit(_ new: Frame, replacing old: Frame?) {
      guard let list = ViewsSuite.list(in: new), let rows = new.rows(of: list) else { return }
      shown = 0
      for row in rows.prefix(60) { shown += new.elements(of: row).count }
    }
  }

  static func run(_ report: Report) throws {
    let sizes = report.isQuick ? [100, 1000] : [10_000, 100_000]
    for count in sizes {
      try rows(count, report)
    }
    try window(sizes[1] * 10, report)
    for count in report.isQuick ? [50, 100] : [1000, 10_000] { try masterDetail(count, report) }
    mounts(report)
    try ScreensSuite.run(report)
    try differences(report)
  }

  private static func makeStore(_ count: Int) throws -> (Store, [Book]) {
    let store = Store(undoLimit: 0)
    let books = (0..<count).map { index in
      let book = Book()
      book.title = "row \(index)"
      book.pages = index
      return book
    }
    try store.write(undoable: false) { try store.add(books) }
    return (store, books)
  }

  private static func rows(_ count: Int, _ report: Report) throws {
    let (store, books) = try makeStore(count)
    let renderer = AllRows()
    var host: ViewHost?
    let first = median(of: report.isQuick ? 1 : 5) {
      host = nil
    } _: {
      host = ViewHost(store, renderer: renderer) { Shelf() }
    }
    report.add(
      Row(
        name: "first render of \(count) rows", unit: .milliseconds, signals: first,
        operations: count))
    guard let host else { return }
    let operations = report.isQuick ? 10 : 2000
    var bodies = host.bodies
    let change = median(of: report.isQuick ? 1 : 9, operations: operations) {
      for index in 0..<operations { books[index &* 7919 % count].title += "!" }
    }
    let runs = report.isQuick ? 1 : 9
    report.expect(
      host.bodies - bodies == operations * runs,
      "\(host.bodies - bodies) bodies, not \(operations * runs)")
    report.add(Row(name: "one changed row of \(count)", unit: .nanoseconds, signals: change))
    bodies = host.bodies
    let moves = report.isQuick ? 10 : 500
    let move = median(of: report.isQuick ? 1 : 9, operations: moves) {
      for index in 0..<moves { shift(books[index &* 7919 % count], in: count) }
    }
    report.expect(host.bodies == bodies, "a move runs \(host.bodies - bodies) bodies")
    report.add(Row(name: "one moved row of \(count)", unit: .nanoseconds, signals: move))
    let inserts = report.isQuick ? 5 : 100
    let insert = try median(of: report.isQuick ? 1 : 5, operations: inserts) {
      for _ in 0..<inserts {
        let book = Book()
        try store.add(book)
        try store.delete(book)
      }
    }
    report.expect(renderer.count == count, "\(renderer.count) rows, not \(count)")
    report.add(
      Row(name: "a row in and out, of \(count)", unit: .nanoseconds, signals: insert))
  }

  /// Moves a row by its sort key.
  private static func shift(_ book: Book, in count: Int) {
    book.pages = (book.pages &* 31 &+ 17) % count
  }

  private static func window(_ count: Int, _ report: Report) throws {
    let (store, books) = try makeStore(count)
    let renderer = Window()
    var host: ViewHost?
    let first = timed { host = ViewHost(store, renderer: renderer) { Shelf() } }
    report.expect(renderer.shown == min(60, count), "\(renderer.shown) rows are shown")
    report.add(
      Row(name: "first screen of 60 rows of \(count)", unit: .milliseconds, signals: first))
    let operations = report.isQuick ? 10 : 500
    let change = median(of: report.isQuick ? 1 : 9, operations: operations) {
      for index in 0..<operations { shift(books[index &* 7919 % count], in: count) }
    }
    report.add(
      Row(
        name: "one moved row of \(count), 60 on screen", unit: .nanoseconds, signals: change))
    use(host)
  }

  /// Rows with results of their own, first shown and then with one part that has another owner.
  private static func masterDetail(_ count: Int, _ report: Report) throws {
    let store = Store(undoLimit: 0)
    let parts = (0..<count * 2).map { index in
      let part = Part()
      part.owner = index / 2
      part.title = "part \(index)"
      return part
    }
    try store.write(undoable: false) { try store.add(parts) }
    let renderer = TextRenderer()
    var host: ViewHost?
    let first = timed {
      host = ViewHost(store, renderer: renderer) { MasterDetail(owners: Array(0..<count)) }
    }
    report.expect(renderer.text.contains("part \(count * 2 - 1)"), "the last part is not shown")
    report.add(
      Row(
        name: "first render of \(count) rows with rows of their own", unit: .milliseconds,
        signals: first, operations: count))
    let bodies = host?.bodies ?? 0
    parts[0].owner = count - 1
    report.expect((host?.bodies ?? 0) - bodies == 1, "more than the row that came runs")
    use(host)
  }

  /// Mounts and unmounts, which must leave nothing behind.
  private static func mounts(_ report: Report) {
    let count = report.isQuick ? 100 : 100_000
    let isShown = Signal(false)
    struct Inner: View {
      @State var number = 0
      var body: Element { Text("\(number)") }
    }
    let host = ViewHost(Store(), renderer: AllRows()) {
      if isShown.value { Inner() }
    }
    for _ in 0..<10 {
      isShown.value = true
      isShown.value = false
    }
    let bytes = probe_allocated_bytes()
    let time = timed {
      for _ in 0..<count {
        isShown.value = true
        isShown.value = false
      }
    }
    let left = Int(probe_allocated_bytes()) - Int(bytes)
    report.expect(left < count, "\(count) mounts left \(left) bytes behind")
    report.add(
      Row(name: "a view in and out", unit: .nanoseconds, signals: time / Double(count)))
    use(host)
  }

  private static func differences(_ report: Report) throws {
    let count = report.isQuick ? 200 : 10_000
    let old = Array(0..<count)
    var moved = old
    moved.insert(moved.remove(at: count / 4), at: count / 2)
    var random = PseudoRandom()
    let shuffled = old.map { ($0, random.next()) }.sorted { $0.1 < $1.1 }.map(\.0)
    let runs = report.isQuick ? 1 : 9
    for (name, new, peerRuns) in [("one move", moved, runs), ("shuffled", shuffled, 1)] {
      var result = old
      let time = median(of: runs) {
        result = old
      } _: {
        use(CollectionChange(from: old, to: new).moves.count)
      }
      CollectionChange(from: old, to: new).apply(to: &result)
      report.expect(result == new, "\(name): applying the change gives something else")
      let peer = median(of: peerRuns) { use(new.difference(from: old).inferringMoves().count) }
      report.add(
        Row(
          name: "difference of \(count) numbers, \(name)", unit: .milliseconds,
          signals: time, peers: [.plain: peer]))
    }
    let (store, books) = try makeStore(count)
    let host = ViewHost(store, renderer: AllRows()) { Shelf() }
    guard let list = list(in: host.frame), let before = host.frame.rows(of: list) else {
      return report.fail("no rows")
    }
    let ids = Array(before)
    books[count / 4].pages = count / 2
    guard let after = host.frame.rows(of: list) else { return report.fail("no rows") }
    let time = median(of: runs) { use(after.change(from: before).moves.count) }
    let newIDs = Array(after)
    let peer = median(of: runs) { use(newIDs.difference(from: ids).inferringMoves().count) }
    report.expect(after.change(from: before).moves.count == 1, "not one move")
    report.add(
      Row(
        name: "difference of two frames of \(count) rows, one move", unit: .milliseconds,
        signals: time, peers: [.plain: peer]))
  }
}
