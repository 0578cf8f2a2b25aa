import Signals

final class PlainBook {
  var title = ""
  var pages = 0
}

final class Book: Object {
  @Field var title = ""
  @Field var pages = 0
  /// What a field is measured against: a read of it meets the same memory.
  var plainPages = 0
}

/// Reading a field that nobody tracks, beside reading a plain stored property.
enum FieldsSuite {
  static func run() throws {
    let count = 1_000_000
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
    let small = median(operations: count) { use(total(of: plain)) }
    report("plain stored property of a small class, random access", small)
    // Alternating runs: what the machine does meanwhile meets both.
    var plainTimes: [Double] = []
    var fieldTimes: [Double] = []
    for _ in 0..<11 {
      plainTimes.append(median(runs: 1, operations: count) { use(plainTotal(of: books)) })
      fieldTimes.append(median(runs: 1, operations: count) { use(total(of: books)) })
    }
    let plainTime = plainTimes.sorted()[5]
    let fieldTime = fieldTimes.sorted()[5]
    report("plain stored property of the same object, random access", plainTime)
    report(
      "untracked field, random access", fieldTime,
      "\(((fieldTime - plainTime) * 100).rounded() / 100) ns more")
    var sum = 0
    let hot = books[0]
    let hotPlain = plain[0]
    let hotCount = 10_000_000
    report(
      "plain stored property, one object",
      median(operations: hotCount) { for _ in 0..<hotCount { sum &+= hotPlain.pages; use(sum) } })
    report(
      "untracked field, one object",
      median(operations: hotCount) { for _ in 0..<hotCount { sum &+= hot.pages; use(sum) } })
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
