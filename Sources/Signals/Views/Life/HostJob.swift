// Asynchronous work of a host: the task of a view, or an intent.
//
// State: `work` until it starts; `didEnd` and `list` until it has ended, or was dropped; `task`.
//
// A job is Sendable although its closures are not, for the reason that holds for timers (see ClockTimer.swift): they
// are handed over on the host's actor, where `init` checks it; used in `run`, which is isolated to the actor; and
// released there, or together with it. The task reads nothing but `actor` before it runs there.

/// An actor that has work run where it can see it, before the work reaches the actor and between.
package protocol SteppedActor: Actor {
  /// Where tasks of hosts on the actor run.
  nonisolated var taskExecutor: any TaskExecutor { get }
}

/// Runs asynchronous work on the actor of a host, which it keeps alive while it runs.
///
/// Unchecked, and safe: see the head of this file.
final class HostJob: @unchecked Sendable {
  private let actor: WeakActor
  private var work: AsyncIntent?
  private var didEnd: ((any Error)?) -> Void
  private var task: Task<Void, any Error>?
  private var list: HostWork?

  /// Creates a job, listed by its name until it has ended if there is a list; `didEnd` gets what the work threw, unless it had been cancelled before.
  init(
    _ isolation: TaskIsolation, _ work: @escaping AsyncIntent, named name: String = "",
    in list: HostWork? = nil,
    didEnd: @escaping ((any Error)?) -> Void
  ) {
    actor = isolation.checkedActor()
    self.work = work
    self.didEnd = didEnd
    self.list = list
    list?.add(self, name)
  }

  /// Starts the task; the answer is for whoever waits for it, and for cancelling it from elsewhere.
  @discardableResult
  func start() -> Task<Void, any Error> {
    let run = { @Sendable [weak self] in
      guard let self, let actor = self.actor.actor else { throw CancellationError() }
      try await self.run(on: actor)
    }
    // What has not reached the actor yet would be nowhere to be seen for a test that steps.
    let executor = (actor.actor as? any SteppedActor)?.taskExecutor
    let task = executor.map { Task(executorPreference: $0, operation: run) } ?? Task(operation: run)
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
    list.take()?.remove(self)
    didEnd(error)
  }

  /// Asks the work to end, and learns of it when it has; work that did not start yet never does.
  func cancel() {
    task?.cancel()
    guard work.take() != nil else { return }
    end(nil)
  }
}

/// The asynchronous work of one host that is under way.
///
/// State: `entries`, in the order of their beginning. It keeps no job.
final class HostWork {
  private var entries: [(job: ObjectIdentifier, name: String)] = []

  var names: [String] { entries.map(\.name) }

  func add(_ job: HostJob, _ name: String) { entries.append((ObjectIdentifier(job), name)) }

  func remove(_ job: HostJob) { entries.removeAll { $0.job == ObjectIdentifier(job) } }
}

extension ViewHost {
  /// What runs asynchronously for this host, by name, in the order of its beginning: intents and tasks of views.
  ///
  /// What was cancelled is here until it has ended. An async intent that runs in its caller's task is not.
  public var workInFlight: [String] { work.names }
}
