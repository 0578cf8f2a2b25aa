// Asynchronous work of a host: the task of a view, or an intent.
//
// State of a job: `work`, until it starts; `didEnd`, until the job has ended or was dropped;
// `task`. `list`, which names the job until it has ended, also names other work that the job's work
// starts. `current` is the job of the running task.
//
// A job is Sendable although its closures aren't, for the same reason as timers (see
// ClockTimer.swift). The closures are passed in on the host's actor, which `init` checks. They are
// called in `run`, which is isolated to the actor. They are released there, or together with the
// actor. Before the task runs on the actor, it only reads `actor`. A task that the work has started
// may keep a job that has ended, and release it on any thread. By then the job only has `list`,
// whose release runs no user code, and which is read on the actor only.

/// Runs asynchronous work on the actor of a host, and keeps the actor alive while the work runs.
///
/// Unchecked, and safe for the reasons at the top of this file.
final class HostJob: @unchecked Sendable {
  private let actor: WeakActor
  private var work: AsyncIntent?
  private var didEnd: ((any Error)?) -> Void
  private(set) var task: Task<Void, any Error>?
  private let list: HostWork?
  private let context: AsyncRunContext
  @TaskLocal private static var current: HostJob?

  /// Creates a job.
  ///
  /// If there is a list, the job is in it by its name until it has ended.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the work runs on.
  ///   - work: The work.
  ///   - name: The name of the work in messages.
  ///   - label: The label of the undo steps of the work.
  ///   - list: The list of work that the job is in.
  ///   - didEnd: Called with the error of the work, or with nil if there was none or the job was
  ///     cancelled before.
  init(
    on isolation: TaskIsolation, _ work: @escaping AsyncIntent, named name: String,
    label: String? = nil, in list: HostWork?, didEnd: @escaping ((any Error)?) -> Void
  ) {
    context = AsyncRunContext(label: label)
    actor = isolation.checkedActor()
    self.work = work
    self.didEnd = didEnd
    self.list = list
    if let list {
      list.add(self, named: name)
    } else {
      // A test that leaves the job under way is notified in any case.
      LiveSubscriptions.begin(self, named: SubscriptionName("\(name), under way outside of a host"))
    }
  }

  deinit { if list == nil { LiveSubscriptions.end(self) } }

  /// Returns the list of the job whose work calls this; nil outside of such work, or on another
  /// actor.
  static func list(on actor: any Actor) -> HostWork? {
    guard let current, current.actor.actor === actor else { return nil }
    return current.list
  }

  /// Starts the task.
  ///
  /// - Returns: The task, for callers that wait for it, and for cancelling it from another
  ///   isolation domain.
  @discardableResult
  func start() -> Task<Void, any Error> {
    let run = { @Sendable [weak self] in
      guard let self, let actor = self.actor.actor else { throw CancellationError() }
      try await self.run(on: actor)
    }
    // Without this executor, a test that steps couldn't see work that hasn't reached the actor yet.
    let executor = (actor.actor as? any SteppedActor)?.taskExecutor
    let task = executor.map { Task(executorPreference: $0, operation: run) } ?? Task(operation: run)
    self.task = task
    return task
  }

  private func run(on actor: isolated any Actor) async throws {
    guard let work = work.take() else { throw CancellationError() }
    do {
      try await HostJob.$current.withValue(self) {
        try await AsyncRunContext.$current.withValue(context) {
          // Swift 6.3 only gives the work the actor if the closure captures it. Otherwise the work
          // runs on any thread.
          _ = actor
          try await work()
        }
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

  /// Requests cancellation; the work's writes to view state are dropped from now on.
  ///
  /// `didEnd` is called when the work has ended; work that hasn't started never starts, and ends
  /// now.
  func cancel() {
    // The handlers of the cancellation may cancel the next job.
    Disposal.run(self) { job in
      job.context.cancel()
      job.task?.cancel()
      if job.work.take() != nil { job.end(nil) }
    }
  }
}

/// The asynchronous work of one host that is under way.
///
/// State: `entries`, in the order in which the jobs began, without retaining the jobs; `unstarted`,
/// the names of tasks that had no actor to run on.
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

  func add(_ job: HostJob, named name: String) {
    entries.append(Entry(job: job, id: ObjectIdentifier(job), name: name))
  }

  func remove(_ job: HostJob) { entries.removeAll { $0.id == ObjectIdentifier(job) } }

  /// Notes a task that doesn't start.
  func noteUnstarted(_ name: String) {
    if !unstarted.contains(name) { unstarted.append(name) }
  }
}

extension ViewHost {
  /// The names of the asynchronous work of this host, in the order in which it began.
  ///
  /// It contains intents, tasks of views, and the runs of a ``Loader`` that these have started.
  /// Work that was cancelled is listed until it has ended. An async intent that runs in its
  /// caller's task isn't listed.
  public var workInFlight: [String] { work.names }

  /// The names of views' tasks that didn't start because the host has no actor, each name once.
  public var unstartedTasks: [String] { work.unstarted }

  /// Notes a task that has no actor to run on; the first one is reported.
  func didNotStart(_ name: String) {
    let isFirst = work.unstarted.isEmpty
    work.noteUnstarted(name)
    if !isFirst { return }
    let error = HostError.taskNeedsActor(name)
    if !report(error, to: nil) { writeToStandardError("Signals: \(error)\n") }
  }

  /// Takes all views off the screen, as releasing the host does, and requests the cancellation of
  /// their work.
  ///
  /// - Returns: The work that is still running, with its names, because cancellation is only a
  ///   request.
  package func close() -> [(name: String, task: Task<Void, any Error>)] {
    cancelIntents()
    removeRoot()
    return work.tasks
  }
}
