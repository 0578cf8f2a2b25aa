import Signals

/// Building, narrowing and following filtered and sorted results.
enum ResultsSuite {
  static func run() throws {
    for undoLimit in [0, 100] {
      var small = 0.0
      for count in [10_000, 1_000_000] {
        let time = try changes(count, undoLimit: undoLimit)
        let note = count == 10_000 ? "" : "\(ratio(time, to: small)) of 10,000"
        if count == 10_000 { small = time }
        report("a change of a sort key, \(count) rows, undo \(undoLimit)", time, note)
      }
    }
    try building()
    try narrowing()
  }

  private static func makeStore(_ count: Int, undoLimit: Int = 0) throws -> (Store, [Book]) {
    let store = Store(undoLimit: undoLimit)
    let books = (0..<count).map { index in
      let book = Book()
      book.title = "package-\(index &* 7919 % count)"
      book.pages = Int.random(in: 0..<1_000_000)
      return book
    }
    try store.write(undoable: false) { try store.add(books) }
    return (store, books)
  }

  /// One field of a random object, in a commit of its own, with an observer that gets the exact change.
  private static func changes(_ count: Int, undoLimit: Int) throws -> Double {
    let (store, books) = try makeStore(count, undoLimit: undoLimit)
    let long = store.results(Book.self).where { $0.pages >= 100_000 }.sorted(by: \.pages)
    var calls = 0
    let token = long.observe { change in
      calls += change.modifications.count + change.deletions.count + change.insertions.count
    }
    let operations = 20_000
    var targets: [Book] = []
    let time = median(runs: 5, operations: operations) {
      targets = (0..<operations).map { _ in books[Int.random(in: 0..<count)] }
    } _: {
      for book in targets { book.pages = (book.pages &* 31 &+ 17) % 1_000_000 }
    }
    use((calls, token))
    return time
  }

  private static func building() throws {
    let (store, _) = try makeStore(1_000_000)
    report(
      "first read of 1000000, unsorted", median(runs: 3) { use(store.results(Book.self).count) })
    report(
      "first read of 1000000, sorted by an Int",
      median(runs: 3) { use(store.results(Book.self).sorted(by: \.pages).count) })
    report(
      "first read of 1000000, sorted by a String",
      median(runs: 3) { use(store.results(Book.self).sorted(by: \.title).count) })
  }

  private static func narrowing() throws {
    let (store, _) = try makeStore(60_000)
    let sorted = store.results(Book.self).sorted(by: \.title)
    use(sorted.count)
    report(
      "narrowing 60000 sorted rows by a substring of their titles",
      median(runs: 9) { use(sorted.where { contains("99", in: $0.title) }.count) })
    report(
      "the same search over a plain array of titles",
      median(runs: 9) {
        var found = 0
        for book in sorted where contains("99", in: book.title) { found += 1 }
        use(found)
      })
  }

  private static func contains(_ pattern: StaticString, in text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      let length = pattern.utf8CodeUnitCount
      if bytes.count < length { return false }
      for start in 0...(bytes.count - length) {
        var matched = 0
        while matched < length, bytes[start + matched] == pattern.utf8Start[matched] {
          matched += 1
        }
        if matched == length { return true }
      }
      return false
    }
  }
}
