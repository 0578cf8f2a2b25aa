private import Foundation
public import Testing

extension TestHost {
  /// What is stored of a frame.
  public enum FrameForm: Sendable {
    /// All that a user could tell apart: see ``TestHost/tree``.
    case tree
    /// The plain text, which is easier to look at, and says nothing of ids, options, focus, or what
    /// is disabled.
    case text
  }

  /// Expects that the frame on screen is as it was stored: in the file `__Frames__/name.txt` beside
  /// the test.
  ///
  /// - Where there is no such file the frame is stored, and the test fails, saying so: the next run
  ///   compares.
  /// - What differs is told with removed and added lines, and attached whole, as is the frame.
  /// - To store all frames anew set `SIGNALS_RECORD_FRAMES` in the environment, or `isRecording`; a
  ///   test whose file was changed by that fails.
  /// - How lines end in the file, and whether empty ones follow the last, is of no account: editors
  ///   and tools change that.
  ///
  /// Tests with several frames of one name in a folder share the file. Exclude the folder from the
  /// target in `Package.swift`. Throws if the file can't be written.
  ///
  /// ```swift
  /// try app.tap("borrow-0441569595")
  /// try app.expectFrame("borrowed")
  /// ```
  public func expectFrame(
    _ name: String, as form: FrameForm = .tree, isRecording: Bool? = nil,
    filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let isRecording =
      isRecording ?? (ProcessInfo.processInfo.environment["SIGNALS_RECORD_FRAMES"] != nil)
    let folder = URL(filePath: filePath).deletingLastPathComponent().appending(path: "__Frames__")
    let file = folder.appending(path: "\(name).txt")
    let title = "__Frames__/\(name).txt"
    let frame = form == .tree ? tree : text
    guard let data = FileManager.default.contents(atPath: file.path) else {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("\(frame)\n".utf8).write(to: file)
      Findings.report(
        "there was no \(title): the frame is stored now, and compared next time",
        at: sourceLocation)
      return
    }
    let stored = TestHost.storedLines(String(decoding: data, as: UTF8.self))
    let lines = TestHost.storedLines("\(frame)\n")
    if stored == lines { return }
    let difference = LineDifference(from: stored, to: lines).text
    Attachment.record(difference, named: "\(name).diff", sourceLocation: sourceLocation)
    Attachment.record(frame, named: "\(name).txt", sourceLocation: sourceLocation)
    if isRecording {
      try Data("\(frame)\n".utf8).write(to: file)
      Findings.report(
        "\(title) was stored anew (-: before, +: now):\n\(difference)",
        at: sourceLocation)
    } else {
      Findings.report(
        "the frame is not that of \(title) (-: stored, +: on screen):\n\(difference)",
        at: sourceLocation)
    }
  }

  private static func storedLines(_ text: String) -> [String] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
