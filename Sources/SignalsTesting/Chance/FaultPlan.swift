public import Signals
public import Testing

/// The error that a ``FaultPlan`` makes a store throw.
public struct InjectedFault: Error, Equatable, CustomStringConvertible {
  /// The number of the step that failed, beginning with 1.
  public let step: Int
  /// The name of the step.
  public let name: String

  /// Creates the error of a step.
  ///
  /// - Parameters:
  ///   - step: The number of the step, beginning with 1.
  ///   - name: The name of the step.
  public init(step: Int, name: String) {
    self.step = step
    self.name = name
  }

  /// A message that names the step.
  public var description: String { "a fault was injected at step \(step), \(name)" }
}

/// Makes an intent fail at each step that can fail, and checks that no failure leaves a partial
/// change.
///
/// - A step is an operation that a store may refuse: each `add` and `delete`; each assignment to a
///   link, a list or a key; the end of each `write`; each commit, including that of a single change
///   outside of any transaction; and each of your own calls of `store.mayFail(_:)`, for example
///   where a loader fetches. Writing a field within a transaction isn't a step, because only the
///   commit can refuse it.
/// - The steps are those of all stores that views on screen use when the intent begins.
/// - The intent runs repeatedly, each time on a newly mounted host. First step 1 fails, then step
///   2, until a run ends without a fault. A failing step whose error reaches no caller, such as an
///   assignment outside of any transaction, is undone, and the intent continues.
/// - After a failed step the stores must equal their previous state, object for object, including
///   what can be undone and redone, and so must the screen. The stores' own invariants and yours
///   must hold. After the run without a fault, only the invariants are checked.
/// - The reactions to a commit, in effects, observers and `onChange`, may fail as well. The commit
///   then stands, and only the invariants are checked.
/// - With `.wholeCommits`, an intent of several commits, such as an async one, may stop between two
///   of them. Only the invariants are checked.
///
/// View state is reset when an intent fails. A `Signal` isn't, so an intent that sets one before it
/// fails may leave a different screen. Let the intent set it last, or expect only the `.store`.
/// View state that the store keeps, such as drafts with `restoredAs:`, isn't compared.
///
/// Each host is closed at the end of its run; see ``TestHost/close()``.
///
/// ```swift
/// try FaultPlan().run { try TestHost(.forTest()) { Desk() } } intent: { try $0.tap("borrow") }
/// ```
public struct FaultPlan {
  /// The state that must be unchanged after a step has failed.
  public enum Expectation: Sendable {
    /// The stores and the screen must be unchanged.
    case allOrNothing
    /// The stores must be unchanged.
    case store
    /// Whole commits may remain. Only the invariants are checked.
    case wholeCommits
  }

  /// Conditions that must hold, by name.
  public typealias Invariants = KeyValuePairs<String, (TestHost) throws -> Bool>

  private let expectation: Expectation
  private let invariants: Invariants

  /// Creates a plan from the state that must be unchanged after a failure, and the conditions that
  /// must hold after each run.
  ///
  /// - Parameters:
  ///   - expectation: The state that must be unchanged after a failure.
  ///   - invariants: The conditions that must hold after each run, by name.
  public init(_ expectation: Expectation = .allOrNothing, invariants: Invariants = [:]) {
    self.expectation = expectation
    self.invariants = invariants
  }

  /// Runs an intent with each of its steps failing, and then without a fault.
  ///
  /// Problems are recorded as issues, one for each step.
  ///
  /// - Parameters:
  ///   - sourceLocation: The source location of recorded issues.
  ///   - mount: Creates the host for a run.
  ///   - intent: Performs the intent on the host.
  /// - Returns: The number of steps of the intent.
  /// - Throws: The errors of `mount`, and the error of the intent in the run without a fault.
  @discardableResult
  public func run(
    sourceLocation: SourceLocation = #_sourceLocation, on mount: () throws -> TestHost,
    intent: (TestHost) throws -> Void
  ) throws -> Int {
    for step in 1... {
      let run = FaultRun(try mount(), step: step)
      var thrown: (any Error)?
      do { try intent(run.app) } catch { thrown = error }
      if try end(run, error: thrown, at: sourceLocation) { return step - 1 }
    }
    return 0
  }

  /// Runs an intent that may be async with each of its steps failing, and then without a fault.
  ///
  /// - Parameters:
  ///   - sourceLocation: The source location of recorded issues.
  ///   - mount: Creates the host for a run.
  ///   - intent: Performs the intent on the host.
  /// - Returns: The number of steps of the intent.
  /// - Throws: The errors of `mount`, and the error of the intent in the run without a fault.
  @_disfavoredOverload
  @discardableResult
  public nonisolated(nonsending) func run(
    sourceLocation: SourceLocation = #_sourceLocation,
    on mount: nonisolated(nonsending) () async throws -> TestHost,
    intent: nonisolated(nonsending) (TestHost) async throws -> Void
  ) async throws -> Int {
    for step in 1... {
      let run = FaultRun(try await mount(), step: step)
      var thrown: (any Error)?
      do { try await intent(run.app) } catch { thrown = error }
      if try end(run, error: thrown, at: sourceLocation) { return step - 1 }
    }
    return 0
  }

  /// Checks the state after a run.
  ///
  /// Returns whether it was the run without a fault.
  private func end(
    _ run: FaultRun, error: (any Error)?, at location: SourceLocation
  ) throws -> Bool {
    run.finish()
    var problems = brokenInvariants(run)
    if run.failed != nil, !run.failedInReaction {
      if expectation != .wholeCommits { problems += run.changes }
      if expectation == .allOrNothing { problems += run.screenChanges }
    }
    if !problems.isEmpty {
      let title = run.failed.map { "after step \(run.step), \($0), has failed" }
      IssueReporter.report(
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
  /// Marks a step that a running ``FaultPlan`` can make fail.
  ///
  /// While no plan runs, it does nothing. Call it where a loader of a test could fail.
  ///
  /// - Throws: ``InjectedFault`` if this step is the one to fail.
  public func mayFail(_ name: String) throws { try faults?.reach(.named(name)) }
}
