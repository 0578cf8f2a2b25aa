// The contract of logs.
//
// A scenario begins with a log without entries, and uses it as a server does.

public import SignalsSync
public import Testing

/// Something that every log does, which a server needs.
///
/// The scenarios are the contract of `ChangeLog`: a log that passes them can keep the facts of a
/// `SyncServer`. They can't prove that entries survive a crash.
///
/// ```swift
/// @Suite struct `My log` {
///   @Test(arguments: LogScenario.all)
///   func scenario(_ scenario: LogScenario) async throws {
///     let log = MyLog()
///     try await scenario.check(log)
///     try await log.close()
///   }
/// }
/// ```
public struct LogScenario: Sendable, CustomTestStringConvertible {
  /// The guarantee that the scenario proves, as a sentence.
  public let name: String
  private let script: @Sendable (any ChangeLog) async throws -> Void

  /// All scenarios.
  public static let all = appending + truncating + concurrent

  /// The name of the scenario.
  public var testDescription: String { name }

  init(_ name: String, script: @escaping @Sendable (any ChangeLog) async throws -> Void) {
    (self.name, self.script) = (name, script)
  }

  /// Goes through the scenario, and reports differences as issues of the running test.
  ///
  /// - Parameter log: A log without entries.
  /// - Throws: An error of the log that the scenario doesn't expect.
  public nonisolated(nonsending) func check(_ log: some ChangeLog) async throws {
    try await script(log)
  }
}

extension LogScenario {
  /// The partition of most scenarios.
  static let partition: Partition = "conversation=42"

  /// Returns the content of the entry at a position, of a length that varies.
  package static func content(_ position: Int) -> [UInt8] {
    Array("\(position):".utf8) + (0..<(position * 37 % 61)).map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Returns the contents of the entries of a range of positions.
  package static func contents(_ range: Range<Int>) -> [[UInt8]] { range.map(content) }

  /// Returns the head of a log whose entries have the contents of their positions.
  package static func head(at position: Int) -> LogHead {
    (0..<position).reduce(.start) { $0.after(content($1)) }
  }
}

extension ChangeLog {
  /// Returns all entries from a position on.
  package func all(
    of partition: Partition, from position: LogPosition = .start
  ) async throws(ChangeLogError) -> [LogEntry] {
    var entries: [LogEntry] = []
    var position = position
    while true {
      let batch = try await self.entries(of: partition, from: position, limit: 1_000)
      guard let last = batch.last else { return entries }
      entries += batch
      position = last.position.advanced(by: 1)
    }
  }
}
