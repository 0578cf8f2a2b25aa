// Asynchronous intents: those under way, and who may run beside whom.
//
// State: `ids` are those under way, in the order in which they began; `entries` the same with what runs them, none for
// one that runs in its caller's task.

/// The asynchronous intents of one host.
final class AsyncIntents {
  private struct Entry {
    let number: Int
    let id: String
    let job: HostJob?
  }

  let ids = Signal<[String]>([], name: "busyIntents")
  private var entries: [Entry] = []
  private var lastNumber = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Notes that an intent is under way; the answer goes to `end`.
  func begin(_ id: String, _ job: (Int) -> HostJob?) -> HostJob? {
    lastNumber += 1
    let job = job(lastNumber)
    entries.append(Entry(number: lastNumber, id: id, job: job))
    ids.value = entries.map(\.id)
    return job
  }

  func end(_ number: Int) {
    entries.removeAll { $0.number == number }
    ids.value = entries.map(\.id)
  }

  /// Asks intents to end; false if there is none that can be asked.
  func cancel(_ isMeant: (String) -> Bool) -> Bool {
    let jobs = entries.filter { isMeant($0.id) }.compactMap(\.job)
    for job in jobs { job.cancel() }
    return !jobs.isEmpty
  }
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
    try await performAsync(try usableElement(id), input)
  }

  /// Runs the intent behind an element that was found on screen likewise, whatever its id.
  package nonisolated(nonsending) func performAsync(
    _ element: DrawnElement, _ input: ElementInput = .tap
  ) async throws {
    try check(element, input, .awaited)
    guard case .asyncTap(let intent) = element.action, input == .tap else {
      return try perform(element, input)
    }
    let id = element.id ?? element.name
    Node.checkMayWrite("by an intent")
    guard let isolation else { return try await performHere(element, id, intent) }
    let handler = element.handler
    let task = begin(element, id, intent, isolation) { $0.report($1, to: handler) }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private nonisolated(nonsending) func performHere(
    _ element: DrawnElement, _ id: String, _ intent: AsyncIntent
  ) async throws {
    var number = 0
    _ = intents.begin(id) {
      number = $0
      return nil
    }
    recordBegin(number, element, id)
    defer { intents.end(number) }
    do { try await intent() } catch {
      recorder?.end(number, error)
      if !Task.isCancelled { report(error, to: element.handler) }
      throw error
    }
    recorder?.end(number, nil)
  }

  /// Starts the intent behind an element, and doesn't wait for it if it is async.
  ///
  /// An asynchronous one runs as in ``performAsync(_:_:)``, and is cancelled when the host goes; what it throws
  /// reaches the handlers alone. It needs a host that was made on an actor, else this throws
  /// ``HostError/needsActor(_:)``. Anything else is as in ``perform(_:_:)``.
  public func start(_ id: String, _ input: ElementInput = .tap) throws {
    try start(try usableElement(id), input)
  }

  /// Starts the intent behind an element that was found on screen likewise, whatever its id.
  package func start(_ element: DrawnElement, _ input: ElementInput = .tap) throws {
    try check(element, input, .started)
    guard case .asyncTap(let intent) = element.action, input == .tap, let isolation else {
      return try perform(element, input)
    }
    let id = element.id ?? element.name
    Node.checkMayWrite("by an intent")
    let handler = element.handler
    begin(element, id, intent, isolation) { $0.reportToAnyone($1, handler) }
  }

  @discardableResult
  private func begin(
    _ element: DrawnElement, _ id: String, _ intent: @escaping AsyncIntent,
    _ isolation: TaskIsolation,
    report: @escaping (ViewHost, any Error) -> Void
  ) -> Task<Void, any Error> {
    var task: Task<Void, any Error>?
    _ = intents.begin(id) { [weak self, work] number in
      self?.recordBegin(number, element, id)
      let job = HostJob(isolation, intent, named: "the intent of \"\(id)\"", in: work) { error in
        guard let self else { return }
        self.intents.end(number)
        self.recorder?.end(number, error)
        if let error { report(self, error) }
      }
      task = job.start()
      return job
    }
    guard let task else { trap("an intent was not started") }
    return task
  }

  private func recordBegin(_ number: Int, _ element: DrawnElement, _ id: String) {
    recorder?.begin(number, IntentCall(name: element.name, element: id, input: .tap))
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
