import CatalogApp
import ControlFile
import Shell
import SignalsTerminal

/// What the command line says.
struct Options {
  private(set) var isPlain = false
  private(set) var showsStatistics = false
  /// The size of the picture that is asked for, if it is one, and the keys to be pressed before.
  private(set) var picture: Picture?
  private(set) var keys: [TerminalKey] = []
  private var path: String?

  /// A screen of some size.
  struct Picture {
    let width: Int
    let height: Int

    /// Reads a size as `80x24`; nil if it is none.
    init?(_ size: String) {
      let numbers = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 2, let width = numbers[0], let height = numbers[1],
        (1...500).contains(width), (1...200).contains(height)
      else { return nil }
      (self.width, self.height) = (width, height)
    }
  }

  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    while let argument = arguments.popFirst() {
      switch argument {
      case "--picture":
        guard let picture = arguments.popFirst().flatMap(Picture.init) else {
          throw UsageError("no size like 80x24")
        }
        self.picture = picture
      case "--keys":
        guard let names = arguments.popFirst() else {
          throw UsageError("no keys like \"down return\"")
        }
        keys = names.split(separator: " ").map { TerminalKey(parsing: String($0)) }
      case "--plain": isPlain = true
      case "--stats": showsStatistics = true
      case _ where argument.utf8.first == UInt8(ascii: "-"):
        throw UsageError("unknown option \(argument)")
      default:
        if path != nil {
          throw UsageError("more than one FILE")
        }
        path = argument
      }
    }
    if picture == nil, !keys.isEmpty {
      throw UsageError("--keys without --picture")
    }
  }

  static let usage = "[--plain] [--stats] [--picture WIDTHxHEIGHT [--keys KEYS]] [FILE]"

  /// Reads the file: the one named, else this machine's database, else the one that comes along.
  func read() throws -> (ControlFile, path: String) {
    do { return try Database.read(at: path) } catch {
      throw Failure(status: 66, "\(error)")
    }
  }
}
