// Asynchronous intents: those under way, and who may run beside whom.
//
// State: `ids` are those under way, in the order in which they began; `entries` the same with what runs them, none for
// one that runs in its caller's task; `busy`, how many intents of each element are under way, by scope and name.

/// The asynchronous intents of one host.
final class AsyncIntents {
  private struct Entry {
    let number: Int
    let id: String
    let place: NamedPlace?
    let job: HostJob?
  }

  private var busy: [ScopeID: [String: Int]] = [:]
  let ids = Signal<[String]>([], name: "busyIntents")
  private var entries: [Entry] = []
  private var lastNumber = 0

  var isEmpty: Bool { entries.isEmpty }

  /// How many intents of the elements of a scope are under way, by name; nil if there are none.
  func busyElements(of scope: ScopeID) -> [String: Int]? {
    // Hardly ever is anything: no scope is to be hashed for that.
    busy.isEmpty ? nil : busy[scope]
  }

  /// A number for an intent, by which it begins and ends.
  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Notes that an intent is under way.
  func begin(_ number: Int, _ found: FoundIntent, _ job: HostJob?) {
    entries.append(Entry(number: number, id: found.id, place: found.place, job: job))
    if let place = found.place { busy[place.scope, default: [:]][place.name, default: 0] += 1 }
    ids.value = entries.map(\.id)
  }

  func end(_ number: Int) {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
    if let place = entries.remove(at: index).place { end(place) }
    ids.value = entries.map(\.id)
  }

  private func end(_ place: NamedPlace) {
    let count = busy[place.scope]?[place.name] ?? 0
    busy[place.scope]?[place.name] = count > 1 ? count - 1 : nil
    if busy[place.scope]?.isEmpty == true { busy[place.scope] = nil }
  }

  /// Asks intents to end; false if there is none that can be asked.
  func cancel(_ isMeant: (String) -> Bool) -> Bool {
    let jobs = entries.filter { isMeant($0.id) }.compactMap(\.job)
    for job in jobs { job.cancel() }
    return !jobs.isEmpty
  }
}

/// An asynchronous intent that was found on screen.
struct FoundIntent {
  /// What it is busy as.
  let id: String
  /// The element, if it is not of a key.
  var place: NamedPlace?
  let intent: AsyncIntent
  let handler: ErrorHandler?
  let call: IntentCall
}

extension ViewHost {
  /// The ids of the elements whose asynchronous intents are under way, in the order in which they began.
  ///
  /// It is tracked: a view that reads it is evaluated again when an intent begins or ends; views read it from
  /// ``EnvironmentValues/busyIntents``. An id stands there as often as its intent is under way.
  public var busyIntents: [String] { intents.ids.value }

  /// Runs the intent behind an element, which may be async, and waits for it.
  ///
  /// - Each write between two awaits of an async intent is a commit of its own.
  /// - On an actor it runs in a task of its own there: intents may overlap, also of one element; it is cancelled by
  ///   ``cancelIntents(_:)`` and with the caller's task.
  /// - Without an actor it runs in the caller's task, and one at a time: another is refused with
  ///   ``HostError/busy(_:)``.
  /// - What it throws reaches the nearest ``ElementContent/onError(_:)``, else ``onError``, unless it was cancelled;
  ///   and then the caller in any case.
  public nonisolated(nonsending) func performAsync(
    _ id: String, _ input: ElementInput = .tap
  ) async throws {
    try await performAsync(try foundElement(id), input)
  }

  /// Runs the intent behind the element of an identity likewise.
  ///
  /// It throws ``HostError/gone(_:)`` if that is not on screen any more.
  public nonisolated(nonsending) func performAsync(
    _ id: ElementID, _ input: ElementInput = .tap
  ) async throws {
    try await performAsync(try foundElement(id), input)
  }

  /// Runs the intent behind an element that was found on screen likewise, whatever its id.
  public nonisolated(nonsending) func performAsync(
    _ element: DrawnElement, _ input: ElementInput = .tap
  ) async throws {
    try await performAsync(try foundElement(element), input)
  }

  private nonisolated(nonsending) func performAsync(
    _ found: FoundElement, _ input: ElementInput
  ) async throws {
    guard let intent = asyncIntent(of: found, input) else { return try perform(found, input) }
    try check(found.element, input, .awaited)
    try await perform(intent)
  }

  /// Starts the intent behind an element, and doesn't wait for it if it is async.
  ///
  /// An asynchronous one runs as in ``performAsync(_:_:)-(String,_)``, and is cancelled when the host goes; what it throws
  /// reaches the handlers alone. It needs a host that was made on an actor, else this throws
  /// ``HostError/needsActor(_:)``. Anything else is as in ``perform(_:_:)-(String,_)``.
  public func start(_ id: String, _ input: ElementInput = .tap) throws {
    try start(try foundElement(id), input)
  }

  /// Starts the intent behind the element of an identity likewise.
  ///
  /// It throws ``HostError/gone(_:)`` if that is not on screen any more.
  public func start(_ id: ElementID, _ input: ElementInput = .tap) throws {
    try start(try foundElement(id), input)
  }

  /// Starts the intent behind an element that was found on screen likewise, whatever its id.
  public func start(_ element: DrawnElement, _ input: ElementInput = .tap) throws {
    try start(try foundElement(element), input)
  }

  private func start(_ found: FoundElement, _ input: ElementInput) throws {
    guard let intent = asyncIntent(of: found, input) else { return try perform(found, input) }
    try check(found.element, input, .started)
    try start(intent)
  }

  private func asyncIntent(of found: FoundElement, _ input: ElementInput) -> FoundIntent? {
    let element = found.element
    guard case .asyncTap(let intent) = element.action, input == .tap else { return nil }
    return FoundIntent(
      id: element.id ?? element.name,
      place: NamedPlace(scope: found.scope, name: found.name(on: self)), intent: intent,
      handler: element.handler, call: call(of: element, input))
  }

  /// Shows that an element has become busy, or is no more.
  private func showBusy(_ found: FoundIntent) {
    guard let id = found.place?.scope, let scope = scopes[id] else { return }
    scope.isResolved = false
    invalidate(scope)
  }

  nonisolated(nonsending) func perform(_ found: FoundIntent) async throws {
    Node.checkMayWrite("by an intent")
    guard let isolation else { return try await performHere(found) }
    let task = begin(found, isolation) { $0.report($1, to: found.handler) }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  func start(_ found: FoundIntent) throws {
    Node.checkMayWrite("by an intent")
    if recorder?.replayed != nil { return replay(found) }
    guard let isolation else { throw HostError.needsActor("the intent of \"\(found.id)\"") }
    begin(found, isolation) { $0.reportToAnyone($1, found.handler) }
  }

  private nonisolated(nonsending) func performHere(_ found: FoundIntent) async throws {
    if !intents.isEmpty { throw HostError.busy(found.id) }
    let end = begin(found, intents.nextNumber(), nil)
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
    _ found: FoundIntent, _ isolation: TaskIsolation,
    report: @escaping (ViewHost, any Error) -> Void
  ) -> Task<Void, any Error> {
    let number = intents.nextNumber()
    var end: End?
    let job = HostJob(isolation, found.intent, named: "the intent of \"\(found.id)\"", in: work) {
      [weak self] error in
      guard let self else { return }
      end?(self, error) { if let error { report(self, error) } }
    }
    end = begin(found, number, job)
    return job.start()
  }

  /// Ends an intent: with an error, and what is done with that.
  private typealias End = (ViewHost, (any Error)?, () -> Void) -> Void

  /// Begins an intent, and takes note of that; the answer ends it.
  private func begin(_ found: FoundIntent, _ number: Int, _ job: HostJob?) -> End {
    let begin = { [intents, weak self] in
      batch {
        intents.begin(number, found, job)
        self?.showBusy(found)
      }
    }
    weak let recorder = recorder
    let logged = recorder?.begin(found.call, begin)
    if logged == nil { begin() }
    return { host, error, report in
      func end() {
        batch {
          host.intents.end(number)
          host.showBusy(found)
        }
        report()
      }
      // Another log would not know its beginning.
      if let logged, let recorder, recorder === host.recorder {
        recorder.end(logged, found.call, error, end)
      } else {
        end()
      }
    }
  }

  /// Lets an intent begin that does nothing, and ends when the log that is replayed says so.
  private func replay(_ found: FoundIntent) {
    guard let recorder else { return }
    let end = begin(found, intents.nextNumber(), nil)
    recorder.replayed?[recorder.last] = ReplayedIntent { [unowned self] error in
      end(self, error) { if let error { report(error, to: found.handler) } }
    }
  }

  /// Cancels the asynchronous intents of an element; the answer is whether there were any.
  ///
  /// Cancelling is asking: they are busy until they have ended. Where the host has no actor nobody can ask.
  @discardableResult
  public func cancelIntents(_ id: String) -> Bool { intents.cancel { $0 == id } }

  /// Cancels all asynchronous intents, as the end of the host does.
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
  /// The asynchronous intents of the host that are under way, by the ids of their elements.
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
