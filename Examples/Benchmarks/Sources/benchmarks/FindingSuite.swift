import Signals

/// A message with a text of eight words.
private final class Letter: Object {
  @PrimaryKey var id = 0
  @Indexed var sent = 0
  @Indexed var sender = ""
  @Field var text = ""
}

/// Finding objects by ranges, prefixes and words, beside arrays that are searched.
enum FindingSuite {
  static func run(_ report: Report) throws {
    for count in report.isQuick ? [1000] : [10_000, 100_000, 1_000_000] {
      let (store, letters) = try makeStore(count)
      order(count, store, letters, report)
      words(count, store, letters, report)
    }
  }

  /// The words that texts are made of; the first ones are the most frequent.
  private static let vocabulary: [String] = {
    let syllables = ["ka", "re", "mo", "ti", "sun", "lor", "ve", "qui", "den", "pa"]
    return (0..<20_000).map { number in
      var (rest, word) = (number, "")
      repeat {
        word += syllables[rest % 10]
        rest /= 10
      } while rest > 0
      return word
    }
  }()

  private static func makeStore(_ count: Int) throws -> (Store, [Letter]) {
    let store = Store(undoLimit: 0)
    var random = PseudoRandom()
    let letters = (0..<count).map { number in
      let letter = Letter()
      letter.id = number
      letter.sent = number &* 7919 % count
      letter.sender = vocabulary[number % 20_000]
      letter.text = (0..<8).map { _ in
        let place = random.next()
        return vocabulary[Int(place * place * place * 20_000)]
      }.joined(separator: " ")
      return letter
    }
    try store.write { try store.add(letters) }
    return (store, letters)
  }

  private static func order(
    _ count: Int, _ store: Store, _ letters: [Letter], _ report: Report
  ) {
    let results = store.results(Letter.self)
    let kept = results.where(\.sent, in: 0..<1)
    var rows = 0
    let first = median(of: 1) { rows = kept.count }
    var sorted: [Letter] = []
    let plainFirst = median(of: 1) { sorted = letters.sorted { $0.sent < $1.sent } }
    report.expect(rows == 1, "\(rows) rows of the first range")
    report.add(
      Row(
        name: "first range of \(count)", unit: .milliseconds, signals: first, operations: count,
        peers: [.plain: plainFirst]))
    rows = 0
    var looked = 0
    let time = report.perOperation {
      for number in 0..<$0 {
        let start = number &* 7919 % (count - 10)
        rows += results.where(\.sent, in: start..<(start + 10)).count
      }
      looked += $0
    }
    report.expect(rows == looked * 10, "\(looked) ranges have \(rows) rows")
    let plainTime = report.perOperation {
      for number in 0..<$0 {
        let start = number &* 7919 % (count - 10)
        var (low, high) = (0, sorted.count)
        while low < high {
          let middle = (low + high) / 2
          if sorted[middle].sent < start { low = middle + 1 } else { high = middle }
        }
        rows += sorted[low..<(low + 10)].count
      }
    }
    report.add(
      Row(
        name: "10 rows of a range of \(count)", unit: .nanoseconds, signals: time,
        peers: [.plain: plainTime]))
    use(kept)
  }

  /// A word is typed, letter by letter; each text is searched for words that begin with it.
  private static func words(
    _ count: Int, _ store: Store, _ letters: [Letter], _ report: Report
  ) {
    let results = store.results(Letter.self)
    let kept = results.matching("missing", in: \.text)
    var rows = 0
    let first = median(of: 1) { rows = kept.count }
    report.expect(rows == 0, "\(rows) rows with a missing word")
    report.add(
      Row(
        name: "enter the words of \(count)", unit: .milliseconds, signals: first, operations: count)
    )
    let word = vocabulary[7351]
    for length in 1...word.count {
      let typed = String(word.prefix(length))
      let time = median(of: report.isQuick ? 1 : 5) {
        rows = results.matching(typed + "*", in: \.text).count
      }
      var plainRows = 0
      let plainTime = median(of: 1) {
        plainRows = letters.count { letter in
          letter.text.utf8.split(separator: UInt8(ascii: " ")).contains {
            $0.starts(with: typed.utf8)
          }
        }
      }
      report.expect(rows == plainRows, "\(typed): \(rows) rows, not \(plainRows)")
      report.add(
        Row(
          name: "search \(typed)* in \(count)", unit: .milliseconds, signals: time,
          peers: [.plain: plainTime], note: "\(rows) rows"))
    }
    let time = median(of: report.isQuick ? 1 : 5) {
      letters[0].text += " and"
      rows = results.matching(word, in: \.text).count
    }
    report.add(
      Row(name: "search \(word) in \(count), after a write", unit: .milliseconds, signals: time))
    use(kept)
  }
}
