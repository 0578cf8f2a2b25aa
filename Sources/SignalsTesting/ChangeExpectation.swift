import Signals
public import Testing

extension TestHost {
  /// How much an expectation of changes has to name.
  public enum Exhaustivity: Sendable {
    /// Everything: a change that is not named fails the test.
    case exhaustive
    /// Whatever the test is about: other changes may happen too.
    case partial
  }

  /// Expects that an intent changes exactly this, in the graph and on screen.
  ///
  /// - Changes of the graph come first: an object that went (`-`), changed (`~`) or came (`+`), the
  ///   properties of one that changed with old and new value, and those of one that came.
  /// - An object is named by its primary key, or else numbered within its class.
  /// - Then, below `screen`, the lines that went from the screen, and that came.
  /// - What several commits of the intent did is told in sum.
  /// - `bodies` bounds how many bodies may be evaluated for it.
  ///
  /// What differs is recorded as an issue, with what happened ready to be pasted; so start with an empty
  /// expectation. The error that an intent throws is thrown on, after what it changed was checked.
  ///
  /// ```swift
  /// try app.expectChanges(
  ///   """
  ///   ~ Library
  ///       available
  ///         - Book(isbn: "0441569595") at 0
  ///   ~ Member
  ///       borrowed
  ///         + Book(isbn: "0441569595") at 0
  ///   screen
  ///   - Available: 1
  ///   - [Neuromancer]
  ///   + Available: 0
  ///   """
  /// ) { try app.tap("borrow-0441569595") }
  /// ```
  public func expectChanges(
    _ expected: String, _ exhaustivity: Exhaustivity = .exhaustive, bodies: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, by intent: () throws -> Void
  ) rethrows {
    let watch = ChangeWatch(self)
    defer { watch.check(expected, exhaustivity, bodies, sourceLocation) }
    try intent()
  }

  /// Expects likewise what an intent changes that may be async, once it has ended.
  @_disfavoredOverload
  public nonisolated(nonsending) func expectChanges(
    _ expected: String, _ exhaustivity: Exhaustivity = .exhaustive, bodies: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    by intent: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    let watch = ChangeWatch(self)
    defer { watch.check(expected, exhaustivity, bodies, sourceLocation) }
    try await intent()
  }

  /// Expects that an intent changes nothing, in the graph or on screen: one that is refused, above all.
  ///
  /// ```swift
  /// app.expectNoChange {
  ///   #expect(throws: BorrowError.self) { try app.tap("borrow-again") }
  /// }
  /// ```
  public func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation, by intent: () throws -> Void
  ) rethrows {
    try expectChanges("", sourceLocation: sourceLocation, by: intent)
  }

  /// Expects likewise that an intent changes nothing that may be async, once it has ended.
  @_disfavoredOverload
  public nonisolated(nonsending) func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation,
    by intent: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    try await expectChanges("", sourceLocation: sourceLocation, by: intent)
  }
}

/// Notes what changes while an intent runs.
private final class ChangeWatch {
  private let app: TestHost
  private let screen: [String]
  private let bodies: Int
  private var changes = ChangeSet()
  private var token: (any Cancellable)?

  init(_ app: TestHost) {
    self.app = app
    screen = app.lines
    bodies = app.bodies
    token = app.host.store.commits.sink { [unowned self] in changes = changes.merging($0) }
  }

  func check(
    _ expected: String, _ exhaustivity: TestHost.Exhaustivity, _ limit: Int?,
    _ location: SourceLocation
  ) {
    token = nil
    let expectedLines = Self.lines(of: expected)
    let difference = LineDifference(from: expectedLines, to: found)
    let isWrong =
      switch exhaustivity {
      case .exhaustive: !difference.changes.isEmpty
      case .partial: difference.lines.contains { if case .removed = $0 { true } else { false } }
      }
    if isWrong { record(difference, isExpected: !expectedLines.isEmpty, location) }
    let run = app.bodies - bodies
    if let limit, run > limit {
      Issue.record(
        "\(run) bodies were evaluated, not at most \(limit)", sourceLocation: location)
    }
  }

  /// What has changed, as an expectation says it.
  private var found: [String] {
    let graph = ChangeReport(changes, in: app.host.store).lines
    let screen = LineDifference(from: screen, to: app.lines).changes
    return graph + (screen.isEmpty ? [] : ["screen"] + screen)
  }

  private func record(
    _ difference: LineDifference, isExpected: Bool, _ location: SourceLocation
  ) {
    let all = found.joined(separator: "\n")
    if found.isEmpty {
      Issue.record("nothing has changed", sourceLocation: location)
    } else if !isExpected {
      Issue.record("this has changed:\n\(all)", sourceLocation: location)
    } else {
      Issue.record(
        """
        other changes than expected (-: did not happen, +: not expected):
        \(difference.text)

        all that has changed:
        \(all)
        """, sourceLocation: location)
    }
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { line in
      var line = line
      while line.last?.isWhitespace == true { line.removeLast() }
      return String(line)
    }.filter { !$0.isEmpty }
  }
}
