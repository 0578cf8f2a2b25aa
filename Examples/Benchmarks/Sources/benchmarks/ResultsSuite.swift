import Signals

/// Building, narrowing and following filtered and sorted results.
enum ResultsSuite {
  static func run(_ report: Report) throws {
    let sizes = report.isQuick ? [1000, 10_000] : [10_000, 1_000_000]
    for undoLimit in [0, 100] {
      var small = 0.0
      for count in sizes {
        let time = try changes(count, undoLimit: undoLimit, report)
        if count == sizes[0] { small = time }
        report.add(
          Row(
            name: "change of a sort key, \(count) rows, undo \(undoLimit)", unit: .nanoseconds,
            signals: time,
            note: count == sizes[0] ? "" : "\(digits(time / small))x that of \(sizes[0]) rows"))
      }
    }
    for size in report.isQuick ? sizes : [60_000, 1_000_000] { try building(size, report) }
    try narrowing(report)
    try DerivedResults.run(report)
  }

  static func makeStore(_ count: Int, undoLimit: Int = 0) throws -> (Store, [Book]) {
    let store = Store(undoLimit: undoLimit)
    let books = (0..<count).map { index in
      let book = Book()
      book.title = "package-\(index &* 7919 % count)"
      book.pages = Int.random(in: 0..<1_000_000)
      book.year = 1900 + index % 100
      return book
    }
    try store.write(undoable: false) { try store.add(books) }
    return (store, books)
  }

  /// One field of a random object, in a commit of its own, with an observer of the exact change.
  private static func changes(
    _ count: Int, undoLimit: Int, _ report: Report
  ) throws -> Double {
    let (store, books) = try makeStore(count, undoLimit: undoLimit)
    let long = store.results(Book.self).where { $0.pages >= 100_000 }.sorted(by: \.pages)
    var shown = long.count
    let token = long.observe { change in
      shown += change.insertions.count - change.deletions.count
    }
    let operations = report.isQuick ? 100 : 20_000
    var targets: [Book] = []
    let time = median(of: report.isQuick ? 1 : 5, operations: operations) {
      targets = (0..<operations).map { _ in books[Int.random(in: 0..<count)] }
    } _: {
      for book in targets { book.pages = (book.pages &* 31 &+ 17) % 1_000_000 }
    }
    let expected = books.count { $0.pages >= 100_000 }
    report.expect(
      shown == expected, "\(count) rows: the observer counts \(shown), not \(expected)")
    use(token)
    return time
  }

  /// Beside the same rows in an array, filtered and sorted by the standard library.
  private static func building(_ count: Int, _ report: Report) throws {
    let (store, books) = try makeStore(count)
    let runs = report.isQuick ? 1 : 3
    var all: Results<Book> { store.results(Book.self) }
    let cases: [(String, () -> Int, () -> Int)] = [
      ("unsorted", { all.count }, { books.filter { _ in true }.count }),
      (
        "unsorted, filtered", { all.where { $0.pages >= 500_000 }.count },
        { books.filter { $0.pages >= 500_000 }.count }
      ),
      (
        "sorted by an Int", { all.sorted(by: \.pages).count },
        { books.sorted { $0.pages < $1.pages }.count }
      ),
      (
        "sorted by a String", { all.sorted(by: \.title).count },
        { books.sorted { $0.title < $1.title }.count }
      ),
      (
        "sorted by two keys", { all.sorted(by: .descending(\.year), .ascending(\.title)).count },
        { books.sorted { $0.year == $1.year ? $0.title < $1.title : $0.year > $1.year }.count }
      ),
    ]
    for (name, read, plainRead) in cases {
      var rows = 0
      let time = median(of: runs) { rows = read() }
      var plainRows = 0
      let plainTime = median(of: runs) { plainRows = plainRead() }
      report.expect(rows == plainRows, "\(name): \(rows) rows, not \(plainRows)")
      report.add(
        Row(
          name: "first read of \(count), \(name)", unit: .milliseconds, signals: time,
          operations: count, peers: [.plain: plainTime]))
    }
  }

  /// Beside the same search through an array of the titles.
  private static func narrowing(_ report: Report) throws {
    let count = report.isQuick ? 1000 : 60_000
    let (store, _) = try makeStore(count)
    let sorted = store.results(Book.self).sorted(by: \.title)
    use(sorted.count)
    var found = 0
    let time = median(of: report.isQuick ? 1 : 9) {
      found = sorted.where { contains("99", in: $0.title) }.count
    }
    var plainFound = 0
    let plainTime = median(of: report.isQuick ? 1 : 9) {
      plainFound = 0
      for book in sorted where contains("99", in: book.title) { plainFound += 1 }
    }
    report.expect(found == plainFound, "\(found) rows found, not \(plainFound)")
    report.add(
      Row(
        name: "narrowing \(count) sorted rows by a substring", unit: .milliseconds,
        signals: time, operations: count, peers: [.plain: plainTime]))
  }

  private static func contains(_ pattern: StaticString, in text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      let length = pattern.utf8CodeUnitCount
      if bytes.count < length { return false }
      for start in 0...(bytes.count - length) {
        var matched = 0
        while matched < length, unsafe bytes[start + matched] == pattern.utf8Start[matched] {
          matched += 1
        }
        if matched == length { return true }
      }
      return false
    }
  }
}
