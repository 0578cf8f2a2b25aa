public import Signals

/// Runs a view in a test: finds elements by id, uses them, and reads the frame as text.
///
/// What goes wrong says what was on screen. An error thrown by an intent reaches the test as it is.
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
  private let renderer: TextRenderer

  /// Mounts a view on a store.
  ///
  /// With `FrameClock.manual` a frame is made when the test ticks the clock. Throws what the view
  /// can't do here.
  public init(
    _ store: Store, clock: FrameClock = .immediate,
    isolation: isolated (any Actor)? = #isolation, @ElementBuilder root: @escaping () -> Element
  ) throws {
    let renderer = TextRenderer()
    self.renderer = renderer
    host = ViewHost(store, renderer: renderer, clock: clock, isolation: isolation, root: root)
  }

  /// The frame on screen, as plain text.
  public var text: String { renderer.text }

  /// The lines of the frame on screen.
  var lines: [String] {
    if text.isEmpty { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// How many frames were made.
  public var frames: Int { renderer.frames }

  /// How many bodies of views and rows were evaluated.
  public var bodies: Int { host.bodies }

  /// The element on screen with an id.
  public func find(_ id: String) throws -> DrawnElement { try onScreen { try host.element(id) } }

  /// Whether an element with an id is on screen.
  public func exists(_ id: String) -> Bool {
    var exists = false
    host.frame.forEach { if $0.id == id { exists = true } }
    return exists
  }

  /// Taps an element; a toggle changes its state.
  public func tap(_ id: String) throws { try perform(id, .tap) }

  /// Taps an element whose intent may be async, and waits for it.
  public nonisolated(nonsending) func tapAsync(_ id: String) async throws {
    do { try await host.performAsync(id) } catch let error as HostError {
      throw TestHostError(error: error, screen: text)
    }
  }

  /// Replaces the text of a text field.
  public func type(_ text: String, into id: String) throws { try perform(id, .text(text)) }

  /// Sets a toggle.
  public func toggle(_ id: String, to isOn: Bool) throws { try perform(id, .flag(isOn)) }

  /// Chooses an option of a picker.
  public func select(_ option: String, in id: String) throws { try perform(id, .choice(option)) }

  private func perform(_ id: String, _ input: ElementInput) throws {
    try onScreen { try host.perform(id, input) }
  }

  private func onScreen<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as HostError {
      throw TestHostError(error: error, screen: text)
    }
  }
}

/// What a test asked of a screen that could not do it, and the screen.
public struct TestHostError: Error, Equatable, CustomStringConvertible {
  /// What went wrong.
  public let error: HostError
  /// What was on screen.
  public let screen: String

  /// Creates the error for what went wrong on a screen.
  public init(error: HostError, screen: String) {
    self.error = error
    self.screen = screen
  }

  /// What went wrong, and the screen below.
  public var description: String { "\(error); on screen:\n\(screen)" }
}
