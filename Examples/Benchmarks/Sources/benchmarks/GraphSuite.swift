import Probes
import Signals

/// The object graph: loading it, writing to it, taking it apart, and finding things in it.
enum GraphSuite {
  static func run(_ report: Report) throws {
    try load(report)
    try GraphWrites.run(report)
    try GraphCommits.run(report)
    try GraphDeletes.run(report)
    try GraphLists.run(report)
    try GraphLookups.run(report)
    try GraphSnapshots.run(report)
  }

  /// Creates objects and makes them findable by their keys, beside objects in a dictionary.
  private static func load(_ report: Report) throws {
    let count = report.isQuick ? 1000 : 1_000_000
    let names = (0..<count).map { "track number \($0)" }
    let integers = (
      signals: try loading(report) { try tracks(count, report) },
      plain: loading(report) { plainTracks(count) },
      observation: loading(report) { observableTracks(count) }
    )
    let strings = (
      signals: try loading(report) { try namedTracks(names, report) },
      plain: loading(report) { plainNamedTracks(names) },
      observation: loading(report) { observableNamedTracks(names) }
    )
    for (key, loads) in [("an Int", integers), ("a String", strings)] {
      report.add(
        Row(
          name: "create and add \(count), \(key) names them", unit: .milliseconds,
          signals: loads.signals.time, operations: count,
          peers: [.plain: loads.plain.time, .observation: loads.observation.time]))
      guard loads.signals.bytes > 0 else { continue }
      let each = Double(count)
      let over = (loads.signals.bytes - loads.plain.objects) / each
      report.add(
        Row(
          name: "bytes for each of them", unit: .bytes, signals: loads.signals.bytes / each,
          peers: [
            .plain: loads.plain.bytes / each, .observation: loads.observation.bytes / each,
          ], note: "\(digits(over)) B over an object of the plain class"))
    }
  }

  /// What loading took: time, bytes of everything, and bytes of the objects alone.
  private typealias Load = (time: Double, bytes: Double, objects: Double)

  /// The fastest of three runs; `body` answers what it loaded, and how much its objects take.
  private static func loading(
    _ report: Report, _ body: () throws -> (kept: Any, objects: Int)
  ) rethrows -> Load {
    var load: Load = (.infinity, 0, 0)
    for _ in 0..<(report.isQuick ? 1 : 3) {
      let before = probe_allocated_bytes()
      var loaded: (kept: Any, objects: Int)?
      load.time = min(load.time, try timed { loaded = try body() })
      load.bytes = Double(probe_allocated_bytes() &- before)
      load.objects = Double((loaded?.objects ?? 0) &- Int(before))
      use(loaded)
    }
    return load
  }

  private static func tracks(
    _ count: Int, _ report: Report
  ) throws -> (kept: Any, objects: Int) {
    let store = Store(undoLimit: 0)
    try store.write {
      for number in 0..<count {
        let track = Track()
        track.id = number
        track.plays = number
        try store.add(track)
      }
    }
    let last = store.object(Track.self, primaryKey: count - 1)
    report.expect(last?.plays == count - 1, "not all tracks were added")
    return (store, 0)
  }

  private static func namedTracks(
    _ names: [String], _ report: Report
  ) throws -> (kept: Any, objects: Int) {
    let store = Store(undoLimit: 0)
    try store.write {
      for number in names.indices {
        let track = NamedTrack()
        track.id = names[number]
        track.plays = number
        try store.add(track)
      }
    }
    let last = store.object(NamedTrack.self, primaryKey: names[names.count - 1])
    report.expect(last?.plays == names.count - 1, "not all named tracks were added")
    return (store, 0)
  }

  private static func plainTracks(_ count: Int) -> (kept: Any, objects: Int) {
    var all: [PlainTrack] = []
    for number in 0..<count {
      let track = PlainTrack()
      track.id = number
      track.plays = number
      all.append(track)
    }
    let objects = Int(probe_allocated_bytes()) - all.capacity * 8
    var byKey: [Int: PlainTrack] = [:]
    for track in all { byKey[track.id] = track }
    return ((all, byKey), objects)
  }

  private static func observableTracks(_ count: Int) -> (kept: Any, objects: Int) {
    var all: [ObservableTrack] = []
    for number in 0..<count {
      let track = ObservableTrack()
      track.id = number
      track.plays = number
      all.append(track)
    }
    var byKey: [Int: ObservableTrack] = [:]
    for track in all { byKey[track.id] = track }
    return ((all, byKey), 0)
  }

  private static func plainNamedTracks(_ names: [String]) -> (kept: Any, objects: Int) {
    var all: [PlainNamedTrack] = []
    for number in names.indices {
      let track = PlainNamedTrack()
      track.id = names[number]
      track.plays = number
      all.append(track)
    }
    let objects = Int(probe_allocated_bytes()) - all.capacity * 8
    var byKey: [String: PlainNamedTrack] = [:]
    for track in all { byKey[track.id] = track }
    return ((all, byKey), objects)
  }

  private static func observableNamedTracks(_ names: [String]) -> (kept: Any, objects: Int) {
    var all: [ObservableNamedTrack] = []
    for number in names.indices {
      let track = ObservableNamedTrack()
      track.id = names[number]
      track.plays = number
      all.append(track)
    }
    var byKey: [String: ObservableNamedTrack] = [:]
    for track in all { byKey[track.id] = track }
    return ((all, byKey), 0)
  }
}
