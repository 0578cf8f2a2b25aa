/// The screen of a renderer, read and used as its user does.
///
/// A test suite of a renderer has a type that conforms to this protocol, and checks each
/// ``RendererScenario`` with it. Reading means to read the renderer's output: the text, the page,
/// the widgets. Acting means to do what the user of that output would do: press keys, click, send a
/// form.
///
/// A screen that is part of the test's own process shows the effects when ``perform(_:)`` returns,
/// except those of async intents, which continue in ``wait()``. For a screen elsewhere, such as in a
/// browser, implement ``wait()``: a scenario reads again until it finds the expected elements, up to
/// 200 times.
public protocol RenderedScreen: AnyObject {
  /// Returns the elements on screen that the user perceives, in reading order, without those behind a
  /// dialog.
  ///
  /// - Throws: Any error if the output can't be read; the scenario fails.
  nonisolated(nonsending) func read() async throws -> [ShownElement]

  /// Does what the user does.
  ///
  /// - Parameter act: An act on an element that is on screen, which may be disabled. Then nothing
  ///   happens.
  /// - Throws: Any error if that isn't possible; the scenario fails. ``UserAct/Unsupported`` says
  ///   that the renderer has no way to do it.
  nonisolated(nonsending) func perform(_ act: UserAct) async throws

  /// Lets time pass before the screen is read again.
  nonisolated(nonsending) func wait() async throws
}

extension RenderedScreen {
  /// Lets other work on the present actor run.
  public nonisolated(nonsending) func wait() async throws { for _ in 0..<20 { await Task.yield() } }
}

/// What a user does on a screen, naming elements as they are shown.
public enum UserAct: Hashable, Sendable {
  /// Presses a button or a link.
  case press(String)
  /// Replaces the text of a field by typing.
  case type(String, into: String)
  /// Replaces the text of a field by pasting.
  case paste(String, into: String)
  /// Completes the text of a field, as the return key does.
  case submit(String)
  /// Changes a toggle.
  case toggle(String)
  /// Chooses an option, by its title.
  case choose(String, of: String)
  /// Moves the row with a text down by one place, in a list whose rows can be moved.
  case moveDown(String)
  /// Goes to the last row of the list on screen.
  case goToLastRow
  /// Presses a key, named as in `onKey(_:action:)`, which may be bound to nothing.
  case key(String)
  /// Goes back to the screen before.
  case goBack

  /// An act that a renderer has no way to do.
  public struct Unsupported: Error, Hashable, CustomStringConvertible {
    /// The act.
    public let act: UserAct

    /// Creates an error.
    public init(_ act: UserAct) { self.act = act }

    /// The message.
    public var description: String { "no way to do this: \(act)" }
  }
}
