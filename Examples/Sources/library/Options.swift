import Foundation
import LibraryApp
import Shell

/// What the command line says, and the environment.
struct Options {
  private(set) var isPlain = false
  private(set) var style: ScreenStyle
  /// The path of the file that the library is kept in.
  let store: String?
  /// The path of a new file, for what is intact in a damaged one.
  private(set) var recovered: String?

  static let usage = "[--plain] [--style objects|projection|values] [--recover FILE]"

  init(_ arguments: some Sequence<String>, _ environment: [String: String]) throws {
    store = environment["LIBRARY_STORE"]
    style = try Options.style(environment["LIBRARY_SCREEN"] ?? "objects")
    var arguments = Array(arguments)[...]
    func value(_ option: String) throws -> String {
      guard let value = arguments.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--plain": isPlain = true
      case "--style": style = try Options.style(value(argument))
      case "--recover": recovered = try value(argument)
      default: throw UsageError("unknown option \(argument)")
      }
    }
    if recovered != nil, store == nil {
      throw UsageError("--recover needs the damaged file in LIBRARY_STORE")
    }
  }

  private static func style(_ name: String) throws -> ScreenStyle {
    if let style = ScreenStyle(rawValue: name) { return style }
    let known = ScreenStyle.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError("there is no screen \"\(name)\": \(known)")
  }
}
