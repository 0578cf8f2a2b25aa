// What changes while an intent runs, in all stores of a host and on its screen.
//
// State: `stores` are those watched, the host's own first, with what was committed since; one that
// comes on screen later is watched from then on.

internal import Signals
internal import Testing

/// Notes what changes while an intent runs.
final class ChangeWatch {
  private final class Watched {
    let store: Store
    var commits: [ChangeSet] = []
    private var token: (any Cancellable)?

    init(_ store: Store) {
      self.store = store
      token = store.commits.sink { [unowned self] in commits.append($0) }
    }
  }

  private let app: TestHost
  private let screen: ScreenTree
  private let bodies: Int
  private var stores: [Watched] = []

  init(_ app: TestHost) {
    self.app = app
    screen = app.screen
    bodies = app.bodies
    watchStores()
    app.watches.append(self)
  }

  /// A frame was made, which may show other stores.
  func watchStores() {
    for store in app.host.storesOnScreen where !stores.contains(where: { $0.store === store }) {
      stores.append(Watched(store))
    }
  }

  /// Records what is not as expected.
  func check(
    _ expected: String, _ exhaustivity: TestHost.Exhaustivity, _ limit: Int?,
    _ location: SourceLocation
  ) {
    app.watches.removeAll { $0 === self }
    let (expected, found) = (ReportLines.lines(of: expected), self.found)
    stores = []
    if let message = ChangeWatch.message(expected, found, exhaustivity) {
      Issue.record("\(message)", sourceLocation: location)
    }
    let run = app.bodies - bodies
    if let limit, run > limit {
      Issue.record(
        "\(run) bodies were evaluated, not at most \(limit)", sourceLocation: location)
    }
  }

  /// What has changed, as an expectation says it.
  private var found: [String] {
    var text = ValueText()
    var lines: [String] = []
    for (index, watched) in stores.enumerated() {
      let changes = ChangeReport(.merging(watched.commits), in: watched.store).lines(&text)
      if index > 0, !changes.isEmpty { lines.append("store \(index + 1)") }
      lines += changes
    }
    let changes = ScreenReport(from: screen, to: app.screen).lines
    if !changes.isEmpty { lines.append("screen") }
    return lines + changes.map { text.texts.stable($0) }
  }

  /// What is wrong, if anything is.
  private static func message(
    _ expected: [String], _ found: [String], _ exhaustivity: TestHost.Exhaustivity
  ) -> String? {
    let comparison: String
    switch exhaustivity {
    case .exhaustive:
      if expected == found { return nil }
      comparison = """
        other changes than expected (-: did not happen, +: not expected):
        \(LineDifference(from: expected, to: found).text)
        """
    case .partial:
      let lines = ReportLines(expected).met(in: ReportLines(found))
      if lines.allSatisfy(\.isMet) { return nil }
      comparison = """
        not all of what was expected has changed (-: did not happen):
        \(lines.map { "\($0.isMet ? " " : "-") \($0.line)" }.joined(separator: "\n"))
        """
    }
    if found.isEmpty { return "nothing has changed" }
    let all = ReportLines.literal(found)
    if expected.isEmpty { return "this has changed:\n\(all)" }
    return "\(comparison)\n\nall that has changed:\n\(all)"
  }
}

extension ChangeSet {
  /// Change sets that follow each other, as one.
  ///
  /// O(n log n) for n changes: neighbours first.
  static func merging(_ sets: [ChangeSet]) -> ChangeSet {
    var sets = sets
    while sets.count > 1 {
      sets = stride(from: 0, to: sets.count, by: 2).map { index in
        index + 1 < sets.count ? sets[index].merging(sets[index + 1]) : sets[index]
      }
    }
    return sets.first ?? ChangeSet()
  }
}
