import CSignalsTTY

/// What a terminal can show.
public struct TerminalCapabilities: Sendable, Equatable {
  /// How many colors it has.
  public let colors: ColorDepth
  /// Whether it shows Unicode; else everything but ASCII is replaced.
  public let isUTF8: Bool

  /// Creates capabilities.
  public init(colors: ColorDepth, isUTF8: Bool) {
    self.colors = colors
    self.isUTF8 = isUTF8
  }

  /// All that there is.
  public static let full = TerminalCapabilities(colors: .trueColor, isUTF8: true)

  /// Reads them from the environment: `TERM`, `COLORTERM`, `NO_COLOR`, and the locale.
  ///
  /// - `NO_COLOR`, if it is not empty, means no colors, whatever the terminal could show.
  /// - `COLORTERM=truecolor`, or a `TERM` that ends in `-direct`, means any color; a `TERM` with `256color` a palette of
  ///   256; any other 16, and `vt100` or `mono` in it none.
  /// - It is UTF-8 unless the locale (`LC_ALL`, `LC_CTYPE`, `LANG`, the first that is set) says otherwise.
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
