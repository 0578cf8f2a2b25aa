import Signals

/// One changed row of many, for whoever follows a sum, distinct rows, the first rows, or sections.
enum DerivedResults {
  static func run(_ report: Report) throws {
    let sizes = report.isQuick ? [1000] : [10_000, 100_000]
    let cases: [(String, (Results<Book>) -> Follower)] = [
      ("sum", sum), ("distinct", distinct), ("prefix of 100", prefix), ("sections", sections),
    ]
    for (name, follow) in cases {
      var small = 0.0
      for count in sizes {
        let time = try change(count, name, follow, report)
        if count == sizes[0] { small = time }
        report.add(
          Row(
            name: "change of one row of \(count), \(name)", unit: .nanoseconds, signals: time,
            note: count == sizes[0] ? "" : "\(digits(time / small))x that of \(sizes[0]) rows"))
      }
    }
    try manyQueries(report)
  }

  /// One write beside many live results of its class, as a screen has whose rows show results.
  private static func manyQueries(_ report: Report) throws {
    let count = report.isQuick ? 100 : 10_000
    let cases: [(String, (Results<Tag>, Int) -> Results<Tag>)] = [
      ("an indexed value", { $0.where(\.genre, equals: $1) }),
      ("a closure", { results, genre in results.where { $0.genre == genre } }),
    ]
    for (name, make) in cases {
      let store = Store(undoLimit: 0)
      // A closure tests all objects at first, so there are few.
      let tags = (0..<(name == "a closure" ? 100 : count)).map { number in
        let tag = Tag()
        tag.genre = number
        return tag
      }
      try store.write { try store.add(tags) }
      var changes = 0
      let tokens = (0..<count).map { genre in
        make(store.results(Tag.self), genre).observe { _ in changes += 1 }
      }
      let writes = report.isQuick ? 2 : name == "a closure" ? 6 : 1000
      var number = 0
      let time = median(of: report.isQuick ? 1 : 3, operations: writes) {
        for _ in 0..<writes {
          number += 1
          tags[number % tags.count].genre = (number * 7) % count
        }
      }
      report.expect(changes > 0, "no result has changed")
      report.add(
        Row(name: "one write beside \(count) results of \(name)", unit: .nanoseconds, signals: time)
      )
      tokens.forEach { $0.cancel() }
    }
  }

  /// Somebody who is told of each change, and a check of what he knows.
  private struct Follower {
    let token: any Cancellable
    let isRight: ([Book]) -> Bool
  }

  private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private static func change(
    _ count: Int, _ name: String, _ follow: (Results<Book>) -> Follower, _ report: Report
  ) throws -> Double {
    let (store, books) = try ResultsSuite.makeStore(count)
    try store.write(undoable: false) {
      for (index, book) in books.enumerated() { book.title = "author \(index % (count / 20))" }
    }
    let follower = follow(store.results(Book.self).sorted(by: \.pages))
    let operations = report.isQuick ? 50 : 10_000
    var targets: [Book] = []
    let time = median(of: report.isQuick ? 1 : 5, operations: operations) {
      targets = (0..<operations).map { _ in books[Int.random(in: 0..<count)] }
    } _: {
      for book in targets { book.pages = (book.pages &* 31 &+ 17) % 1_000_000 }
    }
    report.expect(follower.isRight(books), "\(count) rows: \(name) is wrong")
    return time
  }

  private static func ordered(_ books: [Book]) -> [Book] {
    books.enumerated().sorted { ($0.element.pages, $0.offset) < ($1.element.pages, $1.offset) }
      .map(\.element)
  }

  private static func sum(_ results: Results<Book>) -> Follower {
    let last = Box<Int?>(0)
    let effect = Effect { last.value = results.value(.sum(\.pages)) }
    return Follower(token: effect) { books in last.value == books.reduce(0) { $0 + $1.pages } }
  }

  private static func distinct(_ results: Results<Book>) -> Follower {
    let each = results.distinct(by: \.title)
    let count = Box(each.count)
    let token = each.observe { change in
      count.value += change.insertions.count - change.deletions.count
    }
    return Follower(token: token) { books in
      var seen: Set<String> = []
      let expected = ordered(books).filter { seen.insert($0.title).inserted }
      return count.value == expected.count && Array(each) == expected
    }
  }

  private static func prefix(_ results: Results<Book>) -> Follower {
    let first = results.limit(100)
    let rows = Box(Array(first))
    let token = first.observe { $0.apply(to: &rows.value) }
    return Follower(token: token) { books in rows.value == Array(ordered(books).prefix(100)) }
  }

  private static func sections(_ results: Results<Book>) -> Follower {
    let sections = results.sectioned(by: \.title)
    let count = Box(sections.reduce(0) { $0 + $1.count })
    let token = sections.observe { change in
      count.value += change.insertions.count - change.deletions.count
    }
    return Follower(token: token) { books in
      let expected = Dictionary(grouping: ordered(books), by: \.title).sorted { $0.key < $1.key }
      return count.value == books.count
        && sections.contents == expected.map { SectionRows(key: $0.key, rows: $0.value) }
    }
  }
}
