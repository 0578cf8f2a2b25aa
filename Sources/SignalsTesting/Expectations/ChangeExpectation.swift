import Signals
public import Testing

extension TestHost {
  /// How much an expectation of changes has to name.
  public enum Exhaustivity: Sendable {
    /// Everything: a change that is not named fails the test.
    case exhaustive
    /// Whatever the test is about: other changes may happen too.
    case partial
    /// Everything in the app's graph; what stands on screen may change, and is not named, nor is the
    /// state of views that the store keeps for them: `@Restored`, and drafts with `restoredAs:`.
    case graph
  }

  /// Expects that an intent changes exactly this, in the graph and on screen.
  ///
  /// - Changes of the graph come first: an object that went (`-`), changed (`~`) or came (`+`), the
  ///   properties of one that changed with old and new value, and those of one that came.
  /// - An object is named by its class and primary key. Where it has none, or a random one, it
  ///   is numbered: those that were there in the order of the store, then those that came; one that
  ///   is alone in its class needs no number. A test that knows a random key may write it all the
  ///   same: `Member(id: \(member.id))`.
  /// - All stores that views on screen have in their environment count. What changes in another
  ///   than the host's own stands below `store 2`, and so on, in the order in which they came on
  ///   screen.
  /// - Then, below `screen`, the elements of ``tree`` that went and came, each after the line
  ///   before it that stayed; `[2 of 3]` tells that from equal ones.
  /// - What several commits of the intent did is told in sum.
  /// - With `.partial` there may be more: but what is named of an object must have happened to that
  ///   object. With `.graph` the screen is left out.
  /// - `bodies` bounds how many bodies may be evaluated for it.
  ///
  /// What differs is recorded as an issue, with what happened as a literal ready to be pasted; so
  /// start with an empty expectation. What was pasted holds in every run: UUIDs are numbered, as in
  /// `UUID-1`, and sets and dictionaries are sorted. Random values of other kinds, and the time of
  /// the day, are the test's to provide. The error that an intent throws is thrown on, after what
  /// it changed was checked.
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

  /// Expects that an intent changes nothing, in stores or on screen: one that is refused, above
  /// all.
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

  /// Expects likewise that an intent changes nothing of a part: with `.graph` the screen may say
  /// why it was refused.
  public func expectNoChange(
    _ exhaustivity: Exhaustivity, sourceLocation: SourceLocation = #_sourceLocation,
    by intent: () throws -> Void
  ) rethrows {
    try expectChanges("", exhaustivity, sourceLocation: sourceLocation, by: intent)
  }

  /// Expects likewise that an intent changes nothing that may be async, once it has ended.
  @_disfavoredOverload
  public nonisolated(nonsending) func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation,
    by intent: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    try await expectChanges("", sourceLocation: sourceLocation, by: intent)
  }

  /// Expects likewise that an intent changes nothing of a part that may be async.
  @_disfavoredOverload
  public nonisolated(nonsending) func expectNoChange(
    _ exhaustivity: Exhaustivity, sourceLocation: SourceLocation = #_sourceLocation,
    by intent: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    try await expectChanges("", exhaustivity, sourceLocation: sourceLocation, by: intent)
  }
}
