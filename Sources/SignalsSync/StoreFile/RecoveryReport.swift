/// What a recovery has read of a damaged file, and what is lost.
public struct RecoveryReport: Hashable, Sendable {
  /// A part of the file that isn't in the recovered one.
  public struct Loss: Hashable, Sendable {
    /// The name of the file in the directory.
    public let file: String
    /// The place in that file, or `nil` for a commit that is intact but left out.
    public let bytes: Range<Int>?
    /// The numbers of the commits, counted from the first of the store, as far as they are known.
    public let commits: Range<UInt64>
    /// The reason.
    public let reason: String
  }

  /// The number of objects in the recovered file.
  public internal(set) var objectCount = 0
  /// The number of commits after the checkpoint that are in the recovered file.
  public internal(set) var commitCount = 0
  /// The number of links and list members that were removed, because their objects are lost.
  public internal(set) var clearedLinkCount = 0
  /// The damaged parts of the files, and the commits that were left out because they depend on
  /// these.
  public internal(set) var losses: [Loss] = []
}
