public import Signals
public import Testing

/// An actor whose work a test runs step by step, deterministically, without sleeping, and
/// independent of the load of the machine.
///
/// - ``run(_:)`` runs a test on a separate actor, so that parallel tests don't affect each other.
/// - Work on the actor runs in the order in which it became ready, regardless of its priority,
///   while the test waits.
/// - ``settle(atMost:sourceLocation:)`` returns when nothing on the actor can run: all work there
///   has ended, or waits for a clock, for the test, or for work elsewhere. ``step(_:)`` runs a part
///   of it.
/// - The async intents and view tasks of a host created on the actor run in this way, including the
///   code that they await if it isn't isolated to another actor. So does work that a test starts
///   with ``start(_:)``, but not a `Task` that the test creates itself.
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

  /// The executor that queues the actor's work.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// The hosts created on the actor, which know the work that is running.
  private var hosts: [WeakHost] = []

  /// A weak reference to a host of the actor.
  ///
  /// It is unchecked, and safe: it is created on the host's isolation domain, which is the actor,
  /// and accessed only by code of the actor.
  private struct WeakHost: @unchecked Sendable { weak let host: ViewHost? }

  /// Creates an actor with an empty queue.
  public init() {}

  /// Runs a test, or a part of one, on a new actor.
  ///
  /// - Parameter body: The test, isolated to the actor.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
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

  /// Starts a task on the actor.
  ///
  /// It runs when the test waits.
  ///
  /// - Parameter body: The work of the task, isolated to the actor.
  /// - Returns: The task, for its result or to cancel it.
  @discardableResult
  public func start<Result: Sendable>(
    _ body: @escaping @Sendable (isolated SteppingActor) async throws -> Result
  ) -> Task<Result, any Error> {
    Task(executorPreference: executor) { try await body(self) }
  }

  /// Runs all work on the actor until nothing there can run.
  ///
  /// Work that polls, such as `while !isDone { await Task.yield() }`, never ends. After `limit`
  /// pieces of work this is recorded as an issue that names the running work of hosts.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of pieces of work.
  ///   - sourceLocation: The source location of recorded issues.
  public func settle(
    atMost limit: Int = 1_000_000, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let count = await step(limit)
    if count < limit { return }
    let next = await step()
    if next == 0 { return }
    let work = hosts.compactMap { $0.host?.workInFlight }.flatMap(\.self)
    IssueReporter.report(
      """
      \(limit) pieces of work have run, and there is more: something polls\
      \(work.isEmpty ? "" : "; under way: \(work.joined(separator: ", "))")
      """, at: sourceLocation)
  }

  /// Records a host if it was created on an actor of this type.
  static func note(_ app: TestHost, isolation: isolated (any Actor)?) {
    guard let stage = isolation as? SteppingActor else { return }
    let host = WeakHost(host: app.host)
    stage.assumeIsolated { stage in
      stage.hosts.removeAll { $0.host == nil }
      stage.hosts.append(host)
    }
  }

  /// Runs the next pieces of work, each until it waits or ends.
  ///
  /// All work on the actor counts, including that of other code that steps. Await this method in a
  /// separate statement: within `#expect`, more work may run before the test continues.
  ///
  /// - Returns: The number of pieces that ran.
  @discardableResult
  public func step(_ count: Int = 1) async -> Int {
    if count <= 0 { return 0 }
    return await withCheckedContinuation { executor.wait(for: count, $0) }
  }
}
