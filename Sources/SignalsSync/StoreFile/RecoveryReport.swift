/// The result of the recovery of a damaged file.
public struct RecoveryReport: Hashable, Sendable {
  /// A part of the damaged file that is missing in the recovered one.
  public struct Loss: Hashable, Sendable {
    /// The name of the file in the directory.
    public let file: String
    /// The bytes of that file, or `nil` for an intact commit that couldn't be applied.
    public let bytes: Range<Int>?
    /// The numbers of the lost commits, counted from the first of the store, as far as known.
    public let commits: Range<UInt64>
    /// The reason why the part is missing.
    public let reason: String
  }

  /// The number of objects in the recovered file.
  public internal(set) var objectCount = 0
  /// The number of commits after the checkpoint that are in the recovered file.
  public internal(set) var commitCount = 0
  /// The number of links and list members that were removed because their objects are lost.
  public internal(set) var clearedLinkCount = 0
  /// The damaged parts of the files, and the commits that were skipped because they depend on them.
  public internal(set) var losses: [Loss] = []
}

extension RecoveryReport.Loss: CustomStringConvertible {
  /// A sentence that states the location, the lost commits and the reason.
  public var description: String {
    let place = bytes.map { "bytes \($0.lowerBound) to \($0.upperBound) of \(file)" } ?? file
    return switch commits.count {
    case 0: "\(place): \(reason)"
    case 1: "\(place), commit \(commits.lowerBound): \(reason)"
    default: "\(place), commits \(commits.lowerBound) to \(commits.upperBound - 1): \(reason)"
    }
  }
}
