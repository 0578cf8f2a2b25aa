public import Signals
public import Testing

/// Runs a view in a test: finds elements, uses them, and reads the frame as text.
///
/// - Elements are used by id, or as returned by ``find(_:)`` and its overloads. An element that is
///   missing, ambiguous, disabled or hidden, or that doesn't take the input, throws a
///   ``TestHostError`` that shows the screen and the nearest ids.
/// - An error thrown by an intent reaches the test unchanged, even if it is a `HostError` from
///   another host.
/// - Several hosts may show one store, as two users do. Their names distinguish them in messages.
/// - Without an actor, as in a synchronous test function, tasks of views don't start;
///   `host.unstartedTasks` names them. Nothing else changes. In a test on an actor, as in a
///   `@MainActor` suite, they run.
/// - Work that the host leaves behind is reported by ``finish(_:sourceLocation:)``, or in each test
///   by ``LeavesNothing``. Changes that no expectation names are reported by ``ExhaustiveTest``.
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
  /// The name of the host in messages.
  public let name: String?
  private let renderer: TextRenderer
  private let notes: Notes
  let sourceLocation: SourceLocation
  private let remains = LeakRecorder.current
  private(set) var isClosed = false
  /// The expectations of changes in progress.
  var watches: [ChangeWatch] = []
  /// The recorder of an exhaustive test.
  let exhaustive = ExhaustiveRecorder.current
  /// The watch of what no expectation names, in an exhaustive test outside of expectations.
  var unnamed: ChangeWatch?
  /// The place of the last expectation.
  var lastExpectation: SourceLocation?

  /// The errors and frames of the host, which begin before its initializer has returned.
  private final class Notes {
    var errors: [any Error] = []
    var history: [String] = []
    var didShow: () -> Void = {}
    let limit: Int

    init(_ limit: Int) { self.limit = limit }

    func show(_ text: String) {
      history.append(text)
      // Trimmed only from time to time, so that the amortized cost is constant.
      if history.count >= 2 * limit { history.removeFirst(history.count - limit) }
      didShow()
    }
  }

  /// Mounts a view on a store.
  ///
  /// - Parameters:
  ///   - store: The store of the host's environment.
  ///   - name: The name of the host in messages.
  ///   - clock: The clock that determines when frames are made. With `FrameClock.manual`, the test
  ///     makes a frame by ticking the clock.
  ///   - historyLimit: The maximum number of texts in ``history``.
  ///   - isolation: The actor of the host; by default, that of the caller.
  ///   - sourceLocation: The source location of recorded issues.
  ///   - root: The view.
  /// - Throws: The first error of the first frame that no `onError` in the view handled.
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
    // The view host may exist longer than this object.
    notes.didShow = { [weak self] in
      for watch in self?.watches ?? [] { watch.watchStores() }
      self?.unnamed?.watchStores()
    }
    exhaustive?.begin(self, at: sourceLocation)
    watchUnnamed()
    remains?.watch(self, at: sourceLocation)
    SteppingActor.note(self, isolation: isolation)
    if let error = notes.errors.first { throw error }
  }

  deinit {
    remains?.note(self, at: sourceLocation)
    if !isClosed { endWatching() }
  }

  private func endWatching() {
    endUnnamed("at the end")
    exhaustive?.end(self, at: sourceLocation)
  }

  /// Removes the view from the screen, as at the end of an app.
  ///
  /// All elements disappear: `onDisappear` runs, and tasks and async intents are cancelled.
  /// Cancelled work is no longer part of ``unfinishedWork``. Afterwards there are no elements to
  /// use. A test with ``LeavesNothing`` waits for the end of the cancelled work, and reports the
  /// work that doesn't end.
  ///
  /// ```swift
  /// let app = try TestHost(store) { Board().task { try await board.followOrders() } }
  /// defer { app.close() }
  /// ```
  public func close() {
    if isClosed { return }
    endWatching()
    isClosed = true
    let work = host.close()
    remains?.expectEnd(of: work, owner: name, at: sourceLocation)
  }

  /// The names of the async intents and tasks of views that are running, in the order in which they
  /// began.
  public var unfinishedWork: [String] { isClosed ? [] : host.workInFlight }

  /// The errors that no `onError` in the view handled, until the test sets the host's own
  /// `onError`.
  public var errors: [any Error] { notes.errors }

  /// The frame on screen, as plain text.
  public var text: String { renderer.text }

  /// The texts of the latest frames, with the current one last.
  public var history: [String] { Array(notes.history.suffix(notes.limit)) }

  /// The number of frames made.
  public var frames: Int { renderer.frames }

  /// The number of evaluations of the bodies of views and rows.
  public var bodies: Int { host.bodies }

  /// Returns whether an element with an id is on screen.
  ///
  /// - Parameter id: The id, which several elements may have.
  /// - Returns: Whether there is at least one such element, not counting hidden and covered ones.
  public func exists(_ id: String) -> Bool {
    var exists = false
    host.frame.forEach { if $0.id == id { exists = true } }
    return exists
  }

  /// Runs an operation that the host may refuse.
  ///
  /// Adds the screen to the error if it does.
  func onScreen<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as HostError { throw refusal(error) }
  }

  func refusal(_ error: HostError) -> TestHostError {
    TestHostError(error: error, screen: text, name: name)
  }
}

/// An error of a host that refused an operation of a test, together with the screen.
public struct TestHostError: Error, Equatable, CustomStringConvertible {
  /// The reason for the refusal.
  public let error: HostError
  /// The text of the screen at that time.
  public let screen: String
  /// The name of the host, if it has one.
  public let name: String?

  /// Creates an error from its reason and the text of the screen.
  ///
  /// - Parameters:
  ///   - error: The reason for the refusal.
  ///   - screen: The text of the screen at that time.
  ///   - name: The name of the host; nil if it has none.
  public init(error: HostError, screen: String, name: String? = nil) {
    self.error = error
    self.screen = screen
    self.name = name
  }

  /// The reason, with the screen below it.
  public var description: String {
    "\(error); on \(name.map { "the screen of \($0)" } ?? "screen"):\n\(screen)"
  }
}
