import SignalsSync

extension KeptStore {
  /// Writes the intact parts of a damaged file to a new file.
  ///
  /// - Returns: What is in the new file, and each loss, a line each.
  /// - Throws: ``Failure`` if the file can't be read or the new one can't be written.
  package static func recover(at path: String, to newPath: String) throws(Failure) -> [String] {
    let report: RecoveryReport
    do { report = try StoreFile.recover(at: path, to: newPath) } catch {
      throw Failure(status: status(error), "can't recover \(path): \(error)")
    }
    var lines = ["recovered to \(newPath): \(report.objectCount) objects"]
    if report.clearedLinkCount > 0 {
      lines.append("links to lost objects: \(report.clearedLinkCount)")
    }
    return lines
      + report.losses.map { loss in
        let bytes = loss.bytes.map { ", bytes \($0.lowerBound) to \($0.upperBound)" } ?? ""
        return "lost in \(loss.file)\(bytes): \(loss.reason)"
      }
  }
}
