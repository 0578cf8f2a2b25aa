// State: `current`, the state of the loading; `settled`, the state before the run under way; `run`,
// the number of the run whose outcome counts, so that a cancelled or replaced run changes nothing;
// `job`, that run, if it is on an actor; `waiting`, the number of callers that wait for its end;
// `ended`, which wakes them. Only the isolation of the callers of `load()` touches them.
//
// Order of events in a run: `loading`, each progress, and then `loaded` or `failed`. A value that
// fills a graph is committed before `loaded`. Then the waiting callers resume. All of it happens in
// the isolation of the caller of `load()`.

/// Loads a value asynchronously, and publishes the state of the loading.
///
/// - ``state`` is tracked: a view that reads it is evaluated again at each step.
/// - ``load()`` loads once, ``reload()`` loads again, ``cancel()`` asks the run under way to end.
///   Only the outcome of the latest run counts. Only that run writes to a store, however late an
///   earlier one ends.
/// - Work runs in the isolation of the caller of `load()`. Called from a
///   ``ElementContent/task(_:)`` or an async intent, that is the host's isolation.
/// - On an actor, a run is a separate task shared by all callers that wait for it. A caller that is
///   cancelled stops waiting. If it is the last one, the run is cancelled as by ``cancel()``.
/// - ``ViewHost/workInFlight`` names a run that was started by work of a host. Any other run on an
///   actor is named by a test that leaves it under way; see `LeavesNothing`.
/// - Without an actor, the work runs in the caller's task and observes that task's cancellation.
/// - Loading doesn't throw. An error is part of the state, which keeps the value loaded before.
///
/// ```swift
/// struct Shelf: View {
///   @StateObject var books = Loader { try await service.books() }
///
///   var body: Element {
///     Column {
///       if books.state.isLoading { ProgressBar(value: books.state.progress ?? 0) }
///       ForEach(books.state.value ?? []) { Text($0.title) }
///       Button("Reload") { await books.reload() }
///     }
///     .task { await books.load() }
///   }
/// }
/// ```
public final class Loader<Value> {
  /// The work of a loader, which reports its progress.
  public typealias Work =
    nonisolated(nonsending) (_ progress: LoadingProgress) async throws -> Value

  private let work: Work
  private let current = Signal<Loadable<Value>>(.idle, name: "a loader", isEqual: { _, _ in false })
  private var settled = Loadable<Value>.idle
  private var run = 0
  private var job: HostJob?
  private var waiting = 0
  private let ended = WaitQueue()

  /// Creates a loader.
  ///
  /// Nothing runs before ``load()``.
  public init(_ work: nonisolated(nonsending) @escaping () async throws -> Value) {
    self.work = { _ in try await work() }
  }

  /// Creates a loader whose work reports its progress.
  public init(reporting work: @escaping Work) { self.work = work }

  /// The state of the loading.
  ///
  /// Reads are tracked.
  public var state: Loadable<Value> { current.value }

  /// Loads the value unless it is loaded; waits for the run under way if there is one.
  ///
  /// If the run is replaced, the caller waits for its successor. A caller whose task is cancelled
  /// doesn't wait: it returns immediately, with `loading` if others still wait. Without an actor, a
  /// call while a run is under way returns immediately too. This includes a call from the work,
  /// which would otherwise wait for its own end. On an actor, the work must not call this method.
  ///
  /// - Returns: The state once no run is under way: `loaded`, `failed`, or the previous state if
  ///   the run was cancelled.
  @discardableResult
  public nonisolated(nonsending) func load() async -> Loadable<Value> {
    if case .loaded = current.peek() { return current.peek() }
    let isolation: (any Actor)? = #isolation
    if let isolation {
      if !current.peek().isLoading { begin(on: isolation) }
      await wait()
    } else if !current.peek().isLoading {
      await runHere()
    }
    return current.peek()
  }

  /// Loads the value again.
  ///
  /// A run under way is cancelled and its outcome ignored. Callers that waited for it wait for the
  /// new run.
  ///
  /// - Returns: The state once no run is under way, as ``load()`` returns it.
  @discardableResult
  public nonisolated(nonsending) func reload() async -> Loadable<Value> {
    let isolation: (any Actor)? = #isolation
    if let isolation {
      begin(on: isolation)
      await wait()
    } else {
      await runHere()
    }
    return current.peek()
  }

  /// Asks the run under way to end.
  ///
  /// Its outcome is ignored, and the previous state is restored. Callers that wait for the run
  /// resume. The work ends when it checks `Task.isCancelled`.
  public func cancel() {
    guard current.peek().isLoading else { return }
    run += 1
    let job = job.take()
    current.value = settled
    job?.cancel()
    ended.wake()
  }

  // MARK: - Runs

  /// Begins a run, replacing the one under way if there is one.
  ///
  /// - Returns: The number of the run.
  private func begin() -> Int {
    let replaced = job.take()
    if !current.peek().isLoading { settled = current.peek() }
    run += 1
    current.value = .loading(progress: nil, previous: settled.value)
    replaced?.cancel()
    return run
  }

  private func begin(on isolation: any Actor) {
    let number = begin()
    let (work, progress) = (work, progress(of: number))
    // Not in a capture list: Swift 6.3 runs a closure with a capture list off the actor.
    weak let loader = self
    let started = HostJob(
      on: TaskIsolation(isolation, of: "a loader"),
      {
        let value = try await work(progress)
        loader?.finish(number, with: .success(value))
      }, named: "a loader of \(Value.self)", in: HostJob.list(on: isolation)
    ) { error in
      loader?.finish(number, with: error.map { .failure($0) })
    }
    job = started
    started.start()
  }

  private nonisolated(nonsending) func runHere() async {
    let number = begin()
    do { finish(number, with: .success(try await work(progress(of: number)))) } catch {
      finish(number, with: Task.isCancelled ? nil : .failure(error))
    }
  }

  private nonisolated(nonsending) func wait() async {
    waiting += 1
    while true {
      let seen = ended.count
      guard current.peek().isLoading, !Task.isCancelled else { break }
      await ended.wait(after: seen)
    }
    waiting -= 1
    // A cancelled caller leaves the run to the remaining ones; the last one cancels it.
    if waiting == 0, Task.isCancelled { cancel() }
  }

  /// Ends a run.
  ///
  /// `outcome` is nil if it was cancelled. Does nothing if the run has ended before.
  private func finish(_ number: Int, with outcome: Result<Value, any Error>?) {
    guard number == run, current.peek().isLoading else { return }
    job = nil
    switch outcome {
    case .success(let value): current.value = .loaded(value)
    case .failure(let error): current.value = .failed(error, previous: settled.value)
    case nil: current.value = settled
    }
    ended.wake()
  }

  private func progress(of number: Int) -> LoadingProgress {
    LoadingProgress { [weak self] in
      guard let self else { return false }
      return number == run && current.peek().isLoading
    } report: { [weak self] part in
      guard let self else { return }
      let part = part > 0 ? min(part, 1) : 0
      if current.peek().progress == part { return }
      current.value = .loading(progress: part, previous: settled.value)
    }
  }
}

/// Reports the progress of a loader's work.
public struct LoadingProgress {
  let isWanted: () -> Bool
  let report: (Double) -> Void

  /// Reports the fraction done, from 0 to 1.
  ///
  /// Does nothing if the fraction is unchanged, or if the run was cancelled or replaced.
  public func callAsFunction(_ part: Double) { if isWanted() { report(part) } }
}

extension Loader {
  /// Creates a loader that adds the fetched objects to a store, in one commit that can't be undone.
  ///
  /// The value is the stored objects, in the order in which they were fetched. An error of the
  /// store is a failure like any other and changes nothing.
  ///
  /// ```swift
  /// let books = Loader<[Book]>(into: store, keeping: [\.notes]) { progress in
  ///   try await service.records().map(Book.init(record:))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - store: The store to add the objects to.
  ///   - policy: The treatment of objects whose primary keys are already stored. By default they
  ///     are updated: only differing values are written, and only these notify readers.
  ///   - kept: Properties that an update leaves alone, such as those that the service doesn't know.
  ///   - fetch: Fetches the objects.
  public convenience init<Element: Object>(
    into store: Store, onConflict policy: ConflictPolicy = .theirs,
    keeping kept: [PartialKeyPath<Element>] = [],
    _ fetch:
      nonisolated(nonsending) @escaping (_ progress: LoadingProgress) async throws ->
      [Element]
  ) where Value == [Element] {
    self.init(reporting: { progress in
      let fetched = try await fetch(progress)
      // A run that was cancelled or replaced writes nothing, however late it ends.
      guard progress.isWanted() else { throw CancellationError() }
      return try store.write(origin: .loader, undoable: false) {
        try store.add(fetched, onConflict: policy, keeping: kept)
      }
    })
  }
}

extension Origin {
  /// The origin of commits by loaders.
  public static let loader = Origin("loader")
}
