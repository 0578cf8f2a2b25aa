import Signals

/// An entry of an archive.
private final class Entry: Object {
  @PrimaryKey var id = 0
  /// Ten entries have the same one.
  @Indexed var group = 0
  @Indexed var rank = 0
  @Field var text = ""
}

private final class Archive: Object {
  @Links var entries: List<Entry>
}

/// The same work at several sizes of a store, which `--plot` draws.
enum SizesSuite {
  static func run(_ report: Report) throws {
    var curves: [String: CostPlot.Curve] = [:]
    let sizes = report.isQuick ? [100, 1000] : [1000, 10_000, 100_000, 1_000_000]
    for size in sizes {
      let (store, entries) = try makeStore(size)
      func add(_ name: String, isPlain: Bool = false, _ cost: Double) {
        curves[name, default: CostPlot.Curve(name: name, isPlain: isPlain)].points.append(
          (Double(size), cost))
        report.add(Row(name: "\(name), of \(size)", unit: .nanoseconds, signals: cost))
      }
      finding(size, store, entries, report, add)
      try changing(size, store, entries, report, add)
    }
    if let path = report.plot {
      try CostPlot(curves: curves.values.sorted { $0.last > $1.last }).write(to: path)
    }
  }

  private static func makeStore(_ size: Int) throws -> (Store, [Entry]) {
    let store = Store(undoLimit: 0)
    let entries = (0..<size).map { number in
      let entry = Entry()
      (entry.id, entry.group, entry.rank) = (number, number / 10, number &* 7919 % size)
      entry.text = "entry \(number) of group\(number / 10)"
      return entry
    }
    try store.write { try store.add(entries) }
    return (store, entries)
  }

  private static func finding(
    _ size: Int, _ store: Store, _ entries: [Entry], _ report: Report,
    _ add: (String, Bool, Double) -> Void
  ) {
    let all = store.results(Entry.self)
    /// The cost of what finds ten rows by a number below a tenth of the size.
    func tenRows(_ name: String, isPlain: Bool = false, _ find: (Int) -> Int) {
      var (rows, looked) = (0, 0)
      let cost = report.perOperation {
        for number in 0..<$0 { rows += find(number &* 7919 % (size / 10)) }
        looked += $0
      }
      report.expect(rows == looked * 10, "\(name): \(looked) times \(rows) rows")
      add(name, isPlain, cost)
    }
    tenRows("10 rows by an indexed value") { all.where(\.group, equals: $0).count }
    let range = all.where(\.rank, in: 0..<1)
    use(range.count)
    tenRows("10 rows of a range") { all.where(\.rank, in: ($0 * 10)..<($0 * 10 + 10)).count }
    let words = all.matching("entry", in: \.text)
    use(words.count)
    tenRows("10 rows by a word") { all.matching("group\($0)", in: \.text).count }
    tenRows("an array filtered by a value", isPlain: true) { group in
      entries.count { $0.group == group }
    }
    var found = 0
    let key = report.perOperation {
      for number in 0..<$0 {
        let key = number &* 7919 % size
        if store.object(Entry.self, primaryKey: key) === entries[key] { found += 1 }
      }
    }
    report.expect(found > 0, "no key was found")
    add("an object by its primary key", false, key)
  }

  private static func changing(
    _ size: Int, _ store: Store, _ entries: [Entry], _ report: Report,
    _ add: (String, Bool, Double) -> Void
  ) throws {
    let read = median(of: report.isQuick ? 1 : 3, operations: size) {
      use(store.results(Entry.self).sorted(by: \.text).count)
    }
    add("first read, sorted by a String, a row", false, read)
    let sorted = store.results(Entry.self).sorted(by: \.rank)
    var changes = 0
    let token = sorted.observe { changes += $0.modifications.count + $0.moves.count }
    let edits = report.isQuick ? 10 : 1000
    let change = median(of: report.isQuick ? 1 : 9, operations: edits) {
      for number in 0..<edits { entries[number &* 7919 % size].rank += 1_000_000 }
    }
    report.expect(changes > 0, "no change was observed")
    token.cancel()
    add("a sort key changes, observed exactly", false, change)
    let archive = Archive()
    try store.add(archive)
    archive.entries = List(entries.dropLast(size / 10))
    let append = median(of: 1, operations: size / 10) {
      for entry in entries.suffix(size / 10) { archive.entries.append(entry) }
    }
    report.expect(archive.entries.count == size, "the list has \(archive.entries.count) entries")
    add("an object is appended to a list", false, append)
  }
}
