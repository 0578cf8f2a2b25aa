import Signals

/// Deleting takes an object out of whatever refers to it.
enum GraphDeletes {
  static func run(_ report: Report) throws {
    for count in report.isQuick ? [1, 100] : [1, 100, 10_000] {
      try linked(count, report)
    }
    for count in report.isQuick ? [1, 100] : [1, 100, 10_000] {
      try listed(in: count, of: 10, report)
    }
    for size in report.isQuick ? [100, 1000] : [100, 10_000, 100_000] {
      try listed(in: 1, of: size, report)
    }
    try relinking(report)
  }

  /// An object that others link to.
  private static func linked(_ count: Int, _ report: Report) throws {
    let store = Store(undoLimit: 0)
    let tags = (0..<count).map { _ in Tag() }
    try store.write { try store.add(tags) }
    let runs = report.isQuick ? 1 : max(5, 1000 / count)
    var times: [Double] = []
    for run in 0..<runs {
      let track = Track()
      track.id = run
      try store.write { for tag in tags { tag.track = track } }
      times.append(try timed { try store.delete(track) })
      report.expect(tags.allSatisfy { $0.track == nil }, "a link leads to a deleted track")
    }
    add("delete with \(count) back-links", count, times, report)
  }

  /// An object in the middle of lists.
  private static func listed(in lists: Int, of size: Int, _ report: Report) throws {
    let tracks = try Tracks(size, undoLimit: 0)
    let store = tracks.store
    let albums = (0..<lists).map { _ in Album() }
    try store.write { try store.add(albums) }
    try store.write { for album in albums { album.tracks = List(tracks.all) } }
    let runs = report.isQuick ? 1 : max(5, 300 / lists)
    var times: [Double] = []
    for run in 0..<runs {
      let track = Track()
      track.id = size + run
      try store.write { for album in albums { album.tracks.insert(track, at: size / 2) } }
      times.append(try timed { try store.delete(track) })
      report.expect(
        albums.allSatisfy {
          $0.tracks.count == size && $0.tracks[size / 2] === tracks.all[size / 2]
        },
        "a list holds a deleted track")
    }
    add("delete out of \(lists) list\(lists == 1 ? "" : "s") of \(size)", lists, times, report)
  }

  private static func add(_ name: String, _ count: Int, _ times: [Double], _ report: Report) {
    report.add(
      Row(
        name: name, unit: .nanoseconds, signals: times.sorted()[times.count / 2],
        operations: count))
  }

  private static func relinking(_ report: Report) throws {
    let tracks = try Tracks(2, undoLimit: 0)
    let tag = Tag()
    try tracks.store.add(tag)
    tag.track = tracks.all[0]
    let plain = PlainTag()
    let observable = ObservableTag()
    let plainTracks = [PlainTrack(), PlainTrack()]
    let observableTracks = [ObservableTrack(), ObservableTrack()]
    let plainTime = report.perOperation {
      for value in 0..<$0 {
        plain.track = plainTracks[value & 1]
        use(plain)
      }
    }
    let observableTime = report.perOperation {
      for value in 0..<$0 { observable.track = observableTracks[value & 1] }
    }
    let own = report.perOperation { for value in 1...$0 { tag.track = tracks.all[value & 1] } }
    report.add(
      Row(
        name: "relink, a commit of its own, undo off", unit: .nanoseconds, signals: own,
        peers: [.plain: plainTime, .observation: observableTime]))
    var inWrite = 0.0
    try tracks.store.write {
      inWrite = report.perOperation { for value in 1...$0 { tag.track = tracks.all[value & 1] } }
    }
    report.add(Row(name: "relink again in a write", unit: .nanoseconds, signals: inWrite))
    let target = tag.track
    try tracks.store.delete(tracks.all[0])
    report.expect(
      tag.track === (target === tracks.all[0] ? nil : target), "relinking lost a back-link")
  }
}
