/// What a user did at a terminal.
public enum TerminalInput: Sendable, Hashable {
  /// Pressed a key: `"a"`, `"return"`, `"ctrl-c"`, `"shift-tab"`, `"alt-left"`, `"f1"`.
  case key(TerminalKey)
  /// Did something with the mouse.
  case mouse(TerminalMouse)
  /// Pasted a text; it is data, whatever it contains.
  case paste(String)
}

/// A key with what was held down.
public struct TerminalKey: Sendable, Hashable, ExpressibleByStringLiteral {
  /// What can be held down besides.
  public struct Modifiers: OptionSet, Sendable, Hashable {
    /// The bits, as terminals number them.
    public let rawValue: UInt8
    /// Creates a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Shift, where it does not make another character.
    public static let shift = Modifiers(rawValue: 1)
    /// Alt, or meta.
    public static let alt = Modifiers(rawValue: 2)
    /// Control.
    public static let control = Modifiers(rawValue: 4)
  }

  /// The character, or the name of the key: `"up"`, `"page-down"`, `"delete"` (which deletes backwards).
  public let name: String
  /// What was held down.
  public let modifiers: Modifiers

  /// Creates a key.
  public init(_ name: String, _ modifiers: Modifiers = []) {
    self.name = name
    self.modifiers = modifiers
  }

  /// Creates a key from its name, as `"ctrl-c"`.
  public init(stringLiteral name: String) { self.init(parsing: name) }

  /// Creates a key from its name, as ``fullName`` has it; what is held down may stand in any order.
  public init(parsing name: String) {
    var rest = Substring(name)
    var modifiers: Modifiers = []
    while let (prefix, modifier) = TerminalKey.prefixes.first(where: {
      rest.hasPrefix($0.0) && rest.count > $0.0.count
    }) {
      rest = rest.dropFirst(prefix.count)
      modifiers.insert(modifier)
    }
    self.init(String(rest), modifiers)
  }

  private static let prefixes: [(String, Modifiers)] = [
    ("ctrl-", .control), ("alt-", .alt), ("shift-", .shift),
  ]

  /// The name with what was held down: what `onKey` takes.
  public var fullName: String {
    TerminalKey.prefixes.map { modifiers.contains($0.1) ? $0.0 : "" }.joined() + name
  }

  /// The character that the key types, if it types one.
  var character: Character? {
    guard modifiers.isEmpty, name.count == 1 else { return nil }
    return name.first
  }
}

/// What was done with the mouse, and where.
public struct TerminalMouse: Sendable, Hashable {
  /// What was done.
  public enum Kind: Sendable, Hashable {
    /// The left button went down.
    case press
    /// The left button is held, and the mouse moves.
    case drag
    /// The left button went up.
    case release
    /// The wheel was turned, away from the user.
    case scrollUp
    /// The wheel was turned, towards the user.
    case scrollDown
  }

  /// What was done.
  public let kind: Kind
  /// The column, from 0.
  public let x: Int
  /// The row, from 0.
  public let y: Int
  /// How many times in a row the button went down there: 2 for the second press of a double click.
  public let clicks: Int

  /// Creates an event.
  public init(_ kind: Kind, x: Int, y: Int, clicks: Int = 1) {
    self.kind = kind
    self.x = x
    self.y = y
    self.clicks = clicks
  }
}
