// Asynchronous work of a host: the task of a view, or an intent.
//
// State: `work` until it starts; `didEnd` until it has ended, or was dropped; `task`. `list`, which names it until
// then, names what its work starts in turn, too: `current` is the job of the task that asks.
//
// A job is Sendable although its closures are not, for the reason that holds for timers (see ClockTimer.swift): they
// are handed over on the host's actor, where `init` checks it; used in `run`, which is isolated to the actor; and
// released there, or together with it. The task reads nothing but `actor` before it runs there. A task that the work has
// started may keep a job that has ended, and release it anywhere: nothing is left in it then but `list`, which is memory
// and no more, and which is looked at on the actor alone.

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
  private(set) var task: Task<Void, any Error>?
  private let list: HostWork?
  @TaskLocal private static var current: HostJob?

  /// Creates a job, listed by its name until it has ended if there is a list.
  ///
  /// `didEnd` gets what the work threw, unless it had been cancelled before.
  init(
    _ isolation: TaskIsolation, _ work: @escaping AsyncIntent, named name: String,
    in list: HostWork?, didEnd: @escaping ((any Error)?) -> Void
  ) {
    actor = isolation.checkedActor()
    self.work = work
    self.didEnd = didEnd
    self.list = list
    if let list {
      list.add(self, name)
    } else {
      // A test that leaves it under way is told of it all the same.
      LiveSubscriptions.begin(self, SubscriptionName("\(name), under way outside of a host"))
    }
  }

  deinit { if list == nil { LiveSubscriptions.end(self) } }

  /// The list that names the job whose work asks; nil if it is none, or runs elsewhere.
  static func list(on actor: any Actor) -> HostWork? {
    guard let current, current.actor.actor === actor else { return nil }
    return current.list
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
    do {
      try await HostJob.$current.withValue(self) {
        // Swift 6.3 hands the work no actor unless the closure captures it: then it would run anywhere.
        _ = actor
        try await work()
      }
    } catch {
      end(Task.isCancelled ? nil : error)
      throw error
    }
    end(nil)
  }

  private func end(_ error: (any Error)?) {
    let didEnd = didEnd
    self.didEnd = { _ in }
    task = nil
    list?.remove(self)
    if list == nil { LiveSubscriptions.end(self) }
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
/// State: `entries`, in the order of their beginning; it keeps no job. `unstarted`, the tasks that had no actor.
final class HostWork {
  private struct Entry {
    weak let job: HostJob?
    let id: ObjectIdentifier
    let name: String
  }

  private var entries: [Entry] = []
  private(set) var unstarted: [String] = []

  var names: [String] { entries.map(\.name) }

  /// The tasks that run, by name.
  var tasks: [(name: String, task: Task<Void, any Error>)] {
    entries.compactMap { entry in entry.job?.task.map { (entry.name, $0) } }
  }

  func add(_ job: HostJob, _ name: String) {
    entries.append(Entry(job: job, id: ObjectIdentifier(job), name: name))
  }

  func remove(_ job: HostJob) { entries.removeAll { $0.id == ObjectIdentifier(job) } }

  /// Notes a task that does not start.
  func noteUnstarted(_ name: String) {
    if !unstarted.contains(name) { unstarted.append(name) }
  }
}

extension ViewHost {
  /// What runs asynchronously for this host, by name, in the order of its beginning.
  ///
  /// Intents and tasks of views, and the runs of a ``Loader`` that these have started. What was cancelled is here until
  /// it has ended. An async intent that runs in its caller's task is not.
  public var workInFlight: [String] { work.names }

  /// The tasks of views that did not start because the host was made without an actor, each name once.
  public var unstartedTasks: [String] { work.unstarted }

  /// Notes a task that has no actor to run on; the first is reported.
  func didNotStart(_ name: String) {
    let isFirst = work.unstarted.isEmpty
    work.noteUnstarted(name)
    if !isFirst { return }
    let error = HostError.taskNeedsActor(name)
    if !report(error, to: nil) { writeToStandardError("Signals: \(error)\n") }
  }

  /// Takes all views off the screen, as the end of the host does, and cancels what runs for them.
  ///
  /// - Returns: What runs still, by name: cancelling is asking.
  package func close() -> [(name: String, task: Task<Void, any Error>)] {
    cancelIntents()
    removeRoot()
    return work.tasks
  }
}
