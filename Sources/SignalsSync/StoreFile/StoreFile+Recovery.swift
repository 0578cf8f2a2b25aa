internal import Signals

extension StoreFile {
  /// Reads the intact parts of a damaged file, and writes them to a new file.
  ///
  /// The commits before and after the damage are read. A commit after the damage that depends on a
  /// lost part is skipped as a whole, and links to lost objects are cleared. If the checkpoint is
  /// damaged, the objects in its intact blocks of half a kilobyte are recovered. They depend on the
  /// descriptions of the classes, which the checkpoint has twice. If both are damaged, no object is
  /// recovered.
  ///
  /// ```swift
  /// let report = try StoreFile.recover(at: "todos.store", to: "recovered.store")
  /// for loss in report.losses { print(loss) }
  /// ```
  ///
  /// The damaged file isn't changed. The classes of the file are compared with the classes of the
  /// app only when the new file is opened.
  ///
  /// - Parameters:
  ///   - path: The path of the damaged file, which must not be open.
  ///   - newPath: The path of a directory without a store, which is created if it is missing.
  /// - Returns: The numbers of recovered objects and commits, and the losses.
  /// - Throws: ``StoreFileError`` if a file can't be read or written at all.
  /// - Complexity: O(bytes), and again O(bytes) for each skipped commit.
  public static func recover(
    at path: String, to newPath: String
  ) throws(StoreFileError) -> RecoveryReport {
    try recover(at: path, to: newPath, files: POSIXFileSystem())
  }

  /// Recovers a damaged file through replaceable calls of the operating system.
  package static func recover(
    at path: String, to newPath: String, files: any FileSystem
  ) throws(StoreFileError) -> RecoveryReport {
    let salvage: LogSalvage
    do throws(ChangeLogError) {
      let directory = try LogDirectory(path, isMade: false, in: files)
      salvage = try LogSalvage(of: StoreFileKeeper.partition, in: directory)
    } catch {
      throw StoreFileError(error, at: path)
    }
    let pieces = salvage.pieces
    if pieces.isEmpty, salvage.gaps.isEmpty {
      throw .damaged(path: path, reason: "there is no store in the directory")
    }
    var (contents, leftOut) = FileContents.recovered(from: pieces)
    let (cleared, entry): (Int, [UInt8])
    var duplicates: [String] = []
    do {
      duplicates = try contents.removeDuplicates()
      cleared = try contents.clearLostLinks()
      entry = try contents.encoded()
    } catch {
      throw .damaged(path: path, reason: "\(error)")
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
        + leftOut.map { RecoveryReport.Loss($0.piece, reason: $0.reason) }
        + duplicates.map {
          RecoveryReport.Loss(
            file: StoreFileKeeper.partition.logName, bytes: nil, commits: 0..<0, reason: $0)
        })
  }
}

extension LogSalvage {
  /// The checkpoint, or its intact blocks, followed by the entries.
  fileprivate var pieces: [FileContents.Piece] {
    var pieces: [FileContents.Piece] = []
    var isNumberLost = false
    if let snapshot, isSnapshotIntact {
      pieces = [.init(bytes: snapshot, position: nil, isAfterLoss: false)]
    } else if let snapshot {
      let blocks = FileBlock.blocks(in: snapshot)
      let heading = blocks.first { $0.operation == .heading }
      isNumberLost = heading == nil
      pieces = ([heading] + blocks.filter { heading != nil && $0.operation == .block })
        .compactMap { $0.map { .init(bytes: $0.entry, position: nil, isAfterLoss: false) } }
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

  fileprivate init(_ piece: FileContents.Piece, reason: String) {
    let partition = StoreFileKeeper.partition
    let position = piece.position?.rawValue
    self.init(
      file: position == nil ? partition.snapshotName : partition.logName, bytes: nil,
      commits: position.map { $0..<$0 + 1 } ?? 0..<0, reason: reason)
  }
}
