import Foundation
import Shell

/// The options of the command line.
struct Options {
  private(set) var isPlain = false
  /// The file that keeps the kitchen.
  private(set) var snapshot: URL?
  /// The file that gets the intents of the session.
  private(set) var log: URL?
  /// The file whose intents are repeated.
  private(set) var replay: URL?

  static let usage = "[--plain] [--snapshot FILE] [--log FILE | --replay FILE]"

  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    func file(_ option: String) throws -> URL {
      guard let path = arguments.popFirst() else { throw UsageError("\(option) needs a file") }
      return URL(filePath: path)
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--plain": isPlain = true
      case "--snapshot": snapshot = try file(argument)
      case "--log": log = try file(argument)
      case "--replay": replay = try file(argument)
      default: throw UsageError("unknown option \(argument)")
      }
    }
    if replay != nil, log ?? snapshot != nil {
      throw UsageError("--replay uses no other file")
    }
  }
}
