import Signals
public import Testing

extension TestHost {
  /// The changes that an expectation must name.
  public enum Exhaustivity: Sendable {
    /// All changes: a change that isn't named fails the test.
    case exhaustive
    /// Any selection of the changes: others may happen too.
    case partial
    /// All changes of the app's graph. Changes on screen aren't named, and neither is the view
    /// state kept in the store: `@Restored`, and drafts with `restoredAs:`.
    case graph
  }

  /// Expects that an intent makes exactly the given changes in the graph and on screen.
  ///
  /// - Changes of the graph come first: objects that were deleted (`-`), modified (`~`) or inserted
  ///   (`+`), with the old and new values of modified properties and the properties of inserted
  ///   objects.
  /// - An object is named by its class and primary key. Objects without a key, or with a random
  ///   one, are numbered: first the existing ones in the order of the store, then the inserted
  ///   ones. The only object of a class has no number. A test that knows a random key may use it:
  ///   `Member(id: \(member.id))`.
  /// - All stores in the environments of views on screen count. Changes in a store other than the
  ///   host's own are listed below `store 2` and so on, in the order in which the stores first
  ///   appeared on screen.
  /// - Then, below `screen`, come the removed and added elements of ``tree``, each after the
  ///   nearest unchanged line before it. `[2 of 3]` distinguishes that line from equal ones.
  /// - The changes of several commits of the intent are combined.
  /// - With `.partial` there may be other changes, but the changes named for an object must all
  ///   have happened to the same object. With `.graph` the screen is left out.
  ///
  /// A difference is recorded as an issue that contains the actual changes as a literal ready to be
  /// pasted, so start with an empty expectation. A pasted literal holds in every run: UUIDs are
  /// numbered, as in `UUID-1`, and sets and dictionaries are sorted. The test must control random
  /// values of other kinds and the time of day.
  ///
  /// An error thrown by the intent is rethrown after its changes have been checked.
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
  ///   - text "Available: 1"
  ///   - button #borrow-0441569595 "Neuromancer"
  ///   + text "Available: 0"
  ///   """
  /// ) { try app.tap("borrow-0441569595") }
  /// ```
  ///
  /// - Parameters:
  ///   - expected: The changes, in the format of the example.
  ///   - exhaustivity: Whether all changes must be listed.
  ///   - bodies: The maximum number of bodies that may be evaluated; nil for no limit.
  ///   - sourceLocation: The source location of recorded issues.
  ///   - intent: The intent whose changes are compared.
  /// - Throws: The error of `intent`.
  public func expectChanges(
    _ expected: String, exhaustivity: Exhaustivity = .exhaustive, bodies: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, by intent: () throws -> Void
  ) rethrows {
    let watch = beginExpectation(at: sourceLocation)
    defer {
      endExpectation(watch, at: sourceLocation) {
        watch.check(expected, exhaustivity: exhaustivity, bodies: bodies, at: sourceLocation)
      }
    }
    try intent()
  }

  /// Expects that an intent that may be async makes exactly the given changes, once it has ended.
  ///
  /// - Parameters:
  ///   - expected: The changes, in the format of the synchronous `expectChanges`.
  ///   - exhaustivity: Whether all changes must be listed.
  ///   - bodies: The maximum number of bodies that may be evaluated; nil for no limit.
  ///   - sourceLocation: The source location of recorded issues.
  ///   - intent: The intent whose changes are compared.
  /// - Throws: The error of `intent`.
  @_disfavoredOverload
  public nonisolated(nonsending) func expectChanges(
    _ expected: String, exhaustivity: Exhaustivity = .exhaustive, bodies: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    by intent: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    let watch = beginExpectation(at: sourceLocation)
    defer {
      endExpectation(watch, at: sourceLocation) {
        watch.check(expected, exhaustivity: exhaustivity, bodies: bodies, at: sourceLocation)
      }
    }
    try await intent()
  }

  /// Expects that an intent changes nothing in stores or on screen, as when it is refused.
  ///
  /// ```swift
  /// app.expectNoChange {
  ///   #expect(throws: BorrowError.self) { try app.tap("borrow-again") }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - sourceLocation: The source location of recorded issues.
  ///   - intent: The intent, which is called once.
  /// - Throws: The error of `intent`.
  public func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation, by intent: () throws -> Void
  ) rethrows {
    try expectChanges("", sourceLocation: sourceLocation, by: intent)
  }

  /// Expects that an intent changes nothing within the given exhaustivity.
  ///
  /// With `.graph`, the screen may show why it was refused.
  ///
  /// - Parameters:
  ///   - exhaustivity: The changes that are looked at.
  ///   - sourceLocation: The source location of recorded issues.
  ///   - intent: The intent, which is called once.
  /// - Throws: The error of `intent`.
  public func expectNoChange(
    exhaustivity: Exhaustivity, sourceLocation: SourceLocation = #_sourceLocation,
    by intent: () throws -> Void
  ) rethrows {
    try expectChanges("", exhaustivity: exhaustivity, sourceLocation: sourceLocation, by: intent)
  }

  /// Expects that an intent that may be async changes nothing, once it has ended.
  ///
  /// - Parameters:
  ///   - sourceLocation: The source location of recorded issues.
  ///   - intent: The intent, which is called once.
  /// - Throws: The error of `intent`.
  @_disfavoredOverload
  public nonisolated(nonsending) func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation,
    by intent: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    try await expectChanges("", sourceLocation: sourceLocation, by: intent)
  }

  /// Expects that an intent that may be async changes nothing within the given exhaustivity, once
  /// it has ended.
  ///
  /// - Parameters:
  ///   - exhaustivity: The changes that are looked at.
  ///   - sourceLocation: The source location of recorded issues.
  ///   - intent: The intent, which is called once.
  /// - Throws: The error of `intent`.
  @_disfavoredOverload
  public nonisolated(nonsending) func expectNoChange(
    exhaustivity: Exhaustivity, sourceLocation: SourceLocation = #_sourceLocation,
    by intent: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    try await expectChanges(
      "", exhaustivity: exhaustivity, sourceLocation: sourceLocation, by: intent)
  }
}
