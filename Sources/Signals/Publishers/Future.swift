// From asynchronous code to a publisher.
//
// Both kinds of job are Sendable although their closures aren't, for the same reason as timers (see
// ClockTimer.swift): the closures are passed in on the actor, which `init` checks, used in
// functions that are isolated to the actor, and released there or together with it.

/// Runs an asynchronous closure for each subscription, and sends its result or error.
///
/// - The closure runs on the actor on which the publisher was created, and is cancelled with the
///   subscription.
/// - The closures of one actor start in the order of their subscriptions, each up to its first
///   `await`. They start after the code that subscribes has ended, not within it as in Combine.
/// - Each subscription runs the closure again. Use ``Publisher/replay(_:)`` to keep the result for
///   several subscriptions.
/// - The actor is kept alive until the closure ends.
///
/// Creating it without an actor traps.
///
/// ```swift
/// let token = Future { try await server.load() }.retry(3).sink(…)
/// ```
public struct Future<Output, Failure: Error>: Publisher {
  let work: nonisolated(nonsending) () async throws(Failure) -> Output
  let isolation: TaskIsolation

  /// Creates a publisher that runs `work` for each subscription.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the work runs; leave it to the compiler.
  ///   - work: The asynchronous work, whose result is sent.
  public init(
    isolation: isolated (any Actor)? = #isolation,
    _ work: nonisolated(nonsending) @escaping () async throws(Failure) -> Output
  ) {
    self.work = work
    self.isolation = TaskIsolation(isolation, of: "Future")
  }

  /// Starts the work in a task.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let job = FutureJob(on: isolation, work: work) { value in
      if downstream.receive(value) { downstream.finish(.finished) }
    } fail: {
      downstream.finish(.failure($0))
    }
    job.start()
    return job
  }
}

/// Runs the work of one subscription on the actor.
///
/// The unchecked conformance is safe: `actor` is only read. All other state is used by functions
/// that the actor runs (`init` checks it, `run` is isolated to it), and released there by `end` or
/// `cancel`, or together with the actor.
final class FutureJob<Output, Failure: Error>: Cancellable, @unchecked Sendable {
  private let actor: WeakActor
  /// The operation, until it starts.
  private var work: (nonisolated(nonsending) () async throws(Failure) -> Output)?
  /// Sends the value; nil once the job has ended or was cancelled.
  private var succeed: ((Output) -> Void)?
  /// Sends the error; nil once the job has ended or was cancelled.
  private var fail: ((Failure) -> Void)?
  private var task: Task<Void, Never>?

  init(
    on isolation: TaskIsolation,
    work: nonisolated(nonsending) @escaping () async throws(Failure) -> Output,
    succeed: @escaping (Output) -> Void, fail: @escaping (Failure) -> Void
  ) {
    actor = isolation.checkedActor()
    self.work = work
    self.succeed = succeed
    self.fail = fail
  }

  /// Starts a task that begins on the actor.
  ///
  /// If each task had to hop to the actor first, they would start in any order.
  func start() {
    guard let actor = actor.actor else { return }
    task = actor.assumeIsolated { actor in
      // Without this executor, a test that steps couldn't see work that leaves the actor.
      if let executor = (actor as? any SteppedActor)?.taskExecutor {
        return Task(executorPreference: executor) { [weak self] in await self?.run(on: actor) }
      }
      // Capturing `actor` is what isolates the closure.
      return Task { [weak self] in await self?.run(on: actor) }
    }
  }

  private func run(on actor: isolated any Actor) async {
    guard let work = work.take() else { return }
    do throws(Failure) {
      let output = try await work()
      end().succeed?(output)
    } catch {
      end().fail?(error)
    }
  }

  private func end() -> (succeed: ((Output) -> Void)?, fail: ((Failure) -> Void)?) {
    task = nil
    return (succeed.take(), fail.take())
  }

  func cancel() {
    let dropped = (work.take(), succeed.take(), fail.take())
    task.take()?.cancel()
    // Released last, because releasing the closures may cancel.
    withExtendedLifetime(dropped) {}
  }
}
