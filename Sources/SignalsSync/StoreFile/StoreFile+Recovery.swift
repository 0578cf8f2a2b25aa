internal import Signals

extension StoreFile {
  /// Reads what is intact of a damaged file, and writes it as a new one.
  ///
  /// The commits before the damage and those after it are read. One after it that refers to what is
  /// lost is left out as a whole, and links to lost objects are cleared. If the checkpoint is
  /// damaged, the objects that can be read are taken from it; one of their values may be another
  /// than the original without a trace.
  ///
  /// ```swift
  /// let report = try StoreFile.recover(at: "todos.store", to: "recovered.store")
  /// for loss in report.losses { print(loss) }
  /// ```
  ///
  /// The damaged file isn't changed. The classes of the app aren't needed, and aren't compared with
  /// those of the file before the new one is opened.
  ///
  /// - Parameters:
  ///   - path: The path of the damaged file, which must not be open.
  ///   - newPath: The path of a directory without a store, which is made if it is missing.
  /// - Returns: What was read, and what is lost.
  /// - Throws: ``StoreFileError`` if a file can't be read or written at all.
  /// - Complexity: O(bytes), and that again for each commit that is left out.
  public static func recover(
    at path: String, to newPath: String
  ) throws(StoreFileError) -> RecoveryReport {
    try recover(at: path, to: newPath, files: POSIXFileSystem())
  }

  /// Reads what is intact of a damaged file, with other calls than those of the operating system.
  package static func recover(
    at path: String, to newPath: String, files: any FileSystem
  ) throws(StoreFileError) -> RecoveryReport {
    let salvage: LogSalvage
    do throws(ChangeLogError) {
      let directory = try LogDirectory(path, isMade: false, in: files)
      salvage = try LogSalvage(of: StoreFileKeeper.partition, in: directory)
    } catch {
      throw .log(error)
    }
    let pieces = salvage.pieces
    var (contents, leftOut) = StoredContents.recovered(from: pieces)
    let (cleared, entry): (Int, [UInt8])
    do {
      cleared = try contents.clearLostLinks()
      entry = try contents.encoded()
    } catch {
      throw .damaged(entry: .start, offset: 0, reason: "\(error)")
    }
    let keeper = try StoreFileKeeper(
      at: newPath, interval: .zero, smallestTail: .max, limits: SizeLimits(), files: files)
    guard try keeper.isEmpty() else { throw .exists(path: newPath) }
    try keeper.replaceEntries(by: entry)
    let lostCommits = leftOut.count { $0.piece.position != nil }
    return RecoveryReport(
      objectCount: contents.count, commitCount: salvage.entries.count - lostCommits,
      clearedLinkCount: cleared,
      losses: salvage.gaps.map { RecoveryReport.Loss($0) }
        + leftOut.map { RecoveryReport.Loss($0.piece, $0.reason) })
  }
}

extension LogSalvage {
  /// The entries, of which the first are the checkpoint or what is left of it.
  fileprivate var pieces: [StoredContents.Piece] {
    var pieces: [StoredContents.Piece] = []
    var isNumberLost = false
    if let snapshot, isSnapshotIntact {
      pieces = [.init(bytes: snapshot, position: nil, isAfterLoss: false)]
    } else if let snapshot {
      let checkpoint = DamagedCheckpoint(snapshot)
      pieces = checkpoint.pieces
      isNumberLost = checkpoint.isNumberLost
    }
    let firstLost = gaps.filter { !$0.positions.isEmpty }.map(\.positions.lowerBound).min()
    for entry in entries {
      let isAfterLoss = isNumberLost || firstLost.map { entry.position >= $0 } ?? false
      pieces.append(
        .init(bytes: entry.bytes, position: entry.position, isAfterLoss: isAfterLoss))
    }
    return pieces
  }
}

extension RecoveryReport.Loss {
  fileprivate init(_ gap: LogSalvage.Gap) {
    self.init(
      file: gap.file, bytes: gap.bytes,
      commits: gap.positions.lowerBound.rawValue..<gap.positions.upperBound.rawValue,
      reason: gap.reason)
  }

  fileprivate init(_ piece: StoredContents.Piece, _ reason: String) {
    let partition = StoreFileKeeper.partition
    let position = piece.position?.rawValue
    self.init(
      file: position == nil ? partition.snapshotName : partition.logName, bytes: nil,
      commits: position.map { $0..<$0 + 1 } ?? 0..<0, reason: reason)
  }
}
