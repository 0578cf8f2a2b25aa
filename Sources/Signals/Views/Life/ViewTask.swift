// Asynchronous work tied to the life of what a body holds.
//
// State of a part: `id`, `work`, as the last body said; `job`, the run under way; `isWanted`, whether one is to start
// when that has ended.

extension ElementContent {
  /// Runs asynchronous work while this content is on screen.
  ///
  /// - It starts after the frame in which the content appears, in the order of ``onAppear(_:)``, and is cancelled when
  ///   the content disappears or the host goes. Cancelling is asking: work that looks at `Task.isCancelled`
  ///   or awaits what does so ends early.
  /// - It runs on the actor that the host was made on, and keeps that alive while it runs: an actor that owns a host
  ///   with endless work has to release the host itself.
  /// - Each write between two awaits is a commit of its own.
  /// - What it throws, unless it was cancelled, reaches the nearest ``onError(_:)``, else ``ViewHost/onError``.
  /// - On a host that was made without an actor the work does not run: ``ViewHost/onError`` gets
  ///   ``HostError/taskNeedsActor(_:)`` once, for the first task, and ``ViewHost/unstartedTasks`` names all of them.
  ///
  /// ```swift
  /// ListBox { … }.task { try await library.load() }
  /// ```
  public func task(_ work: nonisolated(nonsending) @escaping () async throws -> Void) -> Element {
    Element(.life(TaskModifier(id: nil, work: work), [element]))
  }

  /// Runs asynchronous work likewise, again for each new `id`.
  ///
  /// When a body says another `id` the run under way is cancelled, and the work of the last body starts when that
  /// run has ended: it never overlaps with itself. Ids that came and went meanwhile are left out.
  ///
  /// ```swift
  /// ListBox { … }.task(id: query) { hits = try await server.search(query) }
  /// ```
  public func task(
    id: some Hashable, _ work: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> Element {
    Element(.life(TaskModifier(id: AnyHashable(id), work: work), [element]))
  }
}

private struct TaskModifier: LifeModifier {
  let id: AnyHashable?
  let work: AsyncIntent

  func makePart(in scope: Scope) -> TaskPart { TaskPart(id, work, scope) }
  func update(_ part: TaskPart) -> Bool { part.update(id, work) }
}

private final class TaskPart: LifePart {
  private var id: AnyHashable?
  private var work: AsyncIntent
  private weak var scope: Scope?
  private var job: HostJob?
  private var isWanted = true

  init(_ id: AnyHashable?, _ work: @escaping AsyncIntent, _ scope: Scope) {
    self.id = id
    self.work = work
    self.scope = scope
  }

  func update(_ id: AnyHashable?, _ work: @escaping AsyncIntent) -> Bool {
    self.work = work
    guard self.id != id else { return false }
    self.id = id
    isWanted = true
    return true
  }

  override func run(on host: ViewHost, isFirst: Bool) throws {
    guard isWanted else { return }
    job?.cancel()
    if job == nil { start(on: host) }
  }

  private func start(on host: ViewHost) {
    isWanted = false
    let name = "a task of \(scope?.name ?? "a view")"
    guard let isolation = host.isolation else { return host.didNotStart(name) }
    let started = HostJob(isolation, work, named: name, in: host.work) {
      [weak self, weak host] error in
      guard let self else { return }
      job = nil
      guard let host else { return }
      if let error { host.reportToAnyone(error, handler) }
      if isWanted, !hasEnded { start(on: host) }
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
