public import Signals
public import Testing

/// An actor whose work a test runs step by step: deterministic, without sleeping, on a machine of
/// any load.
///
/// - ``run(_:)`` runs a test on an actor of its own, so that tests beside each other don't meet.
/// - Work on the actor runs in the order in which it became ready, whatever its priority, and while
///   the test waits.
/// - ``settle(atMost:sourceLocation:)`` returns when nothing on the actor can run: all work there
///   has ended, or waits for a clock, for the test, or for work elsewhere. ``step(_:)`` runs a part
///   of it.
/// - Async intents and tasks of views of a host made there run so, and what they await that has no
///   other actor; and so does what a test starts by ``start(_:)``, but not a `Task` of its own.
///
/// ```swift
/// @Test func `loading shows what came`() async throws {
///   try await SteppingActor.run { stage in
///     let clock = ManualClock()
///     let app = try TestHost(store) { Catalogue(clock: clock) }
///     try app.start("load")
///     await stage.settle()
///     #expect(app.text == "loading")
///     clock.advance(by: .seconds(1))
///     await stage.settle()
///     #expect(app.text == "Emma")
///   }
/// }
/// ```
public actor SteppingActor: SteppedActor {
  private nonisolated let executor = SteppingExecutor()

  /// Where its work waits.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Hosts made on the actor, which can tell what is under way.
  private var hosts: [WeakHost] = []

  /// A host of the actor.
  ///
  /// Unchecked, and safe: it is made where the host is, whose isolation is the actor, and looked at
  /// by code of the actor alone.
  private struct WeakHost: @unchecked Sendable { weak let host: ViewHost? }

  /// Creates an actor.
  public init() {}

  /// Runs a test, or a part of one, on an actor of its own.
  public static func run<Result: Sendable>(
    _ body: @Sendable (isolated SteppingActor) async throws -> Result
  ) async rethrows -> Result {
    try await SteppingActor().perform(body)
  }

  package nonisolated var taskExecutor: any TaskExecutor { executor }

  private func perform<Result: Sendable>(
    _ body: @Sendable (isolated SteppingActor) async throws -> Result
  ) async rethrows -> Result {
    try await withTaskExecutorPreference(executor) { try await body(self) }
  }

  /// Starts a task on the actor, which runs when the test waits.
  @discardableResult
  public func start<Result: Sendable>(
    _ body: @escaping @Sendable (isolated SteppingActor) async throws -> Result
  ) -> Task<Result, any Error> {
    Task(executorPreference: executor) { try await body(self) }
  }

  /// Lets everything on the actor run that can.
  ///
  /// What polls, as `while !isDone { await Task.yield() }` does, never ends: after `limit` pieces
  /// of work that is recorded as an issue, with the work of hosts that is under way.
  public func settle(
    atMost limit: Int = 1_000_000, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let count = await step(limit)
    if count < limit { return }
    let next = await step()
    if next == 0 { return }
    let work = hosts.compactMap { $0.host?.workInFlight }.flatMap(\.self)
    Findings.report(
      """
      \(limit) pieces of work have run, and there is more: something polls\
      \(work.isEmpty ? "" : "; under way: \(work.joined(separator: ", "))")
      """, at: sourceLocation)
  }

  /// A host was made, on this actor if it is one.
  static func note(_ app: TestHost, _ isolation: isolated (any Actor)?) {
    guard let stage = isolation as? SteppingActor else { return }
    let host = WeakHost(host: app.host)
    stage.assumeIsolated { stage in
      stage.hosts.removeAll { $0.host == nil }
      stage.hosts.append(host)
    }
  }

  /// Lets the next pieces of work run, each until it waits or ends; the answer is how many there
  /// were.
  ///
  /// Those of other work that steps count, too, as all work on the actor does. Await it in a
  /// statement of its own: within `#expect` the test comes back by a way on which more may run.
  @discardableResult
  public func step(_ count: Int = 1) async -> Int {
    if count <= 0 { return 0 }
    return await withCheckedContinuation { executor.wait(for: count, $0) }
  }
}
