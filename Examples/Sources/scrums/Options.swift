import Foundation
import ScrumsApp
import Shell

/// What the command line says.
struct Options {
  private(set) var style = Style.mvi
  private(set) var isPlain = false
  private(set) var showsStatistics = false
  /// The path of the file that the graph is kept in, with the state of the screens.
  private(set) var store: String?
  /// The path of the file that several terminals share.
  private(set) var shared: String?
  /// The file that stands for a service.
  private(set) var service: URL?
  /// The file that keeps what the service said last.
  private(set) var cache: URL?
  /// When meetings take place, if not now.
  private(set) var today: Date?

  static let usage = """
    [--plain] [--stats] [--style mvi|mvvm|viper] [--share FILE] [--store FILE] [--service FILE] \
    [--cache FILE] [--today DATE]
    """

  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    func value(_ option: String) throws -> String {
      guard let value = arguments.popFirst() else {
        throw UsageError("\(option) needs a value")
      }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--plain": isPlain = true
      case "--stats": showsStatistics = true
      case "--style":
        let name = try value(argument)
        guard let style = Style(rawValue: name) else {
          throw UsageError("there is no style \"\(name)\"")
        }
        self.style = style
      case "--store": store = try value(argument)
      case "--share": shared = try value(argument)
      case "--service": service = URL(filePath: try value(argument))
      case "--cache": cache = URL(filePath: try value(argument))
      case "--today":
        let day = try value(argument)
        guard let date = try? Date(day, strategy: .iso8601.year().month().day()) else {
          throw UsageError("\"\(day)\" is no date like 2026-11-21")
        }
        today = date
      default: throw UsageError("unknown option \(argument)")
      }
    }
    if shared != nil, shared == store {
      throw UsageError("--store is a copy of --share, and not the same")
    }
  }
}
