// What views find in their environment of a terminal: how to end the app, and the clipboard.

public import Signals

/// Ends a full-screen app: what `terminalQuit` is called for.
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

  /// Ends the app; without a terminal nothing happens.
  public func callAsFunction() { box.action() }

  /// Whether both end the same app.
  public static func == (lhs: TerminalQuit, rhs: TerminalQuit) -> Bool { lhs.box === rhs.box }
}

/// Puts a text on the clipboard of whoever sits at the terminal: what `terminalCopy` is called for.
///
/// The terminal is asked for it (OSC 52), also over ssh. Some don't do it, some not unless told so in their settings, and
/// many take no more than 74,994 bytes; none of them says what it did. A test finds the text in
/// ``TerminalScreen/copied``.
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

  /// Puts a text on the clipboard; without a terminal nothing happens.
  public func callAsFunction(_ text: String) { box.action(text) }

  /// Whether both use the same terminal.
  public static func == (lhs: TerminalCopy, rhs: TerminalCopy) -> Bool { lhs.box === rhs.box }
}

private enum CopyKey: EnvironmentKey { static var defaultValue: TerminalCopy { TerminalCopy() } }

private enum QuitKey: EnvironmentKey { static var defaultValue: TerminalQuit { TerminalQuit() } }

extension EnvironmentValues {
  /// Ends the full-screen app that the view is part of; elsewhere it does nothing.
  public var terminalQuit: TerminalQuit {
    get { self[QuitKey.self] }
    set { self[QuitKey.self] = newValue }
  }

  /// Puts a text on the clipboard of the terminal that shows the view; elsewhere it does nothing.
  public var terminalCopy: TerminalCopy {
    get { self[CopyKey.self] }
    set { self[CopyKey.self] = newValue }
  }
}
