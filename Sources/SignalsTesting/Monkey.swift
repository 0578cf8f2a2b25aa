internal import Signals
public import Testing

/// Does at random what a user could do on a screen, and checks after each intent what must hold.
///
/// - It uses what is on screen and enabled, by id: it taps, types, toggles, selects, submits, moves rows, presses keys.
///   Async intents, and elements that share an id, it leaves alone.
/// - One seed does the same each time, if the screen does.
/// - After each intent your invariants are checked, and the store's own: each time while it has at most 100 objects,
///   else each hundredth time and at the end.
/// - An intent may throw: it is refused. `allows` says of which errors that is right.
/// - What breaks is recorded as one issue, with the seed, and the shortest list of intents found that breaks the same,
///   as code for a test. To find it the screen is mounted again, so that `mount` must make the same each time.
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
  public init(
    seed: UInt64 = UInt64.random(in: 0...UInt64(UInt32.max)),
    texts: [String] = ["", "a", "e", "Emma", " ", "\"", "ü 👩‍👩‍👧"],
    allowing allows: @escaping (any Error) -> Bool = { _ in true }
  ) {
    self.seed = seed
    self.texts = texts
    self.allows = allows
  }

  /// Performs so many intents, or less if there is nothing more to do.
  ///
  /// `finally` is checked once, at the end: it may perform intents, too. Throws what `mount` throws.
  public func run(
    _ count: Int, invariants: Invariants = [:], finally: Invariants = [:],
    sourceLocation: SourceLocation = #_sourceLocation, on mount: () throws -> TestHost
  ) throws {
    let check = MonkeyCheck(invariants: invariants, finally: finally, allows: allows)
    let app = try mount()
    var random = SeededRandom(seed: seed)
    var moves: [MonkeyMove] = []
    var problem = check.invariants(app, 0)
    while problem == nil, moves.count < count,
      let move = MonkeyMove.random(on: app, texts, using: &random)
    {
      moves.append(move)
      problem = check.perform(move, app, moves.count)
    }
    let place = moves.count
    if problem == nil { problem = check.end(app) }
    guard let problem else { return }
    let screen = app.text
    let short = try shortest(moves, problem, check, mount)
    Issue.record(
      """
      the monkey with the seed \(seed), intent \(place) of \(count): \(problem)
      \(short.count == 1 ? "this does it" : "these \(short.count) intents do it"):
      \(short.map(\.code).joined(separator: "\n"))
      on screen:
      \(screen)
      """, sourceLocation: sourceLocation)
  }

  /// Leaves out what can be left out: halves first, then quarters, and so on.
  private func shortest(
    _ moves: [MonkeyMove], _ problem: String, _ check: MonkeyCheck, _ mount: () throws -> TestHost
  ) throws -> [MonkeyMove] {
    var moves = moves
    var size = moves.count / 2
    // A long list must not take for ever.
    var budget = 20 * moves.count + 2000
    while size > 0 {
      var start = 0
      while start < moves.count, budget > 0 {
        var fewer = moves
        fewer.removeSubrange(start..<min(start + size, moves.count))
        budget -= fewer.count + 1
        if let breaking = check.breaks(fewer, try mount(), problem) {
          moves = breaking
        } else {
          start += size
        }
      }
      size /= 2
    }
    return moves
  }
}

/// What a monkey checks.
private struct MonkeyCheck {
  let invariants: Monkey.Invariants
  let finally: Monkey.Invariants
  let allows: (any Error) -> Bool

  /// Performs a move; the answer is what is wrong after it.
  func perform(_ move: MonkeyMove, _ app: TestHost, _ number: Int) -> String? {
    do { try move.perform(on: app) } catch  where !allows(error) {
      return "an intent threw \(error)"
    } catch {}
    return invariants(app, number)
  }

  func invariants(_ app: TestHost, _ number: Int) -> String? {
    if let broken = first(of: invariants, app) { return broken }
    let store = app.host.store
    return number % 100 == 0 || store.objectCount <= 100 ? inStore(store) : nil
  }

  /// What is wrong in the end.
  func end(_ app: TestHost) -> String? { inStore(app.host.store) ?? first(of: finally, app) }

  private func inStore(_ store: Store) -> String? {
    store.brokenInvariants().first.map { "broken is the store: \($0)" }
  }

  private func first(of invariants: Monkey.Invariants, _ app: TestHost) -> String? {
    for (name, holds) in invariants {
      do {
        if try !holds(app) { return "broken is \"\(name)\"" }
      } catch { return "broken is \"\(name)\": \(error)" }
    }
    return nil
  }

  /// The moves that a screen takes up to where the same is wrong, if it is.
  func breaks(_ moves: [MonkeyMove], _ app: TestHost, _ problem: String) -> [MonkeyMove]? {
    var done: [MonkeyMove] = []
    for move in moves {
      // What can't be done any more is left out, too.
      do { try move.perform(on: app) } catch is HostError { continue } catch  where !allows(error) {
        return problem == "an intent threw \(error)" ? done + [move] : nil
      } catch {}
      done.append(move)
      if invariants(app, done.count) == problem { return done }
    }
    return end(app) == problem ? done : nil
  }
}
