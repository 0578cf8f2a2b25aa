// Asynchronous intents: those under way, and which may run at the same time.
//
// State: `ids`, the ids of the intents under way, in the order in which they began. `entries`, the
// same with the job that runs each; an intent that runs in its caller's task has no job. `busy`,
// the number of intents under way for each element, by scope and name. `lastNumber`, the number of
// the last intent.

/// The asynchronous intents of one host.
final class AsyncIntents {
  private struct Entry {
    let number: Int
    let id: String
    let location: ElementLocation?
    let job: HostJob?
  }

  private var busy: [ScopeID: [String: Int]] = [:]
  let ids = Signal<[String]>([], name: "busyIntents")
  private var entries: [Entry] = []
  private var lastNumber = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Returns the number of intents under way for each element of a scope, by name; nil if there are
  /// none.
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
  func begin(_ found: FoundIntent, number: Int, job: HostJob?) {
    entries.append(Entry(number: number, id: found.id, location: found.location, job: job))
    if let location = found.location {
      busy[location.scope, default: [:]][location.name, default: 0] += 1
    }
    ids.value = entries.map(\.id)
  }

  func end(_ number: Int) {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
    if let location = entries.remove(at: index).location { end(location) }
    ids.value = entries.map(\.id)
  }

  private func end(_ location: ElementLocation) {
    let count = busy[location.scope]?[location.name] ?? 0
    busy[location.scope]?[location.name] = count > 1 ? count - 1 : nil
    if busy[location.scope]?.isEmpty == true { busy[location.scope] = nil }
  }

  /// Requests the cancellation of the intents with matching ids; returns false if none can be
  /// cancelled.
  func cancel(_ isMeant: (String) -> Bool) -> Bool {
    let jobs = entries.filter { isMeant($0.id) }.compactMap(\.job)
    for job in jobs { job.cancel() }
    return !jobs.isEmpty
  }
}

/// An asynchronous intent that was found on screen.
struct FoundIntent {
  /// The id under which `busyIntents` lists the intent.
  let id: String
  /// The place of the element; nil for a key's intent.
  var location: ElementLocation?
  let intent: AsyncIntent
  let handler: ErrorHandler?
  let event: IntentEvent
}

extension ViewHost {
  /// The ids of the elements whose asynchronous intents are under way, in the order in which they
  /// began.
  ///
  /// An id is listed once for each of its intents under way. Reading the property is tracked: a
  /// view that reads it is evaluated again when an intent begins or ends. In a view, use
  /// ``EnvironmentValues/busyIntents``.
  public var busyIntents: [String] { intents.ids.value }

  /// Runs the intent of an element, which may be async, and waits for it.
  ///
  /// - Each write between two awaits of an async intent is a separate commit.
  /// - If the host has an actor, an async intent runs there in a separate task. Intents may
  ///   overlap, even of the same element. The intent is cancelled by ``cancelIntents(_:)``, and
  ///   with the caller's task.
  /// - Without an actor, async intents run in the caller's task, one at a time.
  /// - An error goes to the nearest ``ElementContent/onError(_:)``, or else to ``onError``, unless
  ///   the intent was cancelled. It is then thrown to the caller in any case.
  ///
  /// - Throws: ``HostError/busy(_:)`` if the host has no actor and another async intent is under
  ///   way; otherwise the errors of ``perform(_:with:)-(String,_)``.
  public nonisolated(nonsending) func performAsync(
    _ id: String, with input: ElementInput = .tap
  ) async throws {
    try await performAsync(try foundElement(id), with: input)
  }

  /// Runs the intent of the element with an identity, as ``performAsync(_:with:)-(String,_)`` does.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the element is no longer on screen; otherwise as for an
  ///   id.
  public nonisolated(nonsending) func performAsync(
    _ id: ElementID, with input: ElementInput = .tap
  ) async throws {
    try await performAsync(try foundElement(id), with: input)
  }

  /// Runs the intent of an element that was found on screen, as ``performAsync(_:with:)-(String,_)``
  /// does.
  ///
  /// It also finds elements that have no id or share it with others.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the element is no longer on screen, or another one has
  ///   taken its place; otherwise as for an id.
  public nonisolated(nonsending) func performAsync(
    _ element: DrawnElement, with input: ElementInput = .tap
  ) async throws {
    try await performAsync(try foundElement(element), with: input)
  }

  private nonisolated(nonsending) func performAsync(
    _ found: FoundElement, with input: ElementInput
  ) async throws {
    guard let intent = asyncIntent(of: found, with: input) else {
      return try perform(found, with: input)
    }
    try check(found.element, takes: input, called: .awaited)
    try await perform(intent)
  }

  /// Starts the intent of an element, without waiting for it if it is async.
  ///
  /// An async intent runs under the rules of ``performAsync(_:with:)-(String,_)``. It is cancelled
  /// when the host is released, and its errors only go to the handlers. Any other input is
  /// performed as by ``perform(_:with:)-(String,_)``.
  ///
  /// - Throws: ``HostError/needsActor(_:)`` if the intent is async and the host wasn't made on an
  ///   actor; otherwise the errors of ``perform(_:with:)-(String,_)``, except those that an async
  ///   intent throws.
  public func start(_ id: String, with input: ElementInput = .tap) throws {
    try start(try foundElement(id), with: input)
  }

  /// Starts the intent of the element with an identity, as ``start(_:with:)-(String,_)`` does.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the element is no longer on screen; otherwise as for an
  ///   id.
  public func start(_ id: ElementID, with input: ElementInput = .tap) throws {
    try start(try foundElement(id), with: input)
  }

  /// Starts the intent of an element that was found on screen, as ``start(_:with:)-(String,_)`` does.
  ///
  /// It also finds elements that have no id or share it with others.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the element is no longer on screen, or another one has
  ///   taken its place; otherwise as for an id.
  public func start(_ element: DrawnElement, with input: ElementInput = .tap) throws {
    try start(try foundElement(element), with: input)
  }

  private func start(_ found: FoundElement, with input: ElementInput) throws {
    guard let intent = asyncIntent(of: found, with: input) else {
      return try perform(found, with: input)
    }
    try check(found.element, takes: input, called: .started)
    try start(intent)
  }

  private func asyncIntent(of found: FoundElement, with input: ElementInput) -> FoundIntent? {
    let element = found.element
    guard case .asyncTap(let intent) = element.action, input == .tap else { return nil }
    return FoundIntent(
      id: element.id ?? element.name,
      location: ElementLocation(scope: found.scope, name: found.name(on: self)), intent: intent,
      handler: element.handler, event: event(of: element, with: input))
  }

  /// Shows that an element has become busy, or no longer is.
  private func showBusy(_ found: FoundIntent) {
    guard let id = found.location?.scope, let scope = scopes[id] else { return }
    scope.isResolved = false
    invalidate(scope)
  }

  nonisolated(nonsending) func perform(_ found: FoundIntent) async throws {
    Node.checkMayWrite("by an intent")
    guard let isolation else { return try await performHere(found) }
    let task = begin(found, on: isolation) { $0.report($1, to: found.handler) }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  func start(_ found: FoundIntent) throws {
    Node.checkMayWrite("by an intent")
    if let onHeldIntent {
      let held = hold(found)
      return Node.withoutReader { onHeldIntent(held) }
    }
    guard let isolation else { throw HostError.needsActor("the intent of \"\(found.id)\"") }
    begin(found, on: isolation) { $0.reportToAnyone($1, nearest: found.handler) }
  }

  private nonisolated(nonsending) func performHere(_ found: FoundIntent) async throws {
    if !intents.isEmpty { throw HostError.busy(found.id) }
    let end = begin(found, number: intents.nextNumber(), job: nil)
    do { try await found.intent() } catch {
      if Task.isCancelled {
        end(self, nil) {}
      } else {
        end(self, error) { report(error, to: found.handler) }
      }
      throw error
    }
    end(self, nil) {}
  }

  @discardableResult
  private func begin(
    _ found: FoundIntent, on isolation: TaskIsolation,
    report: @escaping (ViewHost, any Error) -> Void
  ) -> Task<Void, any Error> {
    let number = intents.nextNumber()
    var end: End?
    let job = HostJob(on: isolation, found.intent, named: "the intent of \"\(found.id)\"", in: work)
    {
      [weak self] error in
      guard let self else { return }
      end?(self, error) { if let error { report(self, error) } }
    }
    end = begin(found, number: number, job: job)
    return job.start()
  }

  /// Ends an intent, with its error and a closure that reports the error.
  private typealias End = (ViewHost, (any Error)?, () -> Void) -> Void

  /// Begins an intent, and notes that; returns the function that ends it.
  private func begin(_ found: FoundIntent, number: Int, job: HostJob?) -> End {
    notifyingObservers(of: found.event, kind: .beginning(number)) {
      batch {
        intents.begin(found, number: number, job: job)
        showBusy(found)
      }
    }
    return { host, error, report in
      host.notifyingObservers(of: found.event, kind: .end(number), error: error) {
        batch {
          host.intents.end(number)
          host.showBusy(found)
        }
        report()
      }
    }
  }

  /// Begins an intent that does nothing until it is ended.
  private func hold(_ found: FoundIntent) -> HeldIntent {
    let number = intents.nextNumber()
    let end = begin(found, number: number, job: nil)
    return HeldIntent(number: number, name: found.event.name) { [weak self] error in
      guard let self else { return }
      end(self, error) { if let error { reportToAnyone(error, nearest: found.handler) } }
    }
  }

  /// Requests the cancellation of the asynchronous intents of an element.
  ///
  /// The intents are busy until they have ended. On a host without an actor, intents can't be
  /// cancelled.
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

  mutating func setIntents(_ intents: AsyncIntents) {
    self[BusyKey.self] = IntentsReference(intents: intents)
  }
}
