import Foundation
import Testing

/// What must not compile: publishers and what belongs to them stay in one isolation domain.
@Suite struct `Publishers, what the compiler refuses` {
  @Test func `a program that follows the rules compiles`() throws {
    try expectCompiles(
      """
      @MainActor func run() async {
        let subject = Subject<Int, Never>()
        let token = subject.map { $0 + 1 }.debounce(for: .seconds(1)).sink { print($0) }
        subject.send(1)
        let task = Task { for await value in subject.values(buffering: .unbounded) { print(value) } }
        task.cancel()
        token.cancel()
      }
      func hand() { let subject = Subject<Int, Never>(); Task.detached { subject.send(1) } }
      """)
  }

  @Test func `a subject is not shared with another domain`() throws {
    try expectFails(
      """
      func run() {
        let subject = Subject<Int, Never>()
        Task.detached { subject.send(1) }
        subject.send(2)
      }
      """, "sending value of non-Sendable type '() async -> ()' risks causing data races")
  }

  @Test func `a pipeline of the main actor does not leave it`() throws {
    try expectFails(
      """
      @MainActor final class Model {
        let subject = Subject<Int, Never>()
        func run() { let publisher = subject.map { $0 + 1 }; Task.detached { _ = publisher.sink { _ in } } }
      }
      """, "risks causing data races")
  }

  @Test func `the values of a publisher are iterated in its domain`() throws {
    try expectFails(
      """
      @MainActor final class Model {
        let subject = Subject<Int, Never>()
        func run() {
          let values = subject.values(buffering: .unbounded)
          Task.detached { for await value in values { print(value) } }
        }
      }
      """, "risks causing data races")
  }

  @Test func `a token is not cancelled from elsewhere`() throws {
    try expectFails(
      """
      func run(_ signal: Signal<Int>) {
        let token = signal.publisher.sink { _ in }
        Task.detached { token.cancel() }
      }
      """, "risks causing data races")
  }

  @Test func `an asynchronous sequence of values that can't cross is not published`() throws {
    try expectFails(
      """
      final class Box { var value = 0 }
      @MainActor func run(_ stream: AsyncStream<Box>) { _ = stream.publisher() }
      """, "type 'Box' does not conform to the 'Sendable' protocol")
  }

  @Test func `a publisher that can fail needs somebody for its failure`() throws {
    try expectFails(
      """
      struct Fault: Error {}
      func run() { _ = Subject<Int, Fault>().sink { print($0) } }
      """, "'Fault'")
  }

  // MARK: - The compiler

  private func expectCompiles(_ source: String) throws {
    let (status, output) = try compile(source)
    #expect(status == 0, "\(output)")
  }

  private func expectFails(_ source: String, _ message: String) throws {
    let (status, output) = try compile(source)
    #expect(status != 0, "it compiles")
    #expect(output.contains("error: ") && output.contains(message), "\(output)")
  }

  private func compile(_ source: String) throws -> (Int32, String) {
    let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let compiler = try #require(
      paths.map { URL(filePath: "\($0)/swiftc") }.first {
        FileManager.default.isExecutableFile(atPath: $0.path)
      }, "swiftc is not in PATH: these tests need it")
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let modules = products.appending(path: "Modules")
    try #require(
      FileManager.default.fileExists(atPath: modules.appending(path: "Signals.swiftmodule").path),
      "the module Signals is not in \(modules.path)")
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "snippet.swift")
    try Data("import Signals\n\(source)\n".utf8).write(to: file)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let thread = root.appending(path: "Sources/SignalsThread/include").path
    let process = Process()
    process.executableURL = compiler
    process.arguments = [
      "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library", "-module-name",
      "Snippet", "-I", modules.path, "-Xcc", "-I\(thread)", file.path,
    ]
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
