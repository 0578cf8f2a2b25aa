public import Signals
public import Testing

/// Runs a view in a test: finds elements, uses them, and reads the frame as text.
///
/// - Elements are used by id, or by what ``find(_:)`` and its like found. What is not there, not
///   alone, disabled or hidden, or takes no such input, throws a ``TestHostError`` that shows the
///   screen and the nearest ids.
/// - An error thrown by an intent reaches the test as it is, also if it is what another host
///   refused.
/// - Several hosts may show one store, as two users do; a name tells them apart in messages.
/// - Without an actor, as in a test that is a plain synchronous function, tasks of views don't start,
///   and nothing else changes: `host.unstartedTasks` names them. In a test on an actor, as in
///   a `@MainActor` suite, they run.
/// - What it leaves behind is told by ``finish(_:sourceLocation:)``, or in every test by
///   ``LeavesNothing``.
///
/// ```swift
/// @Test func borrowing() throws {
///   let app = try TestHost(store) { LibraryScreen(library: library, member: member) }
///   try app.tap("borrow-0441569595")
///   #expect(app.text.contains("Available: 0"))
/// }
/// ```
public final class TestHost {
  /// The host under test.
  public let host: ViewHost
  /// What messages call it.
  public let name: String?
  private let renderer: TextRenderer
  private let notes: Notes
  private let sourceLocation: SourceLocation
  private let remains = Remains.current
  private var isClosed = false
  /// Expectations under way.
  var watches: [ChangeWatch] = []

  /// What happens before there is a host, too.
  private final class Notes {
    var errors: [any Error] = []
    var history: [String] = []
    var didShow: () -> Void = {}
    let limit: Int

    init(_ limit: Int) { self.limit = limit }

    func show(_ text: String) {
      history.append(text)
      // Now and then, so that it costs nothing.
      if history.count >= 2 * limit { history.removeFirst(history.count - limit) }
      didShow()
    }
  }

  /// Mounts a view on a store.
  ///
  /// With `FrameClock.manual` a frame is made when the test ticks the clock. `historyLimit` bounds
  /// ``history``. Throws what the first frame of the view threw and no `onError` in it handled.
  public init(
    _ store: Store, named name: String? = nil, clock: FrameClock = .immediate,
    historyLimit: Int = 1000, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, @ElementBuilder root: @escaping () -> Element
  ) throws {
    if historyLimit <= 0 { trap("TestHost(historyLimit: \(historyLimit)): it would keep no frame") }
    let notes = Notes(historyLimit)
    let renderer = TextRenderer { [notes] in notes.show($0) }
    self.name = name
    self.notes = notes
    self.renderer = renderer
    self.sourceLocation = sourceLocation
    host = ViewHost(
      store, renderer: renderer, clock: clock,
      onError: { [notes] error in
        if case HostError.taskNeedsActor = error { return }
        notes.errors.append(error)
      },
      isolation: isolation, root: root)
    // The host may be shown for longer than this lives.
    notes.didShow = { [weak self] in for watch in self?.watches ?? [] { watch.watchStores() } }
    remains?.watch(self, sourceLocation)
    SteppingActor.note(self, isolation)
    if let error = notes.errors.first { throw error }
  }

  deinit { remains?.note(self, sourceLocation) }

  /// Takes the view off the screen, as the end of an app does.
  ///
  /// Everything on screen disappears: `onDisappear` runs, tasks and async intents are cancelled, and
  /// what was cancelled is no ``unfinishedWork`` any more. Afterwards there is no element to use. A
  /// test with ``LeavesNothing`` waits for the end of what was cancelled, and names what does not
  /// end.
  ///
  /// ```swift
  /// let app = try TestHost(store) { Board().task { try await board.followOrders() } }
  /// defer { app.close() }
  /// ```
  public func close() {
    if isClosed { return }
    isClosed = true
    let work = host.close()
    remains?.expectEnd(of: work, name, sourceLocation)
  }

  /// What is under way, by name, in the order of its beginning: async intents and tasks of views.
  public var unfinishedWork: [String] { isClosed ? [] : host.workInFlight }

  /// The errors of intents that no `onError` handled, until the test sets the host's own.
  public var errors: [any Error] { notes.errors }

  /// The frame on screen, as plain text.
  public var text: String { renderer.text }

  /// The texts of the latest frames, that on screen last.
  public var history: [String] { Array(notes.history.suffix(notes.limit)) }

  /// How many frames were made.
  public var frames: Int { renderer.frames }

  /// How many bodies of views and rows were evaluated.
  public var bodies: Int { host.bodies }

  /// Whether an element with an id is on screen.
  public func exists(_ id: String) -> Bool {
    var exists = false
    host.frame.forEach { if $0.id == id { exists = true } }
    return exists
  }

  /// Runs what a host may refuse, and shows the screen if it does.
  func onScreen<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as HostError { throw refusal(error) }
  }

  func refusal(_ error: HostError) -> TestHostError {
    TestHostError(error: error, screen: text, name: name)
  }
}

/// What a test asked of a screen that could not do it, and the screen.
public struct TestHostError: Error, Equatable, CustomStringConvertible {
  /// What went wrong.
  public let error: HostError
  /// What was on screen.
  public let screen: String
  /// What the host is called, if it has a name.
  public let name: String?

  /// Creates the error for what went wrong on a screen.
  public init(error: HostError, screen: String, name: String? = nil) {
    self.error = error
    self.screen = screen
    self.name = name
  }

  /// What went wrong, and the screen below.
  public var description: String {
    "\(error); on \(name.map { "the screen of \($0)" } ?? "screen"):\n\(screen)"
  }
}
