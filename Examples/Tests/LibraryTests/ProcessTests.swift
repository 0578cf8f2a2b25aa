import Foundation
import LibraryApp
import Signals
import SignalsSync
import Testing

/// The app driven from another process: a file and intents go in, and the file has what came of it.
@Suite struct `The library as a process` {
  private struct Run {
    let output: String
    let errors: String
    let status: Int32
  }

  /// Runs the app beside the tests' own binary.
  private func run(_ intents: [String], _ environment: [String: String]) async throws -> Run {
    let process = Process()
    let directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = directory.appending(path: "library")
    process.environment = environment
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = errors
    try process.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data(intents.joined(separator: "\n").utf8))
    try input.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    let complained = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Run(
      output: String(decoding: said, as: UTF8.self),
      errors: String(decoding: complained, as: UTF8.self), status: process.terminationStatus)
  }

  private func temporaryFile() -> String {
    FileManager.default.temporaryDirectory.appending(path: "library-\(UUID())").path()
  }

  @Test(arguments: ScreenStyle.allCases)
  func `intents on standard input change the file`(_ style: ScreenStyle) async throws {
    let path = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try StoreFile(at: path)
    let store = file.store
    let (library, member) = try Library.sample(in: store)
    try await file.close()
    let run = try await run(
      ["tap borrow-0441569595", "type search Snow", "tap borrow-nothing", "tap borrow-0553380958"],
      ["LIBRARY_STORE": path, "LIBRARY_SCREEN": style.rawValue])
    #expect((run.status, run.errors) == (0, ""))
    #expect(run.output.contains("> tap borrow-nothing\nerror: "))
    let after = try StoreFile(at: path).store
    let there = try #require(after.object(Member.self, primaryKey: member.id))
    #expect(there.borrowed.map(\.title) == ["Neuromancer", "Snow Crash"])
    try library.borrow(isbn: "0441569595", for: member.id)
    try library.borrow(isbn: "0553380958", for: member.id)
    #expect(after.snapshot().changes(to: store.snapshot()).isEmpty)
  }

  @Test func `without a file it begins with a sample`() async throws {
    let run = try await run(["tap borrow-0441569595", "undo"], [:])
    #expect(run.status == 0)
    #expect(run.output.contains("> undo\nAvailable: 3\n"))
  }

  @Test func `a file that is not there begins a new library, and gets it`() async throws {
    let path = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: path) }
    for (lines, borrowed) in [
      (["tap Borrow Neuromancer", "quit", "undo"], 1), (["tap Return Neuromancer"], 0),
    ] {
      let run = try await run(lines, ["LIBRARY_STORE": path])
      #expect((run.status, run.errors) == (0, ""))
      let file = try StoreFile(at: path)
      #expect(file.store.results(Member.self).first?.borrowed.count == borrowed)
      try await file.close()
    }
  }

  @Test func `a file that can't be opened is told in a line`() async throws {
    let run = try await run([], ["LIBRARY_STORE": "/no/such/file"])
    #expect((run.status, run.output) == (66, ""))
    #expect(run.errors.hasPrefix("library: can't open /no/such/file: "))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func `a file of another app is told by its class, and left as it is`() async throws {
    let path = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try StoreFile(at: path)
    try file.store.add(Stamp())
    try await file.close()
    let run = try await run(["tap x"], ["LIBRARY_STORE": path])
    #expect((run.status, run.output) == (65, ""))
    #expect(run.errors.hasPrefix("library: can't open \(path): "))
    #expect(run.errors.contains("Stamp"))
    #expect(try StoreFile(at: path).store.results(Stamp.self).count == 1)
  }

  @Test func `an unknown screen is named beside those there are`() async throws {
    let run = try await run([], ["LIBRARY_SCREEN": "cards"])
    #expect(run.status == 64)
    #expect(
      run.errors.hasPrefix("library: there is no screen \"cards\": objects, projection, values; "))
  }
}

/// An object of another app.
final class Stamp: Object {
  @Field var price = 1
}
