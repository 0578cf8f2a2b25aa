import CSignalsTTY

/// The colors and characters that a terminal can show.
public struct TerminalCapabilities: Sendable, Equatable {
  /// The number of colors.
  public let colors: ColorDepth
  /// Whether the terminal shows Unicode.
  ///
  /// If not, all characters but ASCII are replaced.
  public let isUTF8: Bool

  /// Creates capabilities from explicit values.
  ///
  /// - Parameters:
  ///   - colors: The colors that the terminal shows.
  ///   - isUTF8: Whether the terminal shows Unicode; if not, only ASCII is sent.
  public init(colors: ColorDepth, isUTF8: Bool) {
    self.colors = colors
    self.isUTF8 = isUTF8
  }

  /// The capabilities of a terminal with all colors and Unicode.
  public static let full = TerminalCapabilities(colors: .trueColor, isUTF8: true)

  /// Reads the capabilities from the environment: `TERM`, `COLORTERM`, `NO_COLOR` and the locale.
  ///
  /// - A non-empty `NO_COLOR` means no colors, whatever the terminal could show.
  /// - `COLORTERM=truecolor` or `24bit`, or a `TERM` that ends in `-direct`, means any color. A
  ///   `TERM` that contains `256color` means a palette of 256. A `TERM` that begins with `vt1` or
  ///   `vt2` or contains `mono` means no colors. Any other means 16.
  /// - The encoding is UTF-8 unless the locale (the first non-empty one of `LC_ALL`, `LC_CTYPE` and
  ///   `LANG`) says otherwise.
  ///
  /// - Parameter environment: Returns the value of an environment variable, or nil if it isn't set.
  public init(environment: (String) -> String?) {
    let term = environment("TERM") ?? ""
    let color = environment("COLORTERM") ?? ""
    if let no = environment("NO_COLOR"), !no.isEmpty {
      colors = .none
    } else if color == "truecolor" || color == "24bit" || term.hasSuffix("-direct") {
      colors = .trueColor
    } else if term.contains("256color") {
      colors = .palette
    } else if term.hasPrefix("vt1") || term.hasPrefix("vt2") || term.contains("mono") {
      colors = .none
    } else {
      colors = .sixteen
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    let name = locale?.lowercased() ?? "utf-8"
    isUTF8 = name.contains("utf-8") || name.contains("utf8")
  }
}

/// The environment of the process.
enum ProcessEnvironment {
  static func value(of name: String) -> String? {
    guard let value = unsafe signals_tty_environment(name) else { return nil }
    return unsafe String(cString: value)
  }
}
