private import Dispatch
public import Signals

/// An actor whose work a test runs step by step: deterministic, without sleeping, on a machine of any load.
///
/// - ``run(_:)`` runs a test on an actor of its own, so that tests beside each other don't meet.
/// - Work on the actor runs in the order in which it became ready, whatever its priority, and while the test waits.
/// - ``settle()`` returns when nothing on the actor can run: all work there has ended, or waits for a clock, for the
///   test, or for work elsewhere. ``step(_:)`` runs a part of it.
/// - Async intents and tasks of views of a host made there run so, and what they await that has no other actor; and so
///   does what a test starts by ``start(_:)``, but not a `Task` of its own.
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
  public func settle() async { await step(.max) }

  /// Lets the next pieces of work run, each until it waits or ends; the answer is how many there were.
  ///
  /// Await it in a statement of its own: within `#expect` the test comes back by a way on which more may run.
  @discardableResult
  public func step(_ count: Int = 1) async -> Int {
    if count <= 0 { return 0 }
    return await withCheckedContinuation { executor.wait(for: count, $0) }
  }
}

/// The queue of one actor.
///
/// State: `jobs` that are ready, in order; `isRunning`, whether somebody runs them; `waiters`, who want to know when
/// so many more have run, or none is left; `isResuming`, whether one of them becomes ready, who goes before others.
private final class SteppingExecutor: SerialExecutor, TaskExecutor {
  private struct Waiter {
    var ran = 0
    let count: Int
    let continuation: CheckedContinuation<Int, Never>
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var isRunning = false
    var isResuming = false
    var waiters: [Waiter] = []
  }

  private let state = Locked(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let starts = state.withLock { state in
      state.jobs.insert(job, at: state.isResuming ? 0 : state.jobs.count)
      state.isResuming = false
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { DispatchQueue.global().async { self.run() } }
  }

  func wait(for count: Int, _ continuation: CheckedContinuation<Int, Never>) {
    state.withLock { $0.waiters.append(Waiter(count: count, continuation: continuation)) }
  }

  private func run() {
    while let job = next() {
      // All of it is run one by one, also what has no actor.
      unsafe job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      state.withLock { state in
        for index in state.waiters.indices { state.waiters[index].ran += 1 }
      }
    }
  }

  /// The job to run now; whoever has waited long enough is made ready first.
  private func next() -> UnownedJob? {
    while true {
      let (job, waiter) = state.withLock { state -> (UnownedJob?, Waiter?) in
        let isDone = { (waiter: Waiter) in waiter.ran > waiter.count || state.jobs.isEmpty }
        if let index = state.waiters.firstIndex(where: isDone) {
          state.isResuming = true
          return (nil, state.waiters.remove(at: index))
        }
        if state.jobs.isEmpty {
          state.isRunning = false
          return (nil, nil)
        }
        return (state.jobs.removeFirst(), nil)
      }
      // Its own piece of work, which ended when it began to wait, is none that it waited for.
      if let waiter { waiter.continuation.resume(returning: waiter.ran - 1) } else { return job }
    }
  }
}
