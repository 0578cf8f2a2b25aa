// Watches the changes that an intent makes in all stores of a host and on its screen.
//
// State: `stores`, the watched stores with their commits since the start, the host's own store
// first. A store that appears on screen later is watched from then on.

internal import Signals
internal import Testing

/// Records the changes that an intent makes.
final class ChangeWatch {
  private final class Watched {
    let store: Store
    let order: StoreOrder
    var commits: [ChangeSet] = []
    private var token: (any Cancellable)?

    init(_ store: Store, skippingNamed skipsNamed: Bool) {
      self.store = store
      order = StoreOrder(store)
      token = store.commits.sink { [unowned self] in
        if skipsNamed, NamedStores.contain(self.store) { return }
        commits.append($0)
      }
    }
  }

  // Not the test host, which owns the watch of what no expectation names.
  private let host: ViewHost
  private let screen: ScreenTree
  private let bodies: Int
  private var stores: [Watched] = []

  /// Whether commits that the expectation of another host names are left out.
  private let skipsNamed: Bool

  init(_ host: ViewHost, skippingNamed skipsNamed: Bool = false) {
    self.host = host
    self.skipsNamed = skipsNamed
    screen = ScreenTree(host)
    bodies = host.bodies
    watchStores()
  }

  /// Starts to watch stores that a new frame shows.
  func watchStores() {
    for store in host.storesOnScreen where !stores.contains(where: { $0.store === store }) {
      if !skipsNamed { NamedStores.begin(store) }
      stores.append(Watched(store, skippingNamed: skipsNamed))
    }
  }

  /// Ends the watch and records differences from the expectation as issues.
  func check(
    _ expected: String, exhaustivity: TestHost.Exhaustivity, bodies limit: Int?,
    at location: SourceLocation
  ) {
    var names = Names()
    let found = self.found(&names, exhaustivity: exhaustivity)
    let expected = ReportLines.lines(of: expected).map { names.replaced($0) }
    end()
    if let message = ChangeWatch.message(
      expected: expected, found: found, exhaustivity: exhaustivity)
    {
      IssueReporter.report(message, at: location)
    }
    let run = host.bodies - bodies
    if let limit, run > limit {
      IssueReporter.report(
        "\(run) bodies were evaluated, not at most \(limit)", at: location)
    }
  }

  /// Ends the watch.
  ///
  /// - Returns: The changes in the form of an expectation.
  func endUnnamed() -> [String] {
    var names = Names()
    let found = self.found(&names, exhaustivity: .exhaustive)
    end()
    return found
  }

  private func end() {
    if !skipsNamed { for watched in stores { NamedStores.end(watched.store) } }
    stores = []
  }

  /// The stable names of random keys and ids.
  ///
  /// An expectation may also contain their actual values.
  private struct Names {
    var text = ValueText()
    var aliases: [String: String] = [:]

    mutating func replaced(_ line: String) -> String {
      let line = aliases.reduce(line) { $0.replacing($1.key, with: $1.value) }
      text.texts.mode = .known
      return text.texts.stable(line)
    }
  }

  /// Returns the changes in the form of an expectation.
  private func found(_ names: inout Names, exhaustivity: TestHost.Exhaustivity) -> [String] {
    var lines: [String] = []
    for (index, watched) in stores.enumerated() {
      let sum = ChangeSet.sum(of: watched.commits)
      let report = ChangeReport(
        exhaustivity == .graph ? sum.withoutViewState : sum, in: watched.store,
        after: watched.order)
      let changes = report.lines(&names.text)
      names.aliases.merge(report.aliases) { first, _ in first }
      if index > 0, !changes.isEmpty { lines.append("store \(index + 1)") }
      lines += changes
    }
    if exhaustivity == .graph { return lines }
    let changes = ScreenReport(from: screen, to: ScreenTree(host)).lines
    if !changes.isEmpty { lines.append("screen") }
    return lines + changes.map { names.text.texts.stable($0) }
  }

  /// Returns a message about the differences; nil if there are none.
  private static func message(
    expected: [String], found: [String], exhaustivity: TestHost.Exhaustivity
  ) -> String? {
    let comparison: String
    switch exhaustivity {
    case .exhaustive, .graph:
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
