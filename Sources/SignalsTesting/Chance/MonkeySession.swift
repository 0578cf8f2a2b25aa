internal import Signals
internal import Testing

/// What breaks under a monkey.
struct MonkeyProblem {
  /// What two runs have in common that break alike, whatever the ids of their objects.
  enum Kind: Equatable {
    case invariant(String)
    case store(String)
    case error(String)
    case nothingToDo
  }

  let kind: Kind
  let text: String
}

/// What a monkey checks.
struct MonkeyCheck {
  let invariants: Monkey.Invariants
  let finally: Monkey.Invariants
  let allows: (any Error) -> Bool

  /// What of that does not hold.
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

  /// An error that is none of those that an intent may throw; what a host refuses, it never may.
  func problem(_ error: any Error, _ who: String) -> MonkeyProblem? {
    if allows(error), !(error is HostError) { return nil }
    let kind = "\(type(of: error)): \(StableTexts.blank("\(error)"))"
    return MonkeyProblem(kind: .error(kind), text: "\(who) threw \(error)")
  }
}

/// One screen under a monkey.
///
/// State: `done`, what was done on it; `seen`, how many of the host's errors were looked at.
final class MonkeySession {
  let app: TestHost
  private let check: MonkeyCheck
  private(set) var done: [MonkeyMove] = []
  private var intents = 0
  private var seen = 0

  init(_ app: TestHost, _ check: MonkeyCheck) {
    self.app = app
    self.check = check
  }

  /// Does a move, and tells what is wrong with what it threw; one of a shortened list may be
  /// impossible.
  func perform(_ move: MonkeyMove, mayBeImpossible: Bool = false) -> MonkeyProblem? {
    let intent: () throws -> Void
    do { intent = try move.intent(on: app) } catch {
      return mayBeImpossible ? nil : check.problem(error, move.code)
    }
    done.append(move)
    if move.isIntent { intents += 1 }
    do { try intent() } catch { return check.problem(error, "an intent") }
    return nil
  }

  /// What is wrong now: an error that no caller got, or what must hold.
  func look() -> MonkeyProblem? {
    let errors = app.errors
    defer { seen = errors.count }
    for error in errors.dropFirst(seen) {
      if let problem = check.problem(error, "a view's intent") { return problem }
    }
    if let broken = check.broken(check.invariants, on: app) { return broken }
    let store = app.host.store
    if intents % 100 == 0 { return brokenStore() }
    return store.objectCount <= 100 ? check.broken(store) : nil
  }

  /// Lets some work run, and tells what is wrong then.
  func step(_ pieces: Int, on stage: isolated SteppingActor) async -> MonkeyProblem? {
    done.append(.step(pieces))
    await stage.step(pieces)
    return look()
  }

  /// Lets all work run, and tells what is wrong then.
  func settle(on stage: isolated SteppingActor) async -> MonkeyProblem? {
    await stage.settle()
    return look()
  }

  /// What is wrong in the end.
  func end() -> MonkeyProblem? { brokenStore() ?? check.broken(check.finally, on: app) }

  private func brokenStore() -> MonkeyProblem? {
    app.host.storesOnScreen.lazy.compactMap { self.check.broken($0) }.first
  }
}

/// Leaves out of a list of moves what can be left out: halves first, then quarters, and so on.
///
/// State: `moves`, the shortest list known; what to leave out next; `budget`, how many moves may
/// still be tried, since a long list must not take for ever.
struct MonkeyShortening {
  private(set) var moves: [MonkeyMove]
  private var size: Int
  private var start = 0
  private var budget: Int

  init(_ moves: [MonkeyMove]) {
    self.moves = moves
    size = moves.count / 2
    // One move may be one too many.
    if moves.count == 1 { size = 1 }
    budget = 20 * moves.count + 2000
  }

  /// The list to try next.
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

  /// Learns what of that list did it, if that breaks the same.
  mutating func learn(_ breaking: [MonkeyMove]?) {
    if let breaking { moves = breaking } else { start += size }
  }
}
