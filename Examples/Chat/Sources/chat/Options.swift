import ChatLoad
import ChatModel
import Foundation
import Shell

/// The options of the command line.
struct Options {
  /// What the process is.
  enum Role {
    /// A device with a server of its own.
    case embedded
    /// A server on a port.
    case server(port: Int)
    /// A device of the server at an address.
    case device(of: String)
    /// Many people on a server.
    case load(on: String, Load.Plan)
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
  /// The cost of a password on a server.
  private(set) var rounds = 1 << 15

  static let usage = """
    [--plain] [--data DIRECTORY] [--place LONGITUDE,LATITUDE] [--server ADDRESS [--user NAME]] \
    | serve [--port PORT] [--sample] [--data DIRECTORY] [--rounds NUMBER] \
    | load --server ADDRESS [--rooms NUMBER] [--members NUMBER] [--rate NUMBER] [--seconds NUMBER] \
    [--restart]
    """

  init(_ arguments: some Sequence<String>) throws {
    let environment = ProcessInfo.processInfo.environment
    let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? ".") + "/.local/share"
    directory = data + "/signals-chat"
    var arguments = Array(arguments)[...]
    if arguments.first == "serve" {
      arguments.removeFirst()
      role = .server(port: 8080)
    } else if arguments.first == "load" {
      arguments.removeFirst()
      role = .load(on: "", Load.Plan())
    }
    func value(_ option: String) throws -> String {
      guard let value = arguments.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    func number(_ option: String) throws -> Double {
      let text = try value(option)
      guard let number = Double(text), number > 0, number <= 1e6 else {
        throw UsageError("\"\(text)\" is no number for \(option)")
      }
      return number
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
      case (.server, "--rounds"): rounds = Int(try number(argument))
      case (.server, _): throw UsageError("unknown option \(argument)")
      case (.load(_, let plan), "--server"): role = .load(on: try value(argument), plan)
      case (.load(let address, var plan), _):
        switch argument {
        case "--rooms": plan.rooms = Int(try number(argument))
        case "--members": plan.members = max(2, Int(try number(argument)))
        case "--rate": plan.rate = try number(argument)
        case "--seconds": plan.seconds = try number(argument)
        case "--restart": plan.awaitsRestart = true
        default: throw UsageError("unknown option \(argument)")
        }
        role = .load(on: address, plan)
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
    if user != nil, case .embedded = role {
      throw UsageError("--user is for a device of a --server")
    }
  }
}
