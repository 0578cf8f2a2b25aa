// Asynchronous work of a host: the task of a view, or an intent.
//
// State: `work` until it starts; `didEnd` until it has ended, or was dropped; `task`.
//
// A job is Sendable although its closures are not, for the reason that holds for timers (see ClockTimer.swift): they
// are handed over on the host's actor, where `init` checks it; used in `run`, which is isolated to the actor; and
// released there, or together with it. The task reads nothing but `actor` before it runs there.

/// Runs asynchronous work on the actor of a host, which it keeps alive while it runs.
///
/// Unchecked, and safe: see the head of this file.
final class HostJob: @unchecked Sendable {
  private let actor: WeakActor
  private var work: AsyncIntent?
  private var didEnd: ((any Error)?) -> Void
  private var task: Task<Void, any Error>?

  /// Creates a job; `didEnd` gets what the work threw, unless it had been cancelled before.
  init(
    _ isolation: TaskIsolation, _ work: @escaping AsyncIntent,
    didEnd: @escaping ((any Error)?) -> Void
  ) {
    actor = isolation.checkedActor()
    self.work = work
    self.didEnd = didEnd
  }

  /// Starts the task; the answer is for whoever waits for it, and for cancelling it from elsewhere.
  @discardableResult
  func start() -> Task<Void, any Error> {
    let task = Task { [weak self] in
      guard let self, let actor = self.actor.actor else { throw CancellationError() }
      try await self.run(on: actor)
    }
    self.task = task
    return task
  }

  private func run(on actor: isolated any Actor) async throws {
    guard let work = work.take() else { throw CancellationError() }
    do { try await work() } catch {
      end(Task.isCancelled ? nil : error)
      throw error
    }
    end(nil)
  }

  private func end(_ error: (any Error)?) {
    let didEnd = didEnd
    self.didEnd = { _ in }
    task = nil
    didEnd(error)
  }

  /// Asks the work to end, and learns of it when it has; work that did not start yet never does.
  func cancel() {
    task?.cancel()
    guard work.take() != nil else { return }
    end(nil)
  }
}
