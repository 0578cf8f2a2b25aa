import Foundation
import Testing

/// What all examples do as commands, whatever else they do.
@Suite struct `Each example as a command` {
  static let apps = ["catalog", "kitchen", "library", "people", "scrums"]

  private struct Run {
    let output: String
    let errors: String
    let status: Int32
  }

  /// Runs a line of the shell that calls the app `$0`, beside the tests' own binary.
  private func run(_ app: String, _ line: String) throws -> Run {
    let process = self.process(app, line)
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    let complained = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Run(
      output: String(decoding: said, as: UTF8.self),
      errors: String(decoding: complained, as: UTF8.self), status: process.terminationStatus)
  }

  private func process(_ app: String, _ line: String) -> Process {
    let process = Process()
    let directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", line, directory.appending(path: app).path(percentEncoded: false)]
    return process
  }

  @Test(arguments: apps, ["--help", "-h", "--plain --help"])
  func `help is what was asked for`(_ app: String, _ option: String) throws {
    let run = try run(app, "exec \"$0\" \(option)")
    #expect(run.output.hasPrefix("usage: \(app) [--plain] "))
    #expect((run.errors, run.status) == ("", 0))
  }

  @Test(arguments: apps)
  func `an option that there is none is told on standard error`(_ app: String) throws {
    let run = try run(app, "exec \"$0\" --frobnicate")
    #expect(run.errors.hasPrefix("\(app): "))
    #expect(run.errors.contains("--frobnicate"))
    #expect(run.errors.contains("; usage: \(app) [--plain] "))
    #expect((run.output, run.status) == ("", 64))
  }

  @Test(arguments: apps, ["--plain", "--help"])
  func `an output that takes nothing is told, and ends it`(_ app: String, _ option: String) throws {
    let full = try run(app, "exec \"$0\" \(option) > /dev/full")
    #expect(full.errors == "\(app): can't write standard output: No space left on device\n")
    #expect(full.status == 74)
    let closed = try run(app, "exec \"$0\" \(option) >&-")
    #expect(closed.errors == "\(app): can't write standard output: Bad file descriptor\n")
    #expect(closed.status == 74)
  }

  @Test(arguments: apps)
  func `a frame is there before the next line is asked for, and quit ends it`(
    _ app: String
  ) throws {
    let process = process(app, "exec \"$0\" --plain")
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    var text = ""
    for line in ["", "undo\n"] {
      try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
      text = ""
      // Each frame ends with an empty line.
      while !text.hasSuffix("\n\n") {
        let data = output.fileHandleForReading.availableData
        try #require(!data.isEmpty)
        text += String(decoding: data, as: UTF8.self)
      }
    }
    #expect(text == "> undo\nerror: there is nothing to undo\n\n")
    try input.fileHandleForWriting.write(contentsOf: Data("quit\n".utf8))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
  }
}
