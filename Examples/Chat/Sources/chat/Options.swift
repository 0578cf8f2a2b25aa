import ChatModel
import Foundation
import Shell

/// The options of the command line.
struct Options {
  /// What the process is.
  enum Role: Equatable {
    /// A device with a server of its own.
    case embedded
    /// A server on a port.
    case server(port: Int)
    /// A device of the server at an address.
    case device(of: String)
  }

  private(set) var role = Role.embedded
  /// The directory that has everything.
  private(set) var directory: String
  private(set) var isPlain = false
  /// The user of a device.
  private(set) var user: String?
  /// Where the device says that it is.
  private(set) var place: Place?
  /// Whether a server has sample people.
  private(set) var hasSamples = false

  static let usage = """
    [--plain] [--data DIRECTORY] [--place LONGITUDE,LATITUDE] [--server ADDRESS [--user NAME]] \
    | serve [--port PORT] [--sample] [--data DIRECTORY]
    """

  init(_ arguments: some Sequence<String>) throws {
    let environment = ProcessInfo.processInfo.environment
    let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? ".") + "/.local/share"
    directory = data + "/signals-chat"
    var arguments = Array(arguments)[...]
    if arguments.first == "serve" {
      arguments.removeFirst()
      role = .server(port: 8080)
    }
    func value(_ option: String) throws -> String {
      guard let value = arguments.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    while let argument = arguments.popFirst() {
      switch (role, argument) {
      case (_, "--data"): directory = try value(argument)
      case (.server, "--port"):
        let text = try value(argument)
        guard let port = Int(text), 1...65_535 ~= port else {
          throw UsageError("\"\(text)\" is no port")
        }
        role = .server(port: port)
      case (.server, "--sample"): hasSamples = true
      case (.server, _): throw UsageError("unknown option \(argument)")
      case (_, "--plain"): isPlain = true
      case (_, "--server"): role = .device(of: try value(argument))
      case (_, "--user"): user = try value(argument)
      case (_, "--place"):
        let text = try value(argument)
        let numbers = text.split(separator: ",").compactMap { Double($0) }
        guard numbers.count == 2 else {
          throw UsageError("\"\(text)\" is no place like -0.12,51.5")
        }
        place = Place(longitude: numbers[0], latitude: numbers[1])
      default: throw UsageError("unknown option \(argument)")
      }
    }
    if user != nil, role == .embedded { throw UsageError("--user is for a device of a --server") }
  }
}
