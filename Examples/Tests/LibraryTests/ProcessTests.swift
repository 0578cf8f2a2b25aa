import Foundation
import LibraryApp
import Signals
import Testing

/// The app driven from another process: a snapshot and intents go in, a snapshot comes out.
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

  private func temporaryFile() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "library-\(UUID()).json")
  }

  @Test(arguments: ScreenStyle.allCases)
  func `intents on standard input change the snapshot`(_ style: ScreenStyle) async throws {
    let store = Store()
    let (library, member) = try Library.sample(in: store)
    let file = temporaryFile()
    defer { try? FileManager.default.removeItem(at: file) }
    try JSONEncoder().encode(store.snapshot()).write(to: file)
    let run = try await run(
      ["tap borrow-0441569595", "type search Snow", "tap borrow-nothing", "tap borrow-0553380958"],
      ["LIBRARY_SNAPSHOT": file.path(), "LIBRARY_SCREEN": style.rawValue])
    #expect((run.status, run.errors) == (0, ""))
    #expect(run.output.contains("> tap borrow-nothing\nerror: "))
    let after = Store(try JSONDecoder().decode(Snapshot.self, from: Data(contentsOf: file)))
    let there = try #require(after.object(Member.self, primaryKey: member.id))
    #expect(there.borrowed.map(\.title) == ["Neuromancer", "Snow Crash"])
    try library.borrow(isbn: "0441569595", for: member.id)
    try library.borrow(isbn: "0553380958", for: member.id)
    #expect(after.snapshot().changes(to: store.snapshot()).isEmpty)
  }

  @Test func `without a snapshot it begins with a sample`() async throws {
    let run = try await run(["tap borrow-0441569595", "undo"], [:])
    #expect(run.status == 0)
    #expect(run.output.contains("> undo\nAvailable: 3\n"))
  }

  @Test func `a file that is not there begins a new library, and gets it`() async throws {
    let file = temporaryFile()
    defer { try? FileManager.default.removeItem(at: file) }
    for (lines, borrowed) in [
      (["tap Borrow Neuromancer", "quit", "undo"], 1), (["tap Return Neuromancer"], 0),
    ] {
      let run = try await run(lines, ["LIBRARY_SNAPSHOT": file.path()])
      #expect((run.status, run.errors) == (0, ""))
      let store = Store(try JSONDecoder().decode(Snapshot.self, from: Data(contentsOf: file)))
      #expect(store.results(Member.self).first?.borrowed.count == borrowed)
    }
  }

  @Test func `a file that can't be written is told in a line`() async throws {
    let run = try await run([], ["LIBRARY_SNAPSHOT": "/no/such/file"])
    #expect(run.status == 73)
    #expect(run.errors == "library: can't write /no/such/file: No such file or directory\n")
  }

  @Test func `a file that is no snapshot is named, and left as it is`() async throws {
    let file = temporaryFile()
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("no snapshot".utf8).write(to: file)
    let run = try await run(["tap x"], ["LIBRARY_SNAPSHOT": file.path()])
    #expect(run.status == 65)
    #expect(
      run.errors == "library: can't read \(file.path()): The given data was not valid JSON.\n")
    #expect(try String(contentsOf: file, encoding: .utf8) == "no snapshot")
  }

  @Test func `an unknown screen is named beside those there are`() async throws {
    let run = try await run([], ["LIBRARY_SCREEN": "cards"])
    #expect(run.status == 64)
    #expect(
      run.errors.hasPrefix("library: there is no screen \"cards\": objects, projection, values; "))
  }
}
