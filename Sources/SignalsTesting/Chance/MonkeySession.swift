internal import Signals
internal import Testing

/// A problem that a monkey has found.
struct MonkeyProblem {
  /// Equal for two runs with the same problem, regardless of the ids of their objects.
  enum Kind: Equatable {
    case invariant(String)
    case store(String)
    case error(String)
    case nothingToDo
  }

  let kind: Kind
  let text: String
}

/// The conditions that a monkey checks.
struct MonkeyCheck {
  let invariants: Monkey.Invariants
  let finally: Monkey.Invariants
  let allows: (any Error) -> Bool

  /// Returns the first condition that doesn't hold.
  func broken(_ invariants: Monkey.Invariants, on app: TestHost) -> MonkeyProblem? {
    for (name, holds) in invariants {
      let problem = { (detail: String) in
        MonkeyProblem(kind: .invariant(name), text: "broken is \"\(name)\"\(detail)")
      }
      do { if try !holds(app) { return problem("") } } catch { return problem(": \(error)") }
    }
    return nil
  }

  func broken(_ store: Store) -> MonkeyProblem? {
    store.brokenInvariants().first.map { text in
      MonkeyProblem(kind: .store(StableTexts.blank(text)), text: "broken is the store: \(text)")
    }
  }

  /// Returns a problem for an error, or nil if an intent is allowed to throw it.
  ///
  /// It is never allowed to throw a host's refusal.
  func problem(of error: any Error, from who: String) -> MonkeyProblem? {
    if allows(error), !(error is HostError) { return nil }
    let kind = "\(type(of: error)): \(StableTexts.blank("\(error)"))"
    return MonkeyProblem(kind: .error(kind), text: "\(who) threw \(error)")
  }
}

/// One run of a monkey on a screen.
///
/// State: `done`, the moves performed; `intents`, the number of user actions among them; `seen`,
/// the number of the host's errors that have been checked.
final class MonkeySession {
  let app: TestHost
  private let check: MonkeyCheck
  private(set) var done: [MonkeyMove] = []
  private var intents = 0
  private var seen = 0

  init(_ app: TestHost, check: MonkeyCheck) {
    self.app = app
    self.check = check
  }

  /// Performs a move and returns the problem that it caused.
  ///
  /// A move of a shortened list may be impossible.
  func perform(_ move: MonkeyMove, mayBeImpossible: Bool = false) -> MonkeyProblem? {
    let intent: () throws -> Void
    do { intent = try move.intent(on: app) } catch {
      return mayBeImpossible ? nil : check.problem(of: error, from: move.code)
    }
    done.append(move)
    if move.isIntent { intents += 1 }
    do { try intent() } catch { return check.problem(of: error, from: "an intent") }
    return nil
  }

  /// Returns the current problem: an error that reached no caller, or a condition that doesn't
  /// hold.
  func look() -> MonkeyProblem? {
    let errors = app.errors
    defer { seen = errors.count }
    for error in errors.dropFirst(seen) {
      if let problem = check.problem(of: error, from: "a view's intent") { return problem }
    }
    if let broken = check.broken(check.invariants, on: app) { return broken }
    let store = app.host.store
    if intents % 100 == 0 { return brokenStore() }
    return store.objectCount <= 100 ? check.broken(store) : nil
  }

  /// Runs pieces of work on the actor, and returns the problem that they caused, if any.
  func step(_ pieces: Int, on stage: isolated SteppingActor) async -> MonkeyProblem? {
    done.append(.step(pieces))
    await stage.step(pieces)
    return look()
  }

  /// Runs all work, and returns the problem that it caused.
  func settle(on stage: isolated SteppingActor) async -> MonkeyProblem? {
    await stage.settle()
    return look()
  }

  /// Returns the problem at the end of a run.
  func end() -> MonkeyProblem? { brokenStore() ?? check.broken(check.finally, on: app) }

  private func brokenStore() -> MonkeyProblem? {
    app.host.storesOnScreen.lazy.compactMap { self.check.broken($0) }.first
  }
}

/// Shortens a list of moves by leaving out parts of it: first halves, then quarters, and so on.
///
/// State: `moves`, the shortest list so far; `start` and `size`, the part to leave out next;
/// `budget`, the number of moves that may still be tried, so that a long list doesn't take too
/// long.
struct MonkeyShortening {
  private(set) var moves: [MonkeyMove]
  private var size: Int
  private var start = 0
  private var budget: Int

  init(_ moves: [MonkeyMove]) {
    self.moves = moves
    size = moves.count / 2
    // Even a single move may be unnecessary.
    if moves.count == 1 { size = 1 }
    budget = 20 * moves.count + 2000
  }

  /// Returns the list to try next; nil at the end.
  mutating func next() -> [MonkeyMove]? {
    while size > 0, budget > 0 {
      if start < moves.count {
        var fewer = moves
        fewer.removeSubrange(start..<min(start + size, moves.count))
        budget -= fewer.count + 1
        return fewer
      }
      size /= 2
      start = 0
    }
    return nil
  }

  /// Adopts the moves performed with the last list if they cause the same problem.
  mutating func learn(_ breaking: [MonkeyMove]?) {
    if let breaking { moves = breaking } else { start += size }
  }
}
