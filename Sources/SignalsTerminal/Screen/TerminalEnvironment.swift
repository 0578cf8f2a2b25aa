// The environment values that a terminal provides to views: the action that ends the app, and the
// clipboard.

public import Signals

/// An action that ends a full-screen app, from the environment value `terminalQuit`.
///
/// ```swift
/// @Environment(\.terminalQuit) private var quit
///
/// var body: Element {
///   Button("Quit", id: "quit") { quit() }
/// }
/// ```
public struct TerminalQuit: Equatable {
  final class Box { var action: () -> Void = {} }

  let box = Box()

  /// Ends the app.
  ///
  /// Does nothing without a terminal.
  public func callAsFunction() { box.action() }

  /// Returns whether both actions end the same app.
  public static func == (lhs: TerminalQuit, rhs: TerminalQuit) -> Bool { lhs.box === rhs.box }
}

/// An action that puts a text on the clipboard of the terminal's user, from the environment value
/// `terminalCopy`.
///
/// The terminal is asked to do so (OSC 52), also over ssh. Some terminals don't support it, some
/// only if it is enabled in their settings, and many accept no more than 74,994 bytes. None reports
/// whether it worked. A test finds the text in ``TerminalScreen/copied``.
///
/// ```swift
/// @Environment(\.terminalCopy) private var copy
///
/// var body: Element {
///   Text(book.isbn).onKey("c") { copy(book.isbn) }
/// }
/// ```
public struct TerminalCopy: Equatable {
  final class Box { var action: (String) -> Void = { _ in } }

  let box = Box()

  /// Puts a text on the clipboard.
  ///
  /// Does nothing without a terminal.
  public func callAsFunction(_ text: String) { box.action(text) }

  /// Returns whether both actions use the same terminal.
  public static func == (lhs: TerminalCopy, rhs: TerminalCopy) -> Bool { lhs.box === rhs.box }
}

private enum CopyKey: EnvironmentKey { static var defaultValue: TerminalCopy { TerminalCopy() } }

private enum QuitKey: EnvironmentKey { static var defaultValue: TerminalQuit { TerminalQuit() } }

extension EnvironmentValues {
  /// Ends the full-screen app that shows the view.
  ///
  /// Does nothing in other hosts.
  public var terminalQuit: TerminalQuit {
    get { self[QuitKey.self] }
    set { self[QuitKey.self] = newValue }
  }

  /// Puts a text on the clipboard of the terminal that shows the view.
  ///
  /// Does nothing in other hosts.
  public var terminalCopy: TerminalCopy {
    get { self[CopyKey.self] }
    set { self[CopyKey.self] = newValue }
  }
}
