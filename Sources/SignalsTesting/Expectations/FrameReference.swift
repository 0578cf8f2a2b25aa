private import Foundation
public import Testing

extension TestHost {
  /// The form in which a frame is stored.
  public enum FrameForm: Sendable {
    /// All that a user can distinguish: see ``TestHost/tree``.
    case tree
    /// The plain text, which is easier to read, but doesn't contain ids, options, the focus, or
    /// which elements are disabled.
    case text
  }

  /// Expects that the frame on screen equals the one stored in the file `__Frames__/name.txt` next
  /// to the test.
  ///
  /// - If the file doesn't exist, the frame is stored and the test fails with a message. The next
  ///   run compares.
  /// - A difference is reported as removed and added lines. The difference and the frame are
  ///   attached in full.
  /// - To store all frames again, set `SIGNALS_RECORD_FRAMES` in the environment, or `isRecording`.
  ///   A test whose file is changed by this fails.
  /// - Line endings and trailing empty lines of the file are ignored, because editors and tools
  ///   change them.
  ///
  /// Tests in a folder that use the same frame name share the file. Exclude the folder from the
  /// target in `Package.swift`.
  ///
  /// ```swift
  /// try app.tap("borrow-0441569595")
  /// try app.expectFrame("borrowed")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the file, without its extension.
  ///   - form: The form in which the frame is stored.
  ///   - isRecording: Whether a frame that differs is stored again; nil to follow
  ///     `SIGNALS_RECORD_FRAMES`.
  ///   - filePath: The file of the test; leave it to the compiler.
  ///   - sourceLocation: The source location of recorded issues.
  /// - Throws: An error if the file can't be written.
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
      IssueReporter.report(
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
      IssueReporter.report(
        "\(title) was stored again (-: before, +: now):\n\(difference)",
        at: sourceLocation)
    } else {
      IssueReporter.report(
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
