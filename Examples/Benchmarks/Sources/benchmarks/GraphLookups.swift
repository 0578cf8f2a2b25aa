import Signals

/// Finding objects by a value, beside dictionaries.
enum GraphLookups {
  static func run(_ report: Report) throws {
    let count = report.isQuick ? 1000 : 100_000
    try keys(count, report)
    try indexes(count, report)
  }

  private static func keys(_ count: Int, _ report: Report) throws {
    let tracks = try Tracks(count, undoLimit: 0)
    var byKey: [Int: PlainTrack] = [:]
    for number in 0..<count {
      let track = PlainTrack()
      track.id = number
      byKey[number] = track
    }
    var found = 0
    var looked = 0
    let time = report.perOperation {
      for number in 0..<$0 {
        let key = number &* 7919 % count
        if tracks.store.object(Track.self, primaryKey: key)?.id == key { found += 1 }
      }
      looked += $0
    }
    let plainTime = report.perOperation {
      for number in 0..<$0 {
        let key = number &* 7919 % count
        if byKey[key]?.id == key { found += 1 }
      }
      looked += $0
    }
    report.expect(found == looked, "\(found) of \(looked) keys were found")
    report.add(
      Row(
        name: "look up a primary key of \(count)", unit: .nanoseconds, signals: time,
        peers: [.plain: plainTime]))
  }

  /// A query is made and read each time, as a view without a state of its own would.
  private static func indexes(_ count: Int, _ report: Report) throws {
    let store = Store(undoLimit: 0)
    let tags = (0..<count).map { number in
      let tag = Tag()
      tag.genre = number / 10
      return tag
    }
    try store.write { try store.add(tags) }
    let byGenre = Dictionary(grouping: tags) { $0.genre }
    let genres = count / 10
    var rows = 0
    var looked = 0
    let results = store.results(Tag.self)
    let time = report.perOperation {
      for number in 0..<$0 {
        rows += results.where(\.genre, equals: number &* 7919 % genres).count
      }
      looked += $0
    }
    report.expect(rows == looked * 10, "\(looked) genres have \(rows) tags")
    let plainTime = report.perOperation {
      for number in 0..<$0 { rows += byGenre[number &* 7919 % genres]?.count ?? 0 }
    }
    report.add(
      Row(
        name: "10 rows where(index, equals:) of \(count)", unit: .nanoseconds, signals: time,
        peers: [.plain: plainTime]))
    let tag = tags[0]
    report.add(
      Row(
        name: "write an indexed field, a commit, undo off", unit: .nanoseconds,
        signals: report.perOperation { for value in 0..<$0 { tag.genre = value & 1023 } }))
  }
}
