/// An action of the user at a terminal.
public enum TerminalInput: Sendable, Hashable {
  /// A key press: `"a"`, `"return"`, `"ctrl-c"`, `"shift-tab"`, `"alt-left"`, `"f1"`.
  case key(TerminalKey)
  /// A press, release, move or wheel turn of the mouse.
  case mouse(TerminalMouse)
  /// A pasted text. Its content is never interpreted as keys.
  case paste(String)
}

/// A key with its modifiers.
public struct TerminalKey: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The modifier keys held down with a key.
  public struct Modifiers: OptionSet, Sendable, Hashable {
    /// The bits, as terminals encode them.
    public let rawValue: UInt8
    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The Shift key, unless it only selects another character.
    public static let shift = Modifiers(rawValue: 1)
    /// The Alt key, also called Meta.
    public static let alt = Modifiers(rawValue: 2)
    /// The Control key.
    public static let control = Modifiers(rawValue: 4)
  }

  /// The character, or the name of the key: `"up"`, `"page-down"`, `"delete"` (the backspace key).
  public let name: String
  /// The modifiers held down with the key.
  public let modifiers: Modifiers

  /// Creates a key from its character or name, and its modifiers.
  ///
  /// - Parameters:
  ///   - name: The character, or the name of the key, such as `return` or `page-up`.
  ///   - modifiers: The keys that are held down with it.
  public init(_ name: String, modifiers: Modifiers = []) {
    self.name = name
    self.modifiers = modifiers
  }

  /// Creates a key from its full name, such as `"ctrl-c"`.
  public init(stringLiteral name: String) { self.init(parsing: name) }

  /// Creates a key from its full name in the form of ``fullName``.
  ///
  /// The modifiers may be in any order.
  public init(parsing name: String) {
    var rest = Substring(name)
    var modifiers: Modifiers = []
    while let (prefix, modifier) = TerminalKey.prefixes.first(where: {
      rest.hasPrefix($0.0) && rest.count > $0.0.count
    }) {
      rest = rest.dropFirst(prefix.count)
      modifiers.insert(modifier)
    }
    self.init(String(rest), modifiers: modifiers)
  }

  private static let prefixes: [(String, Modifiers)] = [
    ("ctrl-", .control), ("alt-", .alt), ("shift-", .shift),
  ]

  /// The name with its modifiers, in the form that `onKey` takes.
  public var fullName: String {
    TerminalKey.prefixes.map { modifiers.contains($0.1) ? $0.0 : "" }.joined() + name
  }

  /// The names of the keys that terminals report, besides characters.
  static let names =
    [
      "delete", "down", "end", "escape", "forward-delete", "home", "insert", "left", "page-down",
      "page-up", "return", "right", "tab", "up",
    ] + (1...12).map { "f\($0)" }

  /// Whether a terminal can report the key: a character, or one of `names`.
  var isKnown: Bool { name.count == 1 || TerminalKey.names.contains(name) }

  /// The character that the key types; nil if it types none.
  var character: Character? {
    guard modifiers.isEmpty, name.count == 1 else { return nil }
    return name.first
  }
}

/// A mouse action at a cell.
public struct TerminalMouse: Sendable, Hashable {
  /// The kinds of mouse actions.
  public enum Kind: Sendable, Hashable {
    /// The left button was pressed.
    case press
    /// The mouse was moved with the left button held down.
    case drag
    /// The left button was released.
    case release
    /// The wheel was turned away from the user.
    case scrollUp
    /// The wheel was turned towards the user.
    case scrollDown
  }

  /// The kind of action.
  public let kind: Kind
  /// The column, from 0.
  public let x: Int
  /// The row, from 0.
  public let y: Int
  /// The number of consecutive presses at this cell: 2 for the second press of a double click.
  public let clicks: Int

  /// Creates a mouse action.
  ///
  /// - Parameters:
  ///   - kind: The kind of action.
  ///   - x: The column, from 0.
  ///   - y: The row, from 0.
  ///   - clicks: The number of consecutive presses at this cell: 2 for the second press of a double
  ///     click.
  public init(_ kind: Kind, x: Int, y: Int, clicks: Int = 1) {
    self.kind = kind
    self.x = x
    self.y = y
    self.clicks = clicks
  }
}
