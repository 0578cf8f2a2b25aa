// What tests leave behind, and how it is found.
//
// State of `Remains`, which belongs to one test: `watched`, what must go, weakly, and `seen`, what that is; `clocks`
// of the test; `messages`, of what was under way when a host went. All behind a lock, because hosts may be released
// anywhere.

internal import Signals
public import Testing

extension TestHost {
  /// What is under way, by name, in the order of its beginning: async intents and tasks of views.
  public var unfinishedWork: [String] { host.workInFlight }

  /// Fails for each thing that is still under way: async intents and tasks of views.
  ///
  /// Clocks are asked for the timers that wait on them. Call it at the end of a test, or have each test end so by
  /// ``LeavesNothing``.
  public func finish(
    _ clocks: ManualClock..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let left = unfinishedWork + clocks.flatMap(\.waitingWork)
    if let message = Remains.message(left, name) {
      Issue.record("\(message)", sourceLocation: sourceLocation)
    }
  }
}

/// Fails a test that leaves anything behind; applied to a suite, each of its tests.
///
/// When a test has returned, these are named, at the line that made the host or clock:
/// - async intents and tasks of views that were under way when their ``TestHost`` was released;
/// - a ``TestHost`` or its store that somebody still holds, and each object that was in the store;
/// - subscriptions to the commits of a store that are neither cancelled nor released;
/// - what waits on a ``ManualClock`` of the test.
///
/// ```swift
/// @Suite(.leavesNothing) struct `The library's screen` { … }
/// ```
public struct LeavesNothing: SuiteTrait, TestTrait, TestScoping {
  /// Creates the trait.
  public init() {}

  /// It applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test, and looks at what it left.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let remains = Remains()
    try await Remains.$current.withValue(remains) { try await function() }
    remains.check()
  }
}

extension Trait where Self == LeavesNothing {
  /// Fails a test that leaves work, subscriptions or objects behind.
  public static var leavesNothing: LeavesNothing { LeavesNothing() }
}

/// What one test has made that must be gone when it has ended.
final class Remains: Sendable {
  @TaskLocal static var current: Remains?

  /// Something that must be gone.
  ///
  /// Unchecked, and safe: what is watched may not be `Sendable`, but all that is done with the reference is to ask,
  /// when the test has ended, whether it is nil.
  private struct Watched: @unchecked Sendable {
    weak let object: AnyObject?
    let name: String
    let location: SourceLocation
    /// Whether it matters only while somebody subscribes.
    var isAudience = false
  }

  private struct State {
    var watched: [Watched] = []
    var seen: Set<ObjectIdentifier> = []
    var clocks: [(clock: ManualClock, location: SourceLocation)] = []
    var messages: [(text: String, location: SourceLocation)] = []
  }

  private let state = Locked(State())

  /// Notes a host, its store, and what is in that.
  func watch(_ app: TestHost, _ location: SourceLocation) {
    let title = app.name.map { "the host of \($0)" } ?? "a host"
    watch(app, "\(title), a TestHost,", location)
    watch(app.host, "\(title), a ViewHost,", location)
    watch(app.host.store, "the store of \(title)", location)
    watch(app.host.store.commitObservers, "", location, isAudience: true)
    watchObjects(of: app.host.store, location)
  }

  private func watchObjects(of store: Store, _ location: SourceLocation) {
    for object in store.storedObjects {
      watch(object, "the object \(ChangeReport.title(of: object))", location)
    }
  }

  private func watch(
    _ object: AnyObject, _ name: String, _ location: SourceLocation, isAudience: Bool = false
  ) {
    let watched = Watched(object: object, name: name, location: location, isAudience: isAudience)
    let id = ObjectIdentifier(object)
    state.withLock { state in
      if state.seen.insert(id).inserted { state.watched.append(watched) }
    }
  }

  func watch(_ clock: ManualClock, _ location: SourceLocation) {
    state.withLock { $0.clocks.append((clock, location)) }
  }

  /// A host goes: what is under way now is what the test left.
  func note(_ app: TestHost, _ location: SourceLocation) {
    watchObjects(of: app.host.store, location)
    guard let text = Self.message(app.unfinishedWork, app.name) else { return }
    state.withLock { $0.messages.append((text, location)) }
  }

  static func message(_ work: [String], _ name: String?) -> String? {
    if work.isEmpty { return nil }
    let owner = name.map { " of \($0)" } ?? ""
    return "left under way\(owner): \(work.joined(separator: ", "))"
  }

  /// Records an issue for each thing that is left.
  func check() {
    let (state, left) = self.state.withLock { state in
      (state, state.watched.filter { $0.object != nil })
    }
    for message in state.messages {
      Issue.record("\(message.text)", sourceLocation: message.location)
    }
    for (clock, location) in state.clocks {
      guard let text = Self.message(clock.waitingWork, nil) else { continue }
      Issue.record("\(text)", sourceLocation: location)
    }
    for entry in left {
      if !entry.isAudience {
        Issue.record("\(entry.name) is still held", sourceLocation: entry.location)
      } else if let count = (entry.object as? CommitObservers)?.active, count > 0 {
        Issue.record(
          "subscriptions to the commits of a store are still held: \(count)",
          sourceLocation: entry.location)
      }
    }
  }
}
