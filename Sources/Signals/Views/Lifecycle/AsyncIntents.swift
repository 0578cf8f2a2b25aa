// Asynchronous intents: those under way, and which may run at the same time.
//
// State: `ids`, the ids of the intents under way, in the order in which they began. `entries`, the
// same with the job that runs each; an intent that runs in its caller's task has no job. `busy`,
// the number of intents under way for each place, by scope and name. `lastNumber`, the number of
// the last intent.
//
// A run that another run replaces leaves `entries` at once, and its own end is ignored: what it does
// until then concerns only its task.

/// The asynchronous intents of one host.
final class AsyncIntents {
  struct Entry {
    let run: AsyncRun
    let job: HostJob?
  }

  private var busy: [ScopeID: [String: Int]] = [:]
  let ids = Signal<[String]>([], name: "busyIntents")
  private var entries: [Entry] = []
  private var lastNumber = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Returns the number of intents under way for each element and key of a scope, by name; nil if
  /// there are none.
  func busyElements(of scope: ScopeID) -> [String: Int]? {
    // Usually no intent is under way; then the scope isn't hashed.
    busy.isEmpty ? nil : busy[scope]
  }

  /// Returns a number that identifies an intent from its beginning to its end.
  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Notes that an intent has begun.
  func begin(_ run: AsyncRun, job: HostJob?) {
    entries.append(Entry(run: run, job: job))
    if let place = run.place {
      busy[place.scope, default: [:]][place.name, default: 0] += 1
    }
    ids.value = entries.map(\.run.id)
  }

  /// Drops all runs when the host ends, because their events refer to an environment, which refers
  /// to this object.
  func removeAll() {
    let ended = exchange(&entries, with: [])
    busy = [:]
    withExtendedLifetime(ended) {}
  }

  /// Whether a run is under way that hasn't been replaced.
  func contains(_ run: AsyncRun) -> Bool { entries.contains { $0.run.number == run.number } }

  /// Whether an intent of a place is under way.
  func isUnderWay(_ place: ElementLocation) -> Bool { busy[place.scope]?[place.name] != nil }

  /// Returns the runs under way that a new run replaces.
  func runs(replacedBy run: AsyncRun) -> [Entry] {
    guard run.overlap == .cancelsEarlier, let place = run.place, isUnderWay(place) else {
      return []
    }
    return entries.filter { $0.run.place == place }
  }

  func end(_ run: AsyncRun) {
    guard let index = entries.firstIndex(where: { $0.run.number == run.number }) else { return }
    entries.remove(at: index)
    if let place = run.place { end(place) }
    ids.value = entries.map(\.run.id)
  }

  private func end(_ location: ElementLocation) {
    let count = busy[location.scope]?[location.name] ?? 0
    busy[location.scope]?[location.name] = count > 1 ? count - 1 : nil
    if busy[location.scope]?.isEmpty == true { busy[location.scope] = nil }
  }

  /// Requests the cancellation of the intents with matching ids; returns false if none can be
  /// cancelled.
  func cancel(_ isMeant: (String) -> Bool) -> Bool {
    let jobs = entries.filter { isMeant($0.run.id) }.compactMap(\.job)
    for job in jobs { job.cancel() }
    return !jobs.isEmpty
  }
}

/// One run of an asynchronous intent.
struct AsyncRun {
  /// Identifies the run in the host.
  let number: Int
  /// The id under which `busyIntents` lists the intent.
  let id: String
  /// The place of the element or key.
  let place: ElementLocation?
  let overlap: IntentOverlap
  /// The label of its undo steps.
  let label: String?
  let handler: ErrorHandler?
  let event: IntentEvent
  /// Whether a caller waits for the intent and gets its error.
  let isAwaited: Bool

  init(_ resolved: ResolvedIntent, on host: ViewHost, isAwaited: Bool) {
    number = host.intents.nextNumber()
    id = resolved.source.id
    place = resolved.source.place(on: host)
    overlap = resolved.action.overlap ?? .allowed
    label = resolved.source.label
    handler = resolved.source.handler
    event = resolved.event
    self.isAwaited = isAwaited
  }
}

extension ViewHost {
  /// The ids of the elements whose asynchronous intents are under way, in the order in which they
  /// began.
  ///
  /// An id is listed once for each of its intents under way. Reading the property is tracked: a
  /// view that reads it is evaluated again when an intent begins or ends. In a view, use
  /// ``EnvironmentValues/busyIntents``.
  public var busyIntents: [String] { intents.ids.value }

  /// Starts an intent, or passes it to ``onHeldIntent``.
  ///
  /// - Throws: ``HostError/needsActor(_:)`` if the host wasn't made on an actor.
  func start(_ intent: @escaping AsyncIntent, of resolved: ResolvedIntent) throws {
    Node.checkMayWrite("by an intent")
    if let onHeldIntent {
      let held = hold(AsyncRun(resolved, on: self, isAwaited: false))
      return Node.withoutReader { onHeldIntent(held) }
    }
    guard let isolation else { throw HostError.needsActor(intent: resolved.source.id) }
    begin(AsyncRun(resolved, on: self, isAwaited: false), intent, on: isolation)
  }

  /// Runs an intent, on the host's actor if there is one, and waits for it.
  nonisolated(nonsending) func perform(
    _ intent: @escaping AsyncIntent, of resolved: ResolvedIntent
  ) async throws {
    Node.checkMayWrite("by an intent")
    let run = AsyncRun(resolved, on: self, isAwaited: true)
    guard let isolation else { return try await performHere(run, intent) }
    let task = begin(run, intent, on: isolation)
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Runs an intent in the caller's task.
  private nonisolated(nonsending) func performHere(
    _ run: AsyncRun, _ intent: AsyncIntent
  ) async throws {
    begin(run, job: nil)
    do {
      try await AsyncRunContext.$current.withValue(AsyncRunContext(label: run.label)) {
        try await intent()
      }
    } catch {
      end(run, throwing: Task.isCancelled ? nil : error)
      throw error
    }
    end(run, throwing: nil)
  }

  @discardableResult
  private func begin(
    _ run: AsyncRun, _ intent: @escaping AsyncIntent, on isolation: TaskIsolation
  ) -> Task<Void, any Error> {
    let job = HostJob(
      on: isolation, intent, named: "the intent of \"\(run.id)\"", label: run.label, in: work
    ) { [weak self] error in
      self?.end(run, throwing: error)
    }
    begin(run, job: job)
    return job.start()
  }

  /// Returns an intent that does nothing until it is ended.
  private func hold(_ run: AsyncRun) -> HeldIntent {
    begin(run, job: nil)
    return HeldIntent(number: run.number, name: run.event.name) { [weak self] error in
      self?.end(run, throwing: error)
    }
  }

  /// Notes that an intent begins, and notifies the observers.
  private func begin(_ run: AsyncRun, job: HostJob?) {
    let replaced = intents.runs(replacedBy: run)
    for earlier in replaced { end(earlier.run, throwing: nil) }
    defer { for earlier in replaced { earlier.job?.cancel() } }
    let observed = willPerform(run.event, kind: .beginning(run.number))
    batch {
      intents.begin(run, job: job)
      showBusy(run)
    }
    didPerform(observed, throwing: nil)
  }

  /// Notes that an intent has ended, passes its error to the handlers, and notifies the observers.
  private func end(_ run: AsyncRun, throwing error: (any Error)?) {
    guard intents.contains(run) else { return }
    let observed = willPerform(run.event, kind: .end(run.number), error: error)
    batch {
      intents.end(run)
      showBusy(run)
    }
    if let error {
      if run.isAwaited {
        report(error, to: run.handler)
      } else {
        reportToAnyone(error, nearest: run.handler)
      }
    }
    didPerform(observed, throwing: error)
  }

  /// Shows that an element or key has become busy, or no longer is.
  private func showBusy(_ run: AsyncRun) {
    guard let id = run.place?.scope, let scope = scopes[id] else { return }
    scope.isResolved = false
    invalidate(scope)
  }

  /// Requests the cancellation of the asynchronous intents of an element.
  ///
  /// The intents are busy until they have ended. Their writes to view state are dropped from now
  /// on. On a host without an actor, intents can't be cancelled. In a view, use
  /// ``EnvironmentValues/cancelIntents``.
  ///
  /// - Returns: Whether there were any intents to cancel.
  @discardableResult
  public func cancelIntents(_ id: String) -> Bool { intents.cancel { $0 == id } }

  /// Requests the cancellation of all asynchronous intents, as releasing the host does.
  public func cancelIntents() { _ = intents.cancel { _ in true } }
}

private enum BusyKey: EnvironmentKey { static var defaultValue: IntentsReference? { nil } }

private struct IntentsReference: Equatable {
  let intents: AsyncIntents

  static func == (lhs: IntentsReference, rhs: IntentsReference) -> Bool {
    lhs.intents === rhs.intents
  }
}

extension EnvironmentValues {
  /// The ids of the elements whose asynchronous intents are under way in the host.
  ///
  /// ```swift
  /// @Environment(\.busyIntents) var busyIntents
  ///
  /// var body: Element {
  ///   Button("Load", id: "load") { try await library.load() }.disabled(busyIntents.contains("load"))
  /// }
  /// ```
  public var busyIntents: [String] { self[BusyKey.self]?.intents.ids.value ?? [] }

  /// An action that requests the cancellation of async intents of the host.
  ///
  /// ```swift
  /// @Environment(\.cancelIntents) var cancelIntents
  ///
  /// var body: Element {
  ///   Button("Load", id: "load", overlap: .refused) { books = try await library.load() }
  ///   Button("Cancel") { cancelIntents("load") }
  /// }
  /// ```
  public var cancelIntents: CancelIntentsAction {
    CancelIntentsAction(intents: self[BusyKey.self]?.intents)
  }

  mutating func setIntents(_ intents: AsyncIntents) {
    self[BusyKey.self] = IntentsReference(intents: intents)
  }
}

/// Requests the cancellation of async intents; see ``EnvironmentValues/cancelIntents``.
///
/// A cancelled intent is busy until it has ended. From the request on, its writes to view state are
/// dropped, and no handler gets its error. This includes a `defer { isLoading = false }`: show work
/// under way by ``EnvironmentValues/busyIntents``, not by a flag in ``State``.
public struct CancelIntentsAction: Equatable {
  let intents: AsyncIntents?

  /// Requests the cancellation of the intents of an element or a key.
  ///
  /// - Parameter id: The id of the element, or the name of the key in
  ///   ``EnvironmentValues/busyIntents``.
  /// - Returns: Whether there were any intents to cancel.
  @discardableResult
  public func callAsFunction(_ id: String) -> Bool { intents?.cancel { $0 == id } ?? false }

  /// Requests the cancellation of all async intents of the host.
  public func callAsFunction() { _ = intents?.cancel { _ in true } }

  /// Whether two actions concern the same host.
  public static func == (lhs: CancelIntentsAction, rhs: CancelIntentsAction) -> Bool {
    lhs.intents === rhs.intents
  }
}
