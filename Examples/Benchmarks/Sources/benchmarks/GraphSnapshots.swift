import Foundation
import Signals

/// Snapshots: the first costs what there is, and later ones what has changed.
enum GraphSnapshots {
  static func run(_ report: Report) throws {
    let sizes = report.isQuick ? [100, 2000] : [1000, 1_000_000]
    for size in sizes { try first(size, report) }
    var small: [String: Double] = [:]
    for size in sizes {
      let tracks = try Tracks(size, undoLimit: 0)
      for changes in [1, 10, 1000] where changes <= size {
        for (how, touched) in [
          ("neighbors", Array(tracks.all[..<changes])), ("at random", tracks.random(changes)),
        ] {
          let time = try after(touched, of: tracks, report)
          let note = small["\(changes) \(how)"].map { "\(digits(time / $0))x that of \(sizes[0])" }
          report.add(
            Row(
              name: "snapshot after \(changes) of \(size), \(how)", unit: .nanoseconds,
              signals: time, operations: changes, note: note ?? ""))
          if size == sizes[0] { small["\(changes) \(how)"] = time }
        }
      }
      if size == sizes[sizes.count - 1] { try restored(tracks, report) }
    }
    try coded(report.isQuick ? 100 : 100_000, report)
  }

  /// Copies of plain objects, which is the least that a copy of everything can do.
  private static func first(_ size: Int, _ report: Report) throws {
    let runs = report.isQuick ? 1 : 3
    var time = Double.infinity
    for _ in 0..<runs {
      let tracks = try Tracks(size, undoLimit: 0)
      for number in stride(from: 0, to: size, by: 7) { tracks.all[number].title = title(number) }
      var snapshot: Snapshot?
      time = min(time, timed { snapshot = tracks.store.snapshot() })
      report.expect(snapshot?.count == size, "the first snapshot has not all \(size) tracks")
      tracks.all[0].plays = -1
      let kept = snapshot?.object(Track.self, primaryKey: 0)?.plays
      report.expect(kept == 0, "a write shows in a snapshot that was taken before")
    }
    let plain = (0..<size).map { number in
      let track = PlainTrack()
      (track.id, track.title) = (number, number % 7 == 0 ? title(number) : "")
      return track
    }
    let copying = fastest(of: runs) {
      use(
        plain.map { track in
          let copy = PlainTrack()
          (copy.id, copy.title, copy.plays) = (track.id, track.title, track.plays)
          (copy.rating, copy.isLiked) = (track.rating, track.isLiked)
          return copy
        })
    }
    report.add(
      Row(
        name: "first snapshot of \(size)", unit: .nanoseconds, signals: time, operations: size,
        peers: [.plain: copying]))
  }

  /// Takes a snapshot after each of the same objects was written, while the one before is kept.
  private static func after(
    _ touched: [Track], of tracks: Tracks, _ report: Report
  ) throws -> Double {
    let store = tracks.store
    var kept = store.snapshot()
    let before = touched.map(\.plays)
    let runs = report.isQuick ? 2 : 101
    var all: [Snapshot] = [kept]
    let time = median(of: runs) {
      for track in touched { track.plays += 1 }
    } _: {
      kept = store.snapshot()
    }
    all.append(kept)
    let change = all[0].changes(to: kept)
    report.expect(
      change.changes.count == touched.count
        && change.changes.allSatisfy { $0.properties.map(\.name) == ["plays"] },
      "the snapshots do not differ in the \(touched.count) tracks that were written")
    report.expect(
      zip(touched, before).allSatisfy { $0.plays == $1 + runs }, "not all \(runs) writes were made")
    return time
  }

  private static func restored(_ tracks: Tracks, _ report: Report) throws {
    let snapshot = tracks.store.snapshot()
    var store: Store?
    let time = fastest(of: report.isQuick ? 1 : 3) { store = Store(snapshot) }
    let last = store?.object(Track.self, primaryKey: tracks.all.count - 1)
    report.expect(
      last?.objectID == tracks.all.last?.objectID, "the restored store lacks the last track")
    report.expect(store?.snapshot() == snapshot, "what was restored is not what was kept")
    report.add(
      Row(
        name: "restore \(tracks.all.count)", unit: .nanoseconds, signals: time,
        operations: tracks.all.count))
  }

  /// JSON, and the same values as an array of structs.
  private static func coded(_ size: Int, _ report: Report) throws {
    struct Values: Codable, Equatable {
      var id = 0
      var title = ""
      var plays = 0
      var rating = 0.0
      var isLiked = false
    }
    let tracks = try Tracks(size, undoLimit: 0)
    for track in tracks.all { track.title = title(track.id) }
    let values = (0..<size).map { Values(id: $0, title: title($0)) }
    let snapshot = tracks.store.snapshot()
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let runs = report.isQuick ? 1 : 3
    var (data, plainData) = (Data(), Data())
    let encoding = try fastest(of: runs) { data = try encoder.encode(snapshot) }
    let plainEncoding = try fastest(of: runs) { plainData = try encoder.encode(values) }
    var (read, plainRead): (Snapshot?, [Values]?)
    let decoding = try fastest(of: runs) { read = try decoder.decode(Snapshot.self, from: data) }
    let plainDecoding = try fastest(of: runs) {
      plainRead = try decoder.decode([Values].self, from: plainData)
    }
    report.expect(read == snapshot && plainRead == values, "what was read is not what was written")
    report.add(
      Row(
        name: "encode a snapshot of \(size) as JSON", unit: .nanoseconds, signals: encoding,
        operations: size, peers: [.plain: plainEncoding],
        note: "\(data.count / size) B each, plain \(plainData.count / size) B"))
    report.add(
      Row(
        name: "decode it", unit: .nanoseconds, signals: decoding, operations: size,
        peers: [.plain: plainDecoding]))
  }
}

extension Tracks {
  /// Different ones, anywhere.
  fileprivate func random(_ count: Int) -> [Track] {
    var random = PseudoRandom()
    var numbers: Set<Int> = []
    var drawn: [Track] = []
    while drawn.count < count {
      let number = Int(random.next() * Double(all.count))
      if numbers.insert(number).inserted { drawn.append(all[number]) }
    }
    return drawn
  }
}
