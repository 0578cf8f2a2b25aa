import Foundation
import LibraryApp
import Shell

/// What the command line says, and the environment.
struct Options {
  private(set) var isPlain = false
  private(set) var style: ScreenStyle
  /// The path of the file that the library is kept in.
  let store: String?

  static let usage = "[--plain] [--style objects|projection|values]"

  init(_ arguments: some Sequence<String>, _ environment: [String: String]) throws {
    store = environment["LIBRARY_STORE"]
    style = try Options.style(environment["LIBRARY_SCREEN"] ?? "objects")
    var arguments = Array(arguments)[...]
    while let argument = arguments.popFirst() {
      switch argument {
      case "--plain": isPlain = true
      case "--style":
        guard let name = arguments.popFirst() else {
          throw UsageError("--style needs a value")
        }
        style = try Options.style(name)
      default: throw UsageError("unknown option \(argument)")
      }
    }
  }

  private static func style(_ name: String) throws -> ScreenStyle {
    if let style = ScreenStyle(rawValue: name) { return style }
    let known = ScreenStyle.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError("there is no screen \"\(name)\": \(known)")
  }
}
