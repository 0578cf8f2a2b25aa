// What no expectation of one test names.
//
// State, behind a lock, because hosts may be released on any thread: `findings`, with the lines of
// the hosts; `open`, the hosts that are still watched, by address; `clocks`, the manual clocks of the
// test. `uses` has the other clocks.

internal import Signals
internal import Testing

/// Collects the changes that no expectation of one test names.
package final class ExhaustiveRecorder: Sendable {
  @TaskLocal static var current: ExhaustiveRecorder?

  private struct State {
    var findings: [(text: String, location: SourceLocation)] = []
    var open: [ObjectIdentifier: SourceLocation] = [:]
    var clocks: [ManualClock] = []
  }

  private let state = Locked(State())
  private let uses = ClockUses()

  package init() {}

  // Not inlined: optimized code of another module would read the task-local before it is
  // initialized (Swift 6.3).

  /// Runs a test and records it.
  @inline(never)
  package func record(_ test: () async throws -> Void) async throws {
    try await ExhaustiveRecorder.$current.withValue(self) {
      try await ClockUses.$current.withValue(uses) { try await test() }
    }
  }

  func begin(_ host: TestHost, at location: SourceLocation) {
    state.withLock { $0.open[ObjectIdentifier(host)] = location }
  }

  /// Notes the changes between two expectations.
  func note(_ changes: [String], _ place: String, at location: SourceLocation) {
    if changes.isEmpty { return }
    let text = "no expectation names these changes, \(place):\n\(ReportLines.literal(changes))"
    state.withLock { $0.findings.append((text, location)) }
  }

  func end(_ host: TestHost, at location: SourceLocation) {
    let running = LeakRecorder.message(of: host.unfinishedWork, owner: host.name)
    state.withLock { state in
      state.open[ObjectIdentifier(host)] = nil
      if let running { state.findings.append((running, location)) }
    }
  }

  func watch(_ clock: ManualClock) { state.withLock { $0.clocks.append(clock) } }

  /// Reports the findings of the test, which has ended.
  package func report(at location: SourceLocation) {
    let (findings, open, clocks) = state.withLock { ($0.findings, $0.open, $0.clocks) }
    for finding in findings { IssueReporter.report(finding.text, at: finding.location) }
    for location in open.values {
      IssueReporter.report(
        "a TestHost that is still referenced can't be checked: close() ends it", at: location)
    }
    for work in clocks.flatMap(\.waitingWork) {
      IssueReporter.report("no expectation names what follows from \(work)", at: location)
    }
    for name in uses.names {
      IssueReporter.report("the test doesn't control \(name), on which a timer waits", at: location)
    }
  }
}

/// The stores whose changes an expectation in progress names.
enum NamedStores {
  private static let counts = Locked<[ObjectIdentifier: Int]>([:])

  static func begin(_ store: Store) {
    counts.withLock { $0[ObjectIdentifier(store), default: 0] += 1 }
  }

  static func end(_ store: Store) {
    counts.withLock { counts in
      let left = (counts[ObjectIdentifier(store)] ?? 1) - 1
      counts[ObjectIdentifier(store)] = left > 0 ? left : nil
    }
  }

  static func contain(_ store: Store) -> Bool {
    counts.withLock { $0[ObjectIdentifier(store)] != nil }
  }
}

extension TestHost {
  /// Begins an expectation of changes.
  func beginExpectation(at location: SourceLocation) -> ChangeWatch {
    endUnnamed("before \(ExhaustiveRecorder.text(of: location))")
    let watch = ChangeWatch(host)
    watches.append(watch)
    return watch
  }

  /// Ends an expectation of changes, which `check` compares.
  func endExpectation(
    _ watch: ChangeWatch, at location: SourceLocation, _ check: () -> Void
  ) {
    watches.removeAll { $0 === watch }
    check()
    lastExpectation = location
    if watches.isEmpty { watchUnnamed() }
  }

  /// Begins to watch what no expectation names, in a test that is exhaustive.
  func watchUnnamed() {
    if exhaustive == nil || isClosed { return }
    unnamed = ChangeWatch(host, skippingNamed: true)
  }

  /// Notes what has changed since the last expectation.
  func endUnnamed(_ place: String) {
    guard let watch = unnamed.take() else { return }
    let after = lastExpectation.map { "after \(ExhaustiveRecorder.text(of: $0)), " } ?? ""
    exhaustive?.note(watch.endUnnamed(), after + place, at: sourceLocation)
  }
}

extension ExhaustiveRecorder {
  /// The place of an expectation.
  static func text(of location: SourceLocation) -> String {
    "the expectation at \(location.fileID):\(location.line)"
  }
}
