import Signals

/// What a commit costs depends on what it touches, not on what there is.
enum GraphCommits {
  static func run(_ report: Report) throws {
    let sizes = report.isQuick ? [100, 2000] : [1000, 1_000_000]
    var small: [Int: Double] = [:]
    var smallUndo: [Int: Double] = [:]
    for size in sizes {
      let tracks = try Tracks(size, undoLimit: 100)
      for changes in [1, 10, 1000] where changes <= size {
        let touched = tracks.scattered(changes)
        let commit = try commits(tracks, touched, report)
        let undo = try undos(tracks, touched, report)
        report.add(
          Row(
            name: "commit that touches \(changes) of \(size)", unit: .nanoseconds, signals: commit,
            operations: changes, peers: [.plain: plainWrites(changes, of: size, report)],
            note: note(commit, small[changes], sizes[0])))
        report.add(
          Row(
            name: "undo of \(changes) changes of \(size)", unit: .nanoseconds, signals: undo,
            operations: changes, note: note(undo, smallUndo[changes], sizes[0])))
        if size == sizes[0] {
          small[changes] = commit
          smallUndo[changes] = undo
        }
      }
    }
  }

  private static func note(_ time: Double, _ small: Double?, _ size: Int) -> String {
    small.map { "\(digits(time / $0))x that of \(size)" } ?? ""
  }

  private static func commits(
    _ tracks: Tracks, _ touched: [Track], _ report: Report
  ) throws -> Double {
    let before = touched.map(\.plays)
    var made = 0
    let time = report.perOperation {
      for _ in 0..<$0 {
        // It throws nothing; if it did, the sums would tell.
        try? tracks.store.write { for track in touched { track.plays += 1 } }
      }
      made += $0
    }
    report.expect(
      zip(touched, before).allSatisfy { $0.plays == $1 + made }, "\(made) commits were not all")
    return time
  }

  /// The same writes to plain objects, which lie as far from each other.
  private static func plainWrites(_ changes: Int, of size: Int, _ report: Report) -> Double {
    let all = (0..<size).map { _ in PlainTrack() }
    let step = max(1, size / changes)
    let touched = (0..<changes).map { all[$0 * step] }
    return report.perOperation {
      for _ in 0..<$0 { for track in touched { track.plays += 1 } }
      use(touched)
    }
  }

  private static func undos(
    _ tracks: Tracks, _ touched: [Track], _ report: Report
  ) throws -> Double {
    let before = touched.map(\.plays)
    let commits = report.isQuick ? 2 : 50
    let time = try median(of: report.isQuick ? 1 : 21, operations: commits) {
      for _ in 0..<commits {
        try? tracks.store.write { for track in touched { track.plays += 1 } }
      }
    } _: {
      for _ in 0..<commits { try tracks.store.undo() }
    }
    report.expect(touched.map(\.plays) == before, "undo did not bring the old values back")
    return time
  }
}
