public import Signals
public import Testing

/// What a ``FaultPlan`` lets a store throw.
public struct InjectedFault: Error, Equatable, CustomStringConvertible {
  /// The number of the step that failed, the first being 1.
  public let step: Int
  /// What the step was.
  public let name: String

  /// Creates what a step throws.
  public init(step: Int, name: String) {
    self.step = step
    self.name = name
  }

  /// Names the step.
  public var description: String { "a fault was injected at step \(step), \(name)" }
}

/// Lets an intent fail at each step that can, and checks that nothing is half done.
///
/// - The steps are what a store may refuse: each `add` and `delete`; each write of a link, a list
///   or a key by an assignment; the end of each `write`; each commit, also that of a single change
///   outside of any transaction; and each `store.mayFail(_:)` of yours, as where a loader fetches.
///   A field that is written in a transaction is no step: nothing can refuse it but the commit.
/// - They are those of all stores that views on screen have when the intent begins.
/// - The intent is run again and again, each time on a host mounted anew: first step 1 fails, then
///   step 2, until a run reaches its end unharmed. A step that no caller is thrown, as an
///   assignment outside of any transaction, is undone, and the intent goes on.
/// - After a step has failed the stores must be as they were, object for object, what can be undone
///   and redone too, and so must the screen; the stores' own invariants and yours must hold. Then
///   the same after the run without a fault, for the invariants.
/// - What a commit sets off, in effects, observers, `onChange`, may fail as well: then the commit
///   stands, and the invariants are what is checked.
/// - With `.wholeCommits` an intent of several commits, such as an async one, may stop between two
///   of them: only the invariants are checked.
///
/// State of views is set back when an intent fails. A `Signal` is not, so that an intent which sets one before it
/// fails may well leave another screen: let it set that last, or expect the `.store` alone. State
/// of views that the store keeps for them, as drafts with `restoredAs:`, is not compared.
///
/// Each host is closed at the end of its run; see ``TestHost/close()``.
///
/// ```swift
/// try FaultPlan().run { try TestHost(.forTest()) { Desk() } } intent: { try $0.tap("borrow") }
/// ```
public struct FaultPlan {
  /// What must be as it was when a step has failed.
  public enum Expectation: Sendable {
    /// The stores and the screen.
    case allOrNothing
    /// The stores.
    case store
    /// Whatever was committed, as far as invariants go.
    case wholeCommits
  }

  /// What must hold, by name.
  public typealias Invariants = KeyValuePairs<String, (TestHost) throws -> Bool>

  private let expectation: Expectation
  private let invariants: Invariants

  /// Plans to check what must be as it was, and what must hold after each run.
  public init(_ expectation: Expectation = .allOrNothing, invariants: Invariants = [:]) {
    self.expectation = expectation
    self.invariants = invariants
  }

  /// Runs an intent with each of its steps failing, and then without; the answer is how many steps
  /// it has.
  ///
  /// What is wrong is recorded as issues, one a step. Throws what the unharmed run throws.
  @discardableResult
  public func run(
    sourceLocation: SourceLocation = #_sourceLocation, on mount: () throws -> TestHost,
    intent: (TestHost) throws -> Void
  ) throws -> Int {
    for step in 1... {
      let run = FaultRun(try mount(), step)
      var thrown: (any Error)?
      do { try intent(run.app) } catch { thrown = error }
      if try end(run, thrown, sourceLocation) { return step - 1 }
    }
    return 0
  }

  /// Runs an intent likewise that may be async.
  @_disfavoredOverload
  @discardableResult
  public nonisolated(nonsending) func run(
    sourceLocation: SourceLocation = #_sourceLocation,
    on mount: nonisolated(nonsending) () async throws -> TestHost,
    intent: nonisolated(nonsending) (TestHost) async throws -> Void
  ) async throws -> Int {
    for step in 1... {
      let run = FaultRun(try await mount(), step)
      var thrown: (any Error)?
      do { try await intent(run.app) } catch { thrown = error }
      if try end(run, thrown, sourceLocation) { return step - 1 }
    }
    return 0
  }

  /// Checks what a run has left; the answer is whether it was unharmed.
  private func end(
    _ run: FaultRun, _ error: (any Error)?, _ location: SourceLocation
  ) throws -> Bool {
    run.finish()
    var problems = brokenInvariants(run)
    if run.failed != nil, !run.failedInReaction {
      if expectation != .wholeCommits { problems += run.changes }
      if expectation == .allOrNothing { problems += run.screenChanges }
    }
    if !problems.isEmpty {
      let title = run.failed.map { "after step \(run.step), \($0), has failed" }
      Findings.report(
        "\(title ?? "without a fault"):\n\(problems.joined(separator: "\n"))",
        at: location)
    }
    run.app.close()
    if run.failed == nil, let error { throw error }
    return run.failed == nil
  }

  private func brokenInvariants(_ run: FaultRun) -> [String] {
    run.stores.flatMap { $0.brokenInvariants() }.map { "broken: \($0)" }
      + invariants.compactMap { name, holds in
        do { return try holds(run.app) ? nil : "broken: \(name)" } catch {
          return "broken: \(name): \(error)"
        }
      }
  }
}

extension Store {
  /// A step that may fail while a ``FaultPlan`` runs; else nothing.
  ///
  /// Put it where a loader of a test would fail. Throws ``InjectedFault`` if it is the turn of this
  /// step.
  public func mayFail(_ name: String) throws { try faults?.reach(.named(name)) }
}
