package import ControlFile
import Glibc

/// The package databases that the catalogue can show.
package enum Database {
  /// This machine's package database.
  private static let system = "/var/lib/dpkg/status"

  /// Reads a database: the file at a path, or else this machine's, or else a sample.
  ///
  /// - Returns: The packages, and the name of the file for messages.
  /// - Throws: An error that says which file can't be read, and why.
  package static func read(at path: String? = nil) throws -> (file: ControlFile, path: String) {
    if path == nil, unsafe access(system, F_OK) != 0 {
      let sample = PackageResources.packages_control
      return (ControlFile(parsing: sample.span), "packages.control")
    }
    let path = path ?? system
    return (try ControlFile(contentsOf: path), path)
  }
}
