import Foundation
import ScrumsApp
import ScrumsModel
import Signals
import SignalsTesting
import Synchronization
import Testing

/// An app in one of the styles, on a clock that stands still.
struct Mounted {
  let store: Store
  let clock = ManualClock()
  let app: TestHost

  /// Mounts an app on the scrums of the beginning, or on what was kept of an earlier one.
  init(
    _ style: Style, _ snapshot: Snapshot? = nil, _ service: any ScrumService = SampleService(),
    cache: URL? = nil, isolation: isolated (any Actor)? = #isolation
  ) throws {
    store = snapshot.map { Store($0) } ?? Store()
    if snapshot == nil { try Scrums.seed(store) }
    let world = World(store, clock, service, cache: cache)
    app = try TestHost(store, isolation: isolation) { style.app(world) }
  }

  func scrum(_ title: String) -> DailyScrum? {
    store.results(DailyScrum.self).first { $0.title == title }
  }

  /// Taps what bears a title.
  func tap(_ title: String) throws { try app.tap(app.find(.button, text: title)) }

  /// Opens a scrum, and its form.
  func edit(_ title: String) throws {
    try tap(title)
    try app.tap("edit")
  }

  func addAttendee(_ name: String) throws {
    try app.type(name, into: "new-attendee")
    try app.tap("add-attendee")
  }
}

extension World {
  /// A world with a clock that stands still, on one day.
  convenience init(
    _ store: Store, _ clock: ManualClock, _ service: any ScrumService = SampleService(),
    cache: URL? = nil
  ) {
    self.init(
      store, feed: ScrumFeed(Connection(service, cache: cache, clock: clock), into: store),
      ticker: Ticker(clock), now: { Date(timeIntervalSince1970: 1_795_219_200) })
  }
}

/// A service that says what a test wants, one thing after the other, and then the last one again.
final class ScriptedService: ScrumService {
  struct Down: Error, Equatable {}

  private let script: Mutex<[Result<[ScrumRecord], Down>]>
  private let count = Mutex(0)

  init(_ script: [Result<[ScrumRecord], Down>]) { self.script = Mutex(script) }

  var calls: Int { count.withLock { $0 } }

  func scrums() async throws -> [ScrumRecord] {
    count.withLock { $0 += 1 }
    return try script.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
  }
}

/// A service that never answers.
struct SilentService: ScrumService {
  func scrums() async throws -> [ScrumRecord] {
    try await Task.sleep(for: .seconds(86_400))
    return []
  }
}

extension Result where Success == [ScrumRecord] {
  /// The scrums of the beginning, changed by a test.
  static func samples(_ change: (inout [ScrumRecord]) -> Void = { _ in }) -> Self {
    var records = Scrums.samples().map(ScrumRecord.init)
    change(&records)
    return .success(records)
  }
}
