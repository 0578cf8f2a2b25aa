// State: `current`, where it stands; `settled`, where it stood before the run under way; `run`, the number of the run
// whose outcome counts: one that was cancelled or replaced changes nothing any more; `job`, that run, on an actor;
// `waiting`, how many callers wait for its end, and `ended`, which wakes them.
//
// Order of events in a run: `loading`, each progress, and then `loaded` or `failed`; what fills a graph is committed
// before `loaded`; then who waits goes on. All of it happens in the isolation of whoever called `load()`.

/// Loads a value asynchronously, and tells where that stands.
///
/// - ``state`` is tracked: a view that reads it is evaluated again at each step.
/// - ``load()`` loads once, ``reload()`` again, ``cancel()`` asks the run under way to end. Only the outcome of the
///   latest run counts, and only that writes to a store, however late an earlier one ends.
/// - Work runs where `load()` was called: from a ``ElementContent/task(_:)`` or an async intent in the host's
///   isolation. On an actor it is a task of its own, which belongs to all who wait for it: a caller that is cancelled
///   goes, and the last one that does cancels the run, as ``cancel()`` does. ``ViewHost/workInFlight`` names it, if
///   it was started by work of a host; one that was not is named by the test that leaves it under way, see
///   `LeavesNothing`. Without an actor it runs in the caller's task, whose cancelling it sees.
/// - It does not throw: what went wrong is the state, which keeps the value loaded before.
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
  /// What a loader does; it tells of its progress.
  public typealias Work =
    nonisolated(nonsending) (_ progress: LoadingProgress) async throws -> Value

  private let work: Work
  private let current = Signal<Loadable<Value>>(.idle, name: "a loader", isEqual: { _, _ in false })
  private var settled = Loadable<Value>.idle
  private var run = 0
  private var job: HostJob?
  private var waiting = 0
  private let ended = Wakening()

  /// Creates a loader; nothing runs before ``load()``.
  public init(_ work: nonisolated(nonsending) @escaping () async throws -> Value) {
    self.work = { _ in try await work() }
  }

  /// Creates a loader whose work tells how far it is.
  public init(reporting work: @escaping Work) { self.work = work }

  /// Where it stands; a read is a dependency.
  public var state: Loadable<Value> { current.value }

  /// Loads the value unless it is there; waits for the run under way if there is one.
  ///
  /// The answer is the state when nothing is under way any more: `loaded`, `failed`, or what it was before if it was
  /// cancelled. A run that is replaced meanwhile is waited for in its successor. A caller whose own task is cancelled
  /// does not wait: it is answered at once, with `loading` if others still wait. So is the work itself, which would
  /// wait for its own end, where it asks without an actor.
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

  /// Loads the value anew; the run under way, if there is one, is cancelled and its outcome ignored.
  ///
  /// The answer is as for ``load()``, and so is the answer of those that waited for the run that was replaced.
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

  /// Asks the run under way to end: its outcome is ignored, and the state is again what it was before.
  ///
  /// Who waits for it goes on; the work ends when it looks at `Task.isCancelled`.
  public func cancel() {
    guard current.peek().isLoading else { return }
    run += 1
    let job = job.take()
    current.value = settled
    job?.cancel()
    ended.wake()
  }

  // MARK: - Runs

  /// Begins a run, in the place of the one under way if there is one; the answer is its number.
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
    // Not in a capture list: Swift 6.3 takes a closure that has one off the actor.
    weak let loader = self
    let started = HostJob(
      TaskIsolation(isolation, "a loader"),
      {
        let value = try await work(progress)
        loader?.finish(number, .success(value))
      }, named: "a loader of \(Value.self)", in: HostJob.list(on: isolation)
    ) { error in
      loader?.finish(number, error.map { .failure($0) })
    }
    job = started
    started.start()
  }

  private nonisolated(nonsending) func runHere() async {
    let number = begin()
    do { finish(number, .success(try await work(progress(of: number)))) } catch {
      finish(number, Task.isCancelled ? nil : .failure(error))
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
    // Whoever goes leaves the run to those who still wait.
    if waiting == 0, Task.isCancelled { cancel() }
  }

  /// The end of a run; nil if it was cancelled, or has ended before.
  private func finish(_ number: Int, _ outcome: Result<Value, any Error>?) {
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

/// Tells a loader how far its work is.
public struct LoadingProgress {
  let isWanted: () -> Bool
  let report: (Double) -> Void

  /// Tells which part is done, from 0 to 1.
  ///
  /// Nothing happens if that is known already, or the run was cancelled or replaced.
  public func callAsFunction(_ part: Double) { if isWanted() { report(part) } }
}

extension Loader {
  /// Creates a loader that fills a graph: what it fetches is added to a store, in one commit that no undo takes back.
  ///
  /// Objects whose primary keys are stored already are treated as `policy` says; by default they are brought up to
  /// date, and only what differs is written and noticed, in every property but those of `keeping`: name there what the
  /// service does not know. The value is the stored objects, in the order of what was fetched. What the store refuses
  /// is a failure like any other, and changes nothing.
  ///
  /// ```swift
  /// let books = Loader<[Book]>(into: store, keeping: [\.notes]) { progress in
  ///   try await service.records().map(Book.init(record:))
  /// }
  /// ```
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
  /// The commits of what was loaded.
  public static let loader = Origin("loader")
}
