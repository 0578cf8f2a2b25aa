import Signals
import SignalsSync

/// Opens a store's file in a simulated file system.
///
/// Commits are durable only after a flush, and no checkpoint is written, unless the arguments say
/// otherwise.
func open(
  _ files: SimulatedFiles, at path: String = "/store", interval: Duration = .seconds(3600),
  renamed: [String: Object.Type] = [:], version: Int = 0,
  _ migrations: [Int: (Migration) throws -> Void] = [:], smallestTail: Int = 1 << 20,
  limits: SizeLimits = SizeLimits()
) throws(StoreFileError) -> StoreFile {
  try StoreFile(
    at: path, interval: interval, renamedClasses: renamed, version: version,
    migrations: migrations, smallestTail: smallestTail, limits: limits, files: files)
}
