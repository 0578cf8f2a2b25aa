internal import Signals
public import Testing

/// Performs random user actions on a screen, and checks after each one that the given conditions
/// hold.
///
/// - It uses elements that are on screen and enabled: it taps, types, toggles, selects, submits,
///   moves rows and presses keys. It also uses elements that share an id or have none. A key has
///   the same effect as for a user: that of its innermost binding.
/// - It starts async intents on a ``SteppingActor`` only: see
///   ``run(_:stage:invariants:finally:mayEnd:sourceLocation:on:)``.
/// - The same seed gives the same actions each time, if the screen is deterministic.
/// - After each action your invariants are checked, and the store's own: each time while the store
///   has at most 100 objects, otherwise after each hundredth action and at the end.
/// - An intent may throw to refuse an action. `allows` decides which errors are acceptable. It is
///   also asked about errors that reach no caller, such as those of `onChange` and `task`. A
///   `HostError` is never acceptable.
/// - The first problem is recorded as one issue, with the seed and the shortest list of actions
///   found that cause the same problem, as code for a test. The search mounts the screen again, so
///   `mount` must create the same screen each time.
/// - A screen on which no action is possible is also recorded, because nothing more is tested,
///   unless `mayEnd` is true.
///
/// ```swift
/// try Monkey(seed: 7).run(
///   500, invariants: ["no book is lost": { app in app.text.contains("of 3 books") }]
/// ) { try TestHost(.forTest()) { LibraryScreen() } }
/// ```
public struct Monkey {
  /// Conditions that must hold, by name.
  public typealias Invariants = KeyValuePairs<String, (TestHost) throws -> Bool>

  /// The seed that determines all actions.
  public let seed: UInt64
  private let texts: [String]
  private let allows: (any Error) -> Bool

  /// Creates a monkey.
  ///
  /// With the default seed, the actions are the same in every run. To search further, pass a random
  /// seed in a separate test.
  ///
  /// - Parameters:
  ///   - seed: The seed that determines all actions.
  ///   - texts: The texts to type.
  ///   - allows: Returns whether an intent may throw an error.
  public init(
    seed: UInt64 = 0, texts: [String] = ["", "a", "e", "Emma", " ", "\"", "ü 👩‍👩‍👧"],
    allowing allows: @escaping (any Error) -> Bool = { _ in true }
  ) {
    self.seed = seed
    self.texts = texts
    self.allows = allows
  }

  /// Performs a number of actions.
  ///
  /// - Parameters:
  ///   - count: The maximum number of actions.
  ///   - invariants: Conditions that are checked after each action.
  ///   - finally: Conditions that are checked once at the end. They may perform intents too.
  ///   - mayEnd: Whether reaching a screen without possible actions is acceptable.
  ///   - sourceLocation: The source location of recorded issues.
  ///   - mount: Creates the host.
  /// - Returns: The number of actions performed.
  /// - Throws: The errors of `mount`.
  @discardableResult
  public func run(
    _ count: Int, invariants: Invariants = [:], finally: Invariants = [:], mayEnd: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation, on mount: () throws -> TestHost
  ) throws -> Int {
    let check = MonkeyCheck(invariants: invariants, finally: finally, allows: allows)
    let session = MonkeySession(try mount(), check: check)
    var random = SeededRandom(seed: seed)
    var problem = session.look()
    for _ in 0..<count where problem == nil {
      guard let move = next(on: session.app, mayStart: false, &random) else {
        problem = mayEnd ? nil : .nothingToDo
        break
      }
      problem = session.perform(move) ?? session.look()
    }
    let done = session.done.count
    guard let problem = problem ?? session.end() else { return done }
    var shortening = MonkeyShortening(session.done)
    while let fewer = shortening.next() {
      let again = MonkeySession(try mount(), check: check)
      var found: MonkeyProblem?
      for move in fewer where found?.kind != problem.kind {
        found = again.perform(move, mayBeImpossible: true) ?? again.look()
      }
      shortening.learn(breaks(again, with: problem, as: found, mayStart: false) ? again.done : nil)
    }
    record(
      problem, of: session, after: done, of: count, shortened: shortening.moves, at: sourceLocation)
    return done
  }

  /// Performs a number of actions, including async intents, on a screen that was created on an
  /// actor.
  ///
  /// After each action, part of the work on the actor runs, as determined by the seed: none of it,
  /// or a few pieces. At the end all of it runs, and the conditions are checked again. Everything
  /// else is as in ``run(_:invariants:finally:mayEnd:sourceLocation:on:)``.
  ///
  /// ```swift
  /// try await SteppingActor.run { stage in
  ///   try await Monkey(seed: 7).run(500, stage: stage) { try TestHost(.forTest()) { Catalogue() } }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: The maximum number of actions.
  ///   - stage: The actor of the screen.
  ///   - invariants: Conditions that are checked after each action.
  ///   - finally: Conditions that are checked once at the end. They may perform intents too.
  ///   - mayEnd: Whether reaching a screen without possible actions is acceptable.
  ///   - sourceLocation: The source location of recorded issues.
  ///   - mount: Creates the host, on `stage`.
  /// - Returns: The number of actions performed.
  /// - Throws: The errors of `mount`.
  @discardableResult
  public func run(
    _ count: Int, stage: isolated SteppingActor, invariants: Invariants = [:],
    finally: Invariants = [:], mayEnd: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation,
    on mount: nonisolated(nonsending) () async throws -> TestHost
  ) async throws -> Int {
    let check = MonkeyCheck(invariants: invariants, finally: finally, allows: allows)
    let session = MonkeySession(try await mount(), check: check)
    var random = SeededRandom(seed: seed)
    var problem = session.look()
    var done = 0
    while problem == nil, done < count {
      guard let move = next(on: session.app, mayStart: true, &random) else {
        // Work in progress may make an action possible.
        if await stage.step() > 0 { continue }
        problem = mayEnd ? nil : .nothingToDo
        break
      }
      done += 1
      problem = session.perform(move) ?? session.look()
      let pieces = Int.random(in: 0...3, using: &random)
      if problem == nil, pieces > 0 { problem = await session.step(pieces, on: stage) }
    }
    if problem == nil { problem = await session.settle(on: stage) }
    guard let problem = problem ?? session.end() else { return done }
    var shortening = MonkeyShortening(session.done)
    while let fewer = shortening.next() {
      let again = MonkeySession(try await mount(), check: check)
      var found: MonkeyProblem?
      for move in fewer where found?.kind != problem.kind {
        if case .step(let pieces) = move {
          found = await again.step(pieces, on: stage)
        } else {
          found = again.perform(move, mayBeImpossible: true) ?? again.look()
        }
      }
      if found?.kind != problem.kind { found = await again.settle(on: stage) }
      shortening.learn(breaks(again, with: problem, as: found, mayStart: true) ? again.done : nil)
      again.app.host.cancelIntents()
      await stage.settle()
    }
    record(
      problem, of: session, after: done, of: count, shortened: shortening.moves, at: sourceLocation)
    session.app.host.cancelIntents()
    await stage.settle()
    return done
  }

  private func next(
    on app: TestHost, mayStart: Bool, _ random: inout SeededRandom
  ) -> MonkeyMove? {
    MonkeyMove.random(on: app, texts, mayStart: mayStart, using: &random)
  }

  /// Returns whether a run of fewer moves has the same problem as the whole run.
  private func breaks(
    _ session: MonkeySession, with problem: MonkeyProblem, as found: MonkeyProblem?, mayStart: Bool
  ) -> Bool {
    if found?.kind == problem.kind { return true }
    if problem.kind == .nothingToDo {
      var random = SeededRandom(seed: seed)
      return next(on: session.app, mayStart: mayStart, &random) == nil
    }
    return session.end()?.kind == problem.kind
  }

  private func record(
    _ problem: MonkeyProblem, of session: MonkeySession, after done: Int, of count: Int,
    shortened short: [MonkeyMove], at location: SourceLocation
  ) {
    IssueReporter.report(
      """
      the monkey with the seed \(seed), intent \(done) of \(count): \(problem.text)
      \(short.count == 1 ? "this does it" : "these \(short.count) intents do it"):
      \(short.map(\.code).joined(separator: "\n"))
      on screen:
      \(session.app.text)
      """, at: location)
  }
}

extension MonkeyProblem {
  /// The problem that no action is possible.
  fileprivate static var nothingToDo: MonkeyProblem {
    MonkeyProblem(kind: .nothingToDo, text: "nothing can be done on screen")
  }
}
