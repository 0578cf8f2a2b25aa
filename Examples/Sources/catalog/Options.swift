import ControlFile
import Glibc

/// What the command line says.
struct Options {
  private(set) var isPlain = false
  private(set) var showsStatistics = false
  private var path: String?

  /// This machine's package database.
  private static let database = "/var/lib/dpkg/status"

  init(_ arguments: some Sequence<String>) throws {
    for argument in arguments {
      switch argument {
      case "--plain": isPlain = true
      case "--stats": showsStatistics = true
      case _ where argument.utf8.first == UInt8(ascii: "-"):
        throw Failure(status: 64, message: "unknown option \(argument); usage: \(Self.usage)")
      default:
        if path != nil {
          throw Failure(status: 64, message: "more than one FILE; usage: \(Self.usage)")
        }
        path = argument
      }
    }
  }

  static let usage = "catalog [--plain] [--stats] [FILE]"

  /// Reads the file: the one named, else this machine's database, else the one that comes along.
  func read() throws -> (ControlFile, path: String) {
    if path == nil, unsafe access(Self.database, F_OK) != 0 {
      let sample = PackageResources.packages_control
      return (ControlFile(parsing: sample.span), "packages.control")
    }
    let path = path ?? Self.database
    do { return (try ControlFile(contentsOf: path), path) } catch {
      throw Failure(status: 66, message: "\(error)")
    }
  }
}
