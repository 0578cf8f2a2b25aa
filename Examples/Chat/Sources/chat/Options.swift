import ChatModel
import Foundation
import Shell

/// The options of the command line.
struct Options {
  /// The directory of the embedded chat.
  private(set) var directory: String
  private(set) var isPlain = false
  /// Where the device says that it is.
  private(set) var place: Place?

  static let usage = "[--plain] [--data DIRECTORY] [--place LONGITUDE,LATITUDE]"

  init(_ arguments: some Sequence<String>) throws {
    let environment = ProcessInfo.processInfo.environment
    let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? ".") + "/.local/share"
    directory = data + "/signals-chat"
    var arguments = Array(arguments)[...]
    func value(_ option: String) throws -> String {
      guard let value = arguments.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--plain": isPlain = true
      case "--data": directory = try value(argument)
      case "--place":
        let text = try value(argument)
        let numbers = text.split(separator: ",").compactMap { Double($0) }
        guard numbers.count == 2 else {
          throw UsageError("\"\(text)\" is no place like -0.12,51.5")
        }
        place = Place(longitude: numbers[0], latitude: numbers[1])
      default: throw UsageError("unknown option \(argument)")
      }
    }
  }
}
