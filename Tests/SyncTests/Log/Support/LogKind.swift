import Foundation
import SignalsSync
import SignalsTesting

/// The logs that must satisfy the contract of ``ChangeLog``.
enum LogKind: String, CaseIterable, CustomTestStringConvertible {
  case inProcess, fileEach, fileInterval, simulatedEach, simulatedInterval

  var testDescription: String { rawValue }

  static let files: [LogKind] = [.fileEach, .fileInterval]

  var durability: FileLog.Durability {
    switch self {
    case .fileInterval, .simulatedInterval: .interval(.milliseconds(20))
    default: .each
    }
  }

  /// The logs in files.
  static let fileLogs = allCases.filter { $0 != .inProcess }

  /// Runs a test with a new log, whose files are removed afterwards.
  func withLog(_ body: (any ChangeLog) async throws -> Void) async throws {
    if self == .inProcess { return try await body(InProcessLog()) }
    try await withFileLog { try await body($0) }
  }

  /// Runs a test with a new log in files, which are removed afterwards.
  func withFileLog(_ body: (FileLog) async throws -> Void) async throws {
    switch self {
    case .simulatedEach, .simulatedInterval:
      try await body(
        FileLog(at: "/log", durability: durability, files: SimulatedFiles()))
    default:
      try await withDirectory { path in
        try await body(FileLog(at: path, durability: durability))
      }
    }
  }

  /// Runs a test with the path of a directory that doesn't exist yet, and is removed afterwards.
  static func withDirectory(_ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("signals-log-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }

  func withDirectory(_ body: (String) async throws -> Void) async throws {
    try await Self.withDirectory(body)
  }
}

/// The content of the entry at a position, of a length that varies.
func content(_ position: Int) -> [UInt8] { LogScenario.content(position) }

/// The contents of the entries of a range of positions.
func contents(_ range: Range<Int>) -> [[UInt8]] { LogScenario.contents(range) }

/// The head of a log whose entries have the contents of their positions.
func head(at position: Int) -> LogHead { LogScenario.head(at: position) }
