import Foundation
import ScrumsApp
import Testing

/// The program, killed for real.
@Suite struct `The scrums as a process` {
  private let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "scrums")

  /// Starts the program on a file, does a line if there is one, and kills it; the answer is what was on screen last.
  private func frame(_ file: URL, _ style: Style, after line: String? = nil) throws -> String {
    let process = Process()
    process.executableURL = program
    process.arguments = [
      "--plain", "--style", style.rawValue, "--store", file.path(), "--today", "2026-11-21",
    ]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    if let line { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }
    var text = ""
    // Each frame ends with an empty line.
    while text.components(separatedBy: "\n\n").count < (line == nil ? 2 : 3) {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    let last = try #require(text.components(separatedBy: "\n\n").dropLast().last)
    return last.split(separator: "\n").dropFirst().joined(separator: "\n")
  }

  @Test(arguments: Style.allCases)
  func `killed after each line it continues where it was`(_ style: Style) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "scrums-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    for line in [
      "tap Design", "tap Edit", "type title Redesign", "tap remove-0", "type new-attendee Lee",
      "tap Add attendee", "tap Save", "tap Start meeting", "tick 170", "type notes Slow",
      "tap Skip", "tap End meeting", "tap Back",
    ] {
      let shown = try frame(file, style, after: line)
      #expect(try frame(file, style) == shown, "\(line)")
    }
    let last = try frame(file, style)
    #expect(last.contains("[Redesign]  4 attendees, 10 min"))
  }
}
