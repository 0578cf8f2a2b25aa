package import Signals

/// Lets an office work while somebody looks: one change after the other, at a pace.
///
/// State: `done`, how many changes it has made; `news`, what the last ones were; `isPaused` and `pace`, set by the user.
package final class RemoteWork {
  @Signal package private(set) var done = 0
  /// What has happened, the latest first.
  @Signal package private(set) var news: [String] = []
  @Signal package var isPaused = false
  /// The milliseconds between two changes.
  @Signal package private(set) var pace = 500
  package let limit: Int
  private let office: Office
  private let store: Store
  private let clock: any Clock<Duration>
  /// The runs under way, of which the first makes the changes.
  private var runs: [Int] = []
  private var lastRun = 0

  /// Lets an office make changes, which a store then has too.
  package init(
    _ office: Office, for store: Store, limit: Int,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    (self.office, self.store) = (office, store)
    (self.limit, self.clock) = (limit, clock)
  }

  /// Makes the changes until all are made, or until the task is cancelled.
  ///
  /// Each screen runs it. Of several runs the first makes the changes.
  package func run() async throws {
    lastRun += 1
    let run = lastRun
    runs.append(run)
    defer { runs.removeAll { $0 == run } }
    while done < limit {
      try await clock.sleep(for: .milliseconds(pace))
      if isPaused || runs.first != run { continue }
      try await make(1)
    }
  }

  /// Makes a number of changes at once; fails with ``WorkDoneError`` if there are not so many left.
  package func make(_ count: Int) async throws {
    guard count <= limit - done else { throw WorkDoneError(left: limit - done) }
    for change in try await office.work(count) { try take(change) }
    done += count
  }

  /// Twice as many changes in the same time, or half as many, within limits.
  package func speedUp() { pace = max(pace / 2, 15) }
  package func slowDown() { pace = min(pace * 2, 4000) }

  /// What the office has changed is so, and no undo here takes it back: a name that was typed here is not known there.
  private func take(_ change: ChangeSet) throws {
    let report = try store.apply(change, undoable: false, onConflict: .theirs)
    var lines = change.changes(of: Course.self, in: store).compactMap(line)
    lines += change.changes(of: Person.self, in: store).map(line)
    if !report.conflicts.isEmpty { lines.append("what was typed here did not stay") }
    news = Array((lines.reversed() + news).prefix(4))
  }

  private func line(_ change: TypedChange<Course>) -> String? {
    switch change.kind {
    case .inserted: "\(change.new(\.title) ?? "") begins"
    case .deleted: "\(change.old(\.title) ?? "") ends"
    case .modified:
      change.edits(of: \.members)?.moves.isEmpty == false ? "somebody goes to the front" : nil
    }
  }

  private func line(_ change: TypedChange<Person>) -> String {
    let (old, new) = (change.old(\.name), change.new(\.name))
    switch change.kind {
    case .inserted: return "\(new ?? "") comes"
    case .deleted: return "\(old ?? "") leaves"
    case .modified:
      if let old, let new, old != new { return "\(old) is called \(new)" }
      let name = (store.object(change.id) as? Person)?.name ?? "somebody"
      return "\(name) is \(change.new(\.age) ?? 0) now"
    }
  }
}

/// The office has not so many changes to make any more.
package struct WorkDoneError: Error, CustomStringConvertible {
  let left: Int

  /// What can be said.
  package var description: String {
    left == 0 ? "the office has done its work" : "the office has \(left) left to do"
  }
}
