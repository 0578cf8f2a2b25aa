// Asynchronous work tied to the lifecycle of content.
//
// State of a part: `id` and `work` of the last body; `job`, the run under way; `isWanted`, whether
// a run has to start. A run that another one replaces is cancelled, and its end is ignored.

extension ElementContent {
  /// Runs asynchronous work while this content is on screen.
  ///
  /// - The work starts after the frame in which the content appears, in the order of
  ///   ``onAppear(_:)``. It is cancelled when the content disappears or the host is released.
  ///   Cancellation is a request: work ends early if it checks `Task.isCancelled`, or awaits code
  ///   that does.
  /// - The work runs on the actor that the host was made on, and keeps that actor alive while it
  ///   runs. An actor that owns a host with endless work has to release the host itself.
  /// - Each write between two awaits is a separate commit.
  /// - An error goes to the nearest ``onError(_:)``, or else to ``ViewHost/onError``, unless the
  ///   work was cancelled.
  /// - On a host that was made without an actor, the work doesn't run. ``ViewHost/onError`` gets
  ///   ``HostError/taskNeedsActor(_:)`` once, for the first task. ``ViewHost/unstartedTasks`` names
  ///   all of them.
  ///
  /// ```swift
  /// ListBox { … }.task { try await library.load() }
  /// ```
  ///
  /// - Returns: This content with the work.
  public func task(_ work: nonisolated(nonsending) @escaping () async throws -> Void) -> Element {
    Element(.lifecycle(TaskModifier(id: nil, work: work), [element]))
  }

  /// Runs asynchronous work while this content is on screen, and runs it again for each new `id`.
  ///
  /// It follows the rules of `task(_:)` without an id. When the body is evaluated with another
  /// `id`, the current run is cancelled and replaced by one of the last body's work, as by
  /// ``IntentOverlap/cancelsEarlier``. A run that ignores its cancellation doesn't delay the next
  /// one, and its writes to view state are dropped, so that an old answer is never shown.
  ///
  /// ```swift
  /// ListBox { … }.task(id: query) { hits = try await server.search(query) }
  /// ```
  ///
  /// - Parameters:
  ///   - id: A value that the work depends on. Another value starts the work again.
  ///   - work: The work, which should end early when its task is cancelled.
  /// - Returns: This content with the work.
  public func task(
    id: some Hashable, _ work: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> Element {
    Element(.lifecycle(TaskModifier(id: AnyHashable(id), work: work), [element]))
  }
}

private struct TaskModifier: LifecycleModifier {
  let id: AnyHashable?
  let work: AsyncIntent

  func makeNode(in scope: Scope) -> TaskNode { TaskNode(id: id, work: work, scope: scope) }
  func update(_ node: TaskNode) -> Bool { node.update(id: id, work: work) }
}

private final class TaskNode: LifecycleNode {
  private var id: AnyHashable?
  private var work: AsyncIntent
  private weak var scope: Scope?
  private var job: HostJob?
  private var isWanted = true
  /// The number of runs so far.
  private var runs = 0

  init(id: AnyHashable?, work: @escaping AsyncIntent, scope: Scope) {
    self.id = id
    self.work = work
    self.scope = scope
  }

  func update(id: AnyHashable?, work: @escaping AsyncIntent) -> Bool {
    self.work = work
    guard self.id != id else { return false }
    self.id = id
    isWanted = true
    return true
  }

  override func run(on host: ViewHost, isFirst: Bool) throws {
    guard isWanted else { return }
    let replaced = job
    start(on: host)
    replaced?.cancel()
  }

  private func start(on host: ViewHost) {
    isWanted = false
    let name = "a task of \(scope?.name ?? "a view")"
    guard let isolation = host.isolation else { return host.didNotStart(name) }
    runs += 1
    let number = runs
    let started = HostJob(on: isolation, work, named: name, in: host.work) {
      [weak self, weak host] error in
      guard let self, number == runs else { return }
      job = nil
      if let error, let host { host.reportToAnyone(error, nearest: handler) }
    }
    job = started
    started.start()
  }

  override func end() -> (() throws -> Void)? {
    isWanted = false
    job.take()?.cancel()
    return nil
  }
}
