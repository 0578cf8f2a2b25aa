// Finds what tests leave behind.
//
// State of `LeakRecorder`, which belongs to one test: `watched`, weak references to what must be
// released; `places`, the indices of stores in it; `sweepAt`, the number of entries at which
// released ones are removed; `clocks`, the clocks of the test; `messages`, the reports on work that
// was running when a host was released; `ending`, the work cancelled by hosts that were closed. All
// of it is behind a lock, because hosts may be released on any thread.
//
// Reading a weak reference retains the object for that moment, so the reader may be the one that
// releases it last. That release may call back into this class. Therefore no object that was read
// is released while the lock is held.

internal import Signals
internal import Testing

/// The objects that must be released, and the work that must have ended, when one test has ended.
final class LeakRecorder: Sendable {
  @TaskLocal static var current: LeakRecorder?

  /// An object that must be released.
  ///
  /// It is unchecked, and safe: the object may not be `Sendable`, but the reference is only tested
  /// for nil and identity. The name consists of values that were copied when the entry was added.
  /// If other code releases the object at the very moment of a test, its `deinit` runs here: after
  /// the test, or in the isolation domain of the code that creates a host, never under the lock.
  private struct Watched: @unchecked Sendable {
    weak let object: AnyObject?
    let name: SubscriptionName
    let location: SourceLocation
  }

  /// Objects that were read, to be released outside of the lock.
  ///
  /// It is unchecked, and safe, because nothing accesses them.
  private struct Held: @unchecked Sendable { var objects: [AnyObject] = [] }

  private struct State {
    var watched: [Watched] = []
    var places: [ObjectIdentifier: Int] = [:]
    var sweepAt = 1000
    var clocks: [(clock: ManualClock, location: SourceLocation)] = []
    var messages: [(text: String, location: SourceLocation)] = []
    var ending: [Ending] = []
  }

  /// Work cancelled by a host that was closed.
  private struct Ending: Sendable {
    let name: String
    let owner: String?
    let task: Task<Void, any Error>
    let location: SourceLocation
  }

  private let state = Locked(State())

  // MARK: - Recording

  /// Records a host and its stores.
  func watch(_ app: TestHost, at location: SourceLocation) {
    let title = LeakRecorder.title(of: app)
    add([
      LeakRecorder.watched(app, name: "\(title), a TestHost,", at: location),
      LeakRecorder.watched(app.host, name: "\(title), a ViewHost,", at: location),
    ])
    watchStores(of: app, location)
  }

  /// Records the work that is running when a host is released.
  func note(_ app: TestHost, at location: SourceLocation) {
    watchStores(of: app, location)
    guard let text = Self.message(of: app.unfinishedWork, owner: app.name) else { return }
    state.withLock { $0.messages.append((text + "; app.close() ends it", location)) }
  }

  /// Records the work that was cancelled when a host was closed, and that must end.
  func expectEnd(
    of work: [(name: String, task: Task<Void, any Error>)], owner: String?,
    at location: SourceLocation
  ) {
    let ending = work.map { Ending(name: $0.name, owner: owner, task: $0.task, location: location) }
    state.withLock { $0.ending += ending }
  }

  /// Waits for a limited time until the cancelled work has ended.
  ///
  /// Records the work that hasn't.
  func awaitEnds(for time: Duration = .seconds(2)) async {
    for ending in state.withLock({ $0.ending }) {
      if await ending.task.hasEnded(within: time) { continue }
      let owner = ending.owner.map { " of \($0)" } ?? ""
      let text = "cancelled, and still under way\(owner): \(ending.name)"
      state.withLock { $0.messages.append((text, ending.location)) }
    }
  }

  func watch(_ clock: ManualClock, at location: SourceLocation) {
    state.withLock { $0.clocks.append((clock, location)) }
  }

  private func watchStores(of app: TestHost, _ location: SourceLocation) {
    for store in app.host.storesOnScreen {
      let name = store === app.host.store ? "the store" : "another store"
      let entry = LeakRecorder.watched(
        store, name: "\(name) of \(LeakRecorder.title(of: app))", at: location)
      guard addStore(ObjectIdentifier(store), entry: entry) else { continue }
      // The store releases its objects. Those that remain have another reference.
      store.willEnd = { [self] objects in
        add(
          objects.map { object in
            let subject = object.subject(nil)
            return Watched(
              object: object, name: SubscriptionName("the object", of: subject), location: location)
          })
      }
    }
  }

  private static func watched(
    _ object: AnyObject, name: String, at location: SourceLocation
  ) -> Watched {
    Watched(object: object, name: SubscriptionName(name), location: location)
  }

  private static func title(of app: TestHost) -> String {
    app.name.map { "the host of \($0)" } ?? "a host"
  }

  private func add(_ entries: [Watched]) {
    let held = state.withLock { state in
      state.watched += entries
      return LeakRecorder.sweep(&state)
    }
    withExtendedLifetime(held) {}
  }

  /// Adds a store unless it has already been added.
  ///
  /// An address only identifies a store while the store exists.
  private func addStore(_ id: ObjectIdentifier, entry: Watched) -> Bool {
    let (isNew, held) = state.withLock { state in
      let known = state.places[id].map { state.watched[$0] }?.object
      if known != nil { return (false, Held(objects: known.map { [$0] } ?? [])) }
      state.places[id] = state.watched.count
      state.watched.append(entry)
      return (true, LeakRecorder.sweep(&state))
    }
    withExtendedLifetime(held) {}
    return isNew
  }

  /// Removes entries of released objects from time to time.
  private static func sweep(_ state: inout State) -> Held {
    var held = Held()
    guard state.watched.count >= state.sweepAt else { return held }
    let stores = Dictionary(uniqueKeysWithValues: state.places.map { ($1, $0) })
    var (left, places): ([Watched], [ObjectIdentifier: Int]) = ([], [:])
    for (index, entry) in state.watched.enumerated() {
      guard let object = entry.object else { continue }
      held.objects.append(object)
      if let store = stores[index] { places[store] = left.count }
      left.append(entry)
    }
    (state.watched, state.places) = (left, places)
    state.sweepAt = max(1000, 2 * left.count)
    return held
  }

  // MARK: - Reporting

  static func message(of work: [String], owner name: String?) -> String? {
    if work.isEmpty { return nil }
    let owner = name.map { " of \($0)" } ?? ""
    return "left under way\(owner): \(work.joined(separator: ", "))"
  }

  /// Returns the name of a subscription or object, including the object that it refers to.
  static func text(of name: SubscriptionName) -> String {
    guard let subject = name.subject as? SubscribedObject else { return name.text }
    let title = ObjectTitle(subject.className, key: subject.key.map { ($0.name, $0.value) }).text
    return "\(name.text) \(name.text == "the object" ? "" : "of ")\(title)"
      + (subject.property.map { ".\($0)" } ?? "")
  }

  /// Records an issue for each leftover.
  func check() {
    let state = self.state.withLock { $0 }
    for message in state.messages {
      IssueReporter.report(message.text, at: message.location)
    }
    for (clock, location) in state.clocks {
      guard let text = Self.message(of: clock.waitingWork, owner: nil) else { continue }
      IssueReporter.report(text, at: location)
    }
    let left = state.watched.map { (entry: $0, object: $0.object) }
    for (entry, object) in left where object != nil {
      IssueReporter.report("\(Self.text(of: entry.name)) is still held", at: entry.location)
    }
    withExtendedLifetime(left) {}
  }
}

extension Task where Success == Void, Failure == any Error {
  /// Waits for the end of the task, for a limited time.
  ///
  /// Returns whether it has ended.
  fileprivate func hasEnded(within time: Duration) async -> Bool {
    let hasEnded = Locked(false)
    Task<Void, Never> {
      _ = await result
      hasEnded.withLock { $0 = true }
    }
    let clock = ContinuousClock()
    let limit = clock.now + time
    while !hasEnded.withLock({ $0 }) {
      if clock.now > limit { return false }
      try? await Task<Never, Never>.sleep(for: .milliseconds(1))
    }
    return true
  }
}
