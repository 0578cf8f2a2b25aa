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
  private func run(
    _ intents: [String], _ environment: [String: String], arguments: [String] = []
  ) async throws -> Run {
    let process = Process()
    let directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = directory.appending(path: "library")
    (process.environment, process.arguments) = (environment, arguments)
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
    let after = try StoreFile(at: path, version: Library.version).store
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
      let file = try StoreFile(at: path, version: Library.version)
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

  @Test func `a file of the version without loans is migrated, once`() async throws {
    let path = temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try StoreFile(at: path)
    let (library, member) = try Library.sample(in: file.store)
    let out = try library.borrow(isbn: "0441569595", for: member.id)
    // As if it had never been counted.
    out.loans = 0
    try await file.close()
    for loans in [1, 2] {
      let run = try await run(
        loans == 1 ? [] : ["tap Return Neuromancer", "tap Borrow Neuromancer"],
        ["LIBRARY_STORE": path])
      #expect((run.status, run.errors) == (0, ""))
      let migrated = try StoreFile(at: path, version: Library.version)
      let counts = migrated.store.results(Book.self).sorted(by: \.title).map(\.loans)
      #expect(counts == [loans, 0, 0])
      try await migrated.close()
    }
    #expect(throws: StoreFileError.self) { try StoreFile(at: path) }
  }

  @Test func `a copy is a file of its own, and needs a name that is free`() async throws {
    let (path, copy) = (temporaryFile(), temporaryFile())
    defer { for path in [path, copy] { try? FileManager.default.removeItem(atPath: path) } }
    let first = try await run(
      ["tap Borrow Neuromancer", "save \(copy)", "tap Return Neuromancer", "save \(copy)"],
      ["LIBRARY_STORE": path])
    #expect((first.status, first.errors) == (0, ""))
    #expect(first.output.contains("\nsaved to \(copy)\n"))
    #expect(first.output.contains("> save \(copy)\nerror: "))
    let second = try await run([], ["LIBRARY_STORE": copy])
    #expect((second.status, second.errors) == (0, ""))
    #expect(second.output.contains("Borrowed by Case: 1\n"))
    let memory = try await run(["save \(copy)"], [:])
    #expect(memory.output.contains("error: the store is in memory, and in no file\n"))
  }

  @Test func `a damaged file is recovered, and each loss is reported`() async throws {
    let (path, recovered) = (temporaryFile(), temporaryFile())
    defer { for path in [path, recovered] { try? FileManager.default.removeItem(atPath: path) } }
    let log = URL(filePath: path).appending(path: "store.log")
    var ends: [Int] = []
    for lines in [[], ["tap Borrow Neuromancer"], ["tap Borrow Snow Crash"]] {
      _ = try await run(lines, ["LIBRARY_STORE": path])
      ends.append(try Data(contentsOf: log).count)
    }
    var bytes = try Data(contentsOf: log)
    // In the commit of the first loan: those before and after it are intact.
    bytes[(ends[0] + ends[1]) / 2] ^= 1
    try bytes.write(to: log)
    let refused = try await run([], ["LIBRARY_STORE": path])
    #expect(refused.status == 65)
    let recovery = try await run([], ["LIBRARY_STORE": path], arguments: ["--recover", recovered])
    #expect((recovery.status, recovery.errors) == (0, ""))
    #expect(recovery.output.hasPrefix("recovered to \(recovered): 5 objects\nlost in store.log, "))
    #expect(try Data(contentsOf: log) == bytes)
    let opened = try await run([], ["LIBRARY_STORE": recovered])
    #expect((opened.status, opened.errors) == (0, ""))
    #expect(opened.output.contains("Available: "))
    let again = try await run([], ["LIBRARY_STORE": path], arguments: ["--recover", recovered])
    #expect(again.status == 73)
    let nothing = try await run([], [:], arguments: ["--recover", recovered])
    #expect(nothing.status == 64)
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
