import Foundation
import Shell

/// The options of the command line.
struct Options {
  private(set) var isPlain = false
  /// The path of the file that keeps the kitchen.
  private(set) var store: String?
  /// The file that gets the intents of the session.
  private(set) var log: URL?
  /// The file whose intents are repeated.
  private(set) var replay: URL?

  static let usage = "[--plain] [--store FILE] [--log FILE | --replay FILE]"

  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    func path(_ option: String) throws -> String {
      guard let path = arguments.popFirst() else { throw UsageError("\(option) needs a file") }
      return path
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--plain": isPlain = true
      case "--store": store = try path(argument)
      case "--log": log = URL(filePath: try path(argument))
      case "--replay": replay = URL(filePath: try path(argument))
      default: throw UsageError("unknown option \(argument)")
      }
    }
    if replay != nil, log != nil || store != nil {
      throw UsageError("--replay uses no other file")
    }
  }
}
