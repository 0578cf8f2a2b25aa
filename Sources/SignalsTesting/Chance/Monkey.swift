internal import Signals
public import Testing

/// Does at random what a user could do on a screen, and checks after each intent what must hold.
///
/// - It uses what is on screen and enabled: it taps, types, toggles, selects, submits, moves rows,
///   presses keys. Of elements that share an id, or have none, it uses each. A key does what it
///   does for a user: the innermost that it is bound to.
/// - Async intents it starts on a ``SteppingActor``: see
///   ``run(_:stage:invariants:finally:mayEnd:sourceLocation:on:)``. Elsewhere it leaves them alone.
/// - One seed does the same each time, if the screen does.
/// - After each intent your invariants are checked, and the store's own: each time while it has at
///   most 100 objects, else each hundredth time and at the end.
/// - An intent may throw: it is refused. `allows` says of which errors that is right, and is asked
///   of those too that no caller gets, as of `onChange` and `task`. A `HostError` never is right.
/// - What breaks is recorded as one issue, with the seed, and the shortest list of intents found
///   that breaks the same, as code for a test. To find it the screen is mounted again, so that
///   `mount` must make the same each time.
/// - A screen on which nothing can be done any more is recorded, too, unless it `mayEnd`: nothing
///   was tested then.
///
/// ```swift
/// try Monkey(seed: 7).run(
///   500, invariants: ["no book is lost": { app in app.text.contains("of 3 books") }]
/// ) { try TestHost(.forTest()) { LibraryScreen() } }
/// ```
public struct Monkey {
  /// What must hold, by name.
  public typealias Invariants = KeyValuePairs<String, (TestHost) throws -> Bool>

  /// What determines all that it does.
  public let seed: UInt64
  private let texts: [String]
  private let allows: (any Error) -> Bool

  /// Creates a monkey; it types one of `texts`.
  ///
  /// Without a seed it does the same in every run; give it a random one, in a test of your own, to
  /// look further.
  public init(
    seed: UInt64 = 0, texts: [String] = ["", "a", "e", "Emma", " ", "\"", "ü 👩‍👩‍👧"],
    allowing allows: @escaping (any Error) -> Bool = { _ in true }
  ) {
    self.seed = seed
    self.texts = texts
    self.allows = allows
  }

  /// Performs so many intents; the answer is how many it did.
  ///
  /// `finally` is checked once, at the end: it may perform intents, too. Throws what `mount`
  /// throws.
  @discardableResult
  public func run(
    _ count: Int, invariants: Invariants = [:], finally: Invariants = [:], mayEnd: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation, on mount: () throws -> TestHost
  ) throws -> Int {
    let check = MonkeyCheck(invariants: invariants, finally: finally, allows: allows)
    let session = MonkeySession(try mount(), check)
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
      let again = MonkeySession(try mount(), check)
      var found: MonkeyProblem?
      for move in fewer where found?.kind != problem.kind {
        found = again.perform(move, mayBeImpossible: true) ?? again.look()
      }
      shortening.learn(breaks(again, problem, found, mayStart: false) ? again.done : nil)
    }
    record(problem, session, done, count, shortening.moves, sourceLocation)
    return done
  }

  /// Performs so many intents on a screen that was made on an actor, async ones too.
  ///
  /// After each intent as much of the work on the actor runs as the seed says: none, or some
  /// pieces. In the end all of it, and then what must hold is checked again. The rest is as for
  /// other screens.
  ///
  /// ```swift
  /// try await SteppingActor.run { stage in
  ///   try await Monkey(seed: 7).run(500, stage: stage) { try TestHost(.forTest()) { Catalogue() } }
  /// }
  /// ```
  @discardableResult
  public func run(
    _ count: Int, stage: isolated SteppingActor, invariants: Invariants = [:],
    finally: Invariants = [:], mayEnd: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation,
    on mount: nonisolated(nonsending) () async throws -> TestHost
  ) async throws -> Int {
    let check = MonkeyCheck(invariants: invariants, finally: finally, allows: allows)
    let session = MonkeySession(try await mount(), check)
    var random = SeededRandom(seed: seed)
    var problem = session.look()
    var done = 0
    while problem == nil, done < count {
      guard let move = next(on: session.app, mayStart: true, &random) else {
        // Something may be under way that goes on.
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
      let again = MonkeySession(try await mount(), check)
      var found: MonkeyProblem?
      for move in fewer where found?.kind != problem.kind {
        if case .step(let pieces) = move {
          found = await again.step(pieces, on: stage)
        } else {
          found = again.perform(move, mayBeImpossible: true) ?? again.look()
        }
      }
      if found?.kind != problem.kind { found = await again.settle(on: stage) }
      shortening.learn(breaks(again, problem, found, mayStart: true) ? again.done : nil)
      again.app.host.cancelIntents()
      await stage.settle()
    }
    record(problem, session, done, count, shortening.moves, sourceLocation)
    session.app.host.cancelIntents()
    await stage.settle()
    return done
  }

  private func next(
    on app: TestHost, mayStart: Bool, _ random: inout SeededRandom
  ) -> MonkeyMove? {
    MonkeyMove.random(on: app, texts, mayStart: mayStart, using: &random)
  }

  /// Whether a run of fewer moves breaks as the whole did.
  private func breaks(
    _ session: MonkeySession, _ problem: MonkeyProblem, _ found: MonkeyProblem?, mayStart: Bool
  ) -> Bool {
    if found?.kind == problem.kind { return true }
    if problem.kind == .nothingToDo {
      var random = SeededRandom(seed: seed)
      return next(on: session.app, mayStart: mayStart, &random) == nil
    }
    return session.end()?.kind == problem.kind
  }

  private func record(
    _ problem: MonkeyProblem, _ session: MonkeySession, _ done: Int, _ count: Int,
    _ short: [MonkeyMove], _ location: SourceLocation
  ) {
    Findings.report(
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
  /// A dead end.
  fileprivate static var nothingToDo: MonkeyProblem {
    MonkeyProblem(kind: .nothingToDo, text: "nothing can be done on screen")
  }
}
