import Signals

/// Single writes and reads of fields.
enum GraphWrites {
  /// How many objects a transaction writes to.
  private static let count = 1000

  static func run(_ report: Report) throws {
    quiet(report)
    try first(report)
    try again(report)
    own(report)
    watched(report)
  }

  /// Nobody watches, nothing is kept.
  private static func quiet(_ report: Report) {
    let store = Store(undoLimit: 0)
    let track = Track()
    report.expect((try? store.add(track)) != nil, "a track can't be added")
    let plain = PlainTrack()
    let observable = ObservableTrack()
    report.add(
      Row(
        name: "write a field, nobody watches, undo off", unit: .nanoseconds,
        signals: report.perOperation { for value in 0..<$0 { track.plays = value } },
        peers: [
          .plain: report.perOperation {
            for value in 0..<$0 {
              plain.plays = value
              use(plain)
            }
          },
          .observation: report.perOperation { for value in 0..<$0 { observable.plays = value } },
        ]))
    report.expect(
      plain.plays > 0 && track.plays > 0 && observable.plays > 0, "a field was not written")
    var sum = 0
    report.add(
      Row(
        name: "read a field", unit: .nanoseconds,
        signals: report.perOperation {
          for _ in 0..<$0 {
            sum &+= track.plays
            use(sum)
          }
        },
        peers: [
          .plain: report.perOperation {
            for _ in 0..<$0 {
              sum &+= plain.plays
              use(sum)
            }
          },
          .observation: report.perOperation {
            for _ in 0..<$0 {
              sum &+= observable.plays
              use(sum)
            }
          },
        ]))
  }

  /// The first write of a field in a transaction keeps the old value, and so does an array by hand.
  private static func first(_ report: Report) throws {
    let tracks = try Tracks(count, undoLimit: 0)
    let plain = (0..<count).map { _ in PlainTrack() }
    var value = 0
    let time = try transactions(report) {
      value += 1
      try tracks.store.write { for track in tracks.all { track.plays = value } }
    }
    let plainTime = transactions(report) {
      value += 1
      var log: ContiguousArray<(track: PlainTrack, old: Any)> = []
      for track in plain {
        log.append((track, track.plays))
        track.plays = value
      }
      use(log)
    }
    report.expect(
      tracks.all.allSatisfy { $0.plays > 0 && $0.plays == tracks.all[0].plays },
      "not every track was written")
    report.add(
      Row(
        name: "first write of an Int in a write", unit: .nanoseconds, signals: time,
        peers: [.plain: plainTime], note: "plain: the old values in an array"))
    let titles = [title(1), title(2)]
    let stringTime = try transactions(report) {
      value += 1
      let title = titles[value & 1]
      try tracks.store.write { for track in tracks.all { track.title = title } }
    }
    let title = titles[value & 1]
    report.expect(tracks.all.allSatisfy { $0.title == title }, "not every title was written")
    let plainStringTime = transactions(report) {
      value += 1
      let title = titles[value & 1]
      var log: ContiguousArray<(track: PlainTrack, old: Any)> = []
      for track in plain where track.title != title {
        log.append((track, track.title))
        track.title = title
      }
      use(log)
    }
    report.add(
      Row(
        name: "first write of a String in a write", unit: .nanoseconds, signals: stringTime,
        peers: [.plain: plainStringTime]))
  }

  /// The same field again in the same transaction.
  private static func again(_ report: Report) throws {
    let tracks = try Tracks(1, undoLimit: 0)
    let track = tracks.all[0]
    var time = 0.0
    try tracks.store.write {
      track.plays = -1
      time = report.perOperation { for value in 0..<$0 { track.plays = value } }
    }
    report.add(Row(name: "second write of an Int in a write", unit: .nanoseconds, signals: time))
    report.expect(track.plays > 0, "a field was not written again")
  }

  /// Each write a commit that can be undone.
  private static func own(_ report: Report) {
    let store = Store()
    let track = Track()
    report.expect((try? store.add(track)) != nil, "a track can't be added")
    var value = 0
    report.add(
      Row(
        name: "write an Int, a commit that can be undone", unit: .nanoseconds,
        signals: report.perOperation {
          for _ in 0..<$0 {
            value += 1
            track.plays = value
          }
        }))
    let titles = [title(1), title(2)]
    report.add(
      Row(
        name: "write a String, a commit that can be undone", unit: .nanoseconds,
        signals: report.perOperation {
          for _ in 0..<$0 {
            value += 1
            track.title = titles[value & 1]
          }
        }))
    let last = (track.plays, track.title)
    for _ in 0..<2 { report.expect((try? store.undo()) != nil, "a write can't be undone") }
    report.expect(track.plays == last.0 && track.title == last.1, "undo did something else")
  }

  /// An effect reads the field.
  private static func watched(_ report: Report) {
    let store = Store(undoLimit: 0)
    let track = Track()
    report.expect((try? store.add(track)) != nil, "a track can't be added")
    let sum = Counter()
    let effect = Effect { sum.count &+= track.plays }
    var value = 0
    let time = report.perOperation {
      for _ in 0..<$0 {
        value += 1
        track.plays = value
      }
    }
    report.expect(
      sum.count == value &* (value &+ 1) / 2, "the effect added up \(sum.count) after \(value)")
    let engine = ObservationEngine()
    let source = engine.source(0)
    let other = Counter()
    engine.makeEffect(on: [source], 0..<1, to: other)
    let peer = report.perOperation { for value in 0..<$0 { engine.write(value, to: source) } }
    engine.dispose()
    report.add(
      Row(
        name: "write an Int that an effect reads", unit: .nanoseconds, signals: time,
        peers: [.observation: peer]))
    use(effect)
  }

  /// Nanoseconds of one write, where `body` is a transaction of `count` of them.
  private static func transactions(
    _ report: Report, _ body: () throws -> Void
  ) rethrows -> Double {
    let runs = report.isQuick ? 1 : 20
    var best = Double.infinity
    for _ in 0..<(report.isQuick ? 1 : 200) {
      best = min(best, try timed { for _ in 0..<runs { try body() } })
    }
    return best / Double(runs * count)
  }
}
