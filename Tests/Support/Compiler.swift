import Foundation
import Testing

/// The compiler, asked about snippets that use the module under test.
package enum Compiler {
  package static func expectCompiles(_ source: String) throws {
    let (status, output) = try compile(source)
    #expect(status == 0, "\(output)")
  }

  package static func expectFails(_ source: String, _ message: String) throws {
    let (status, output) = try compile(source)
    #expect(status != 0, "it compiles")
    #expect(output.contains("error: ") && output.contains(message), "\(output)")
  }

  private static func compile(_ source: String) throws -> (Int32, String) {
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
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let thread = root.appending(path: "Sources/CSignalsThread/include").path
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
