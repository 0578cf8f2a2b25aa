import Signals

final class PlainBook {
  var title = ""
  var pages = 0
}

final class Book: Object {
  @Field var title = ""
  @Field var pages = 0
  @Field var year = 0
  /// What a field is measured against: a read of it meets the same memory.
  var plainPages = 0
}

/// Reading a field that nobody tracks, beside reading a plain stored property.
enum FieldsSuite {
  static func run(_ report: Report) throws {
    let count = report.isQuick ? 10_000 : 1_000_000
    let store = Store(undoLimit: 0)
    var plain: [PlainBook] = []
    var books: [Book] = []
    for index in 0..<count {
      let one = PlainBook()
      one.pages = index
      plain.append(one)
      let book = Book()
      book.pages = index
      book.plainPages = index
      books.append(book)
    }
    try store.write { try store.add(books) }
    plain.shuffle()
    books.shuffle()
    let sum = count * (count - 1) / 2
    // Alternating runs: what the machine does meanwhile meets all.
    var smallTimes: [Double] = []
    var plainTimes: [Double] = []
    var fieldTimes: [Double] = []
    for _ in 0..<11 {
      smallTimes.append(time(report, sum) { total(of: plain) })
      plainTimes.append(time(report, sum) { plainTotal(of: books) })
      fieldTimes.append(time(report, sum) { total(of: books) })
    }
    let field = fieldTimes.sorted()[5] / Double(count)
    let same = plainTimes.sorted()[5] / Double(count)
    let small = smallTimes.sorted()[5] / Double(count)
    report.add(
      Row(
        name: "read, random access", unit: .nanoseconds, signals: field, peers: [.plain: same],
        note: "\(((field - same) * 100).rounded() / 100) ns more than in the same object"))
    report.add(
      Row(
        name: "read, random access, plain small objects", unit: .nanoseconds, signals: field,
        peers: [.plain: small]))
    hotReads(books[0], plain[0], report)
  }

  private static func time(_ report: Report, _ expected: Int, _ total: () -> Int) -> Double {
    var sum = 0
    let time = timed { sum = total() }
    report.expect(sum == expected, "the pages add up to \(sum), not \(expected)")
    return time
  }

  private static func hotReads(_ book: Book, _ plain: PlainBook, _ report: Report) {
    let count = report.isQuick ? 100_000 : 10_000_000
    var sum = 0
    let plainTime = median(of: 5, operations: count) {
      for _ in 0..<count {
        sum &+= plain.pages
        use(sum)
      }
    }
    let fieldTime = median(of: 5, operations: count) {
      for _ in 0..<count {
        sum &+= book.pages
        use(sum)
      }
    }
    report.add(
      Row(
        name: "read, one object", unit: .nanoseconds, signals: fieldTime,
        peers: [.plain: plainTime]))
  }

  @inline(never)
  private static func total(of books: [PlainBook]) -> Int {
    var sum = 0
    for book in books { sum &+= book.pages }
    return sum
  }

  @inline(never)
  private static func plainTotal(of books: [Book]) -> Int {
    var sum = 0
    for book in books { sum &+= book.plainPages }
    return sum
  }

  @inline(never)
  private static func total(of books: [Book]) -> Int {
    var sum = 0
    for book in books { sum &+= book.pages }
    return sum
  }
}
