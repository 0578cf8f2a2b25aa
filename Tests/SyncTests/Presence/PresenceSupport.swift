import SignalsSync
import Testing

extension PresenceTable {
  /// A table with a window of 10 s, so that a device expires after 30.
  static func forTest(
    run: UInt64 = 1, limits: PresenceLimits = PresenceLimits()
  ) -> PresenceTable {
    PresenceTable(window: .seconds(10), limits: limits, run: run)
  }

  /// Ends the current batch, which isn't empty.
  mutating func nextDifference(
    for audience: Audience = .views, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> PresenceDifference {
    let difference = takeDifference(for: audience)
    return try #require(difference, sourceLocation: sourceLocation)
  }
}

extension PresentUsers {
  /// The names of the users, sorted.
  var names: [String] { map(\.user).sorted() }

  /// The payloads by name, as text.
  var texts: [String: String] {
    [String: String](
      uniqueKeysWithValues: map { ($0.user, String(decoding: $0.payload, as: UTF8.self)) })
  }
}

extension PresenceChanges {
  /// The changes as text, sorted.
  var lines: [String] {
    let lines =
      joined.map { "+\($0.line)" } + left.map { "-\($0)" } + updated.map { "~\($0.line)" }
    return lines.sorted()
  }
}

extension PresentUser {
  fileprivate var line: String {
    payload.isEmpty ? user : "\(user)=\(String(decoding: payload, as: UTF8.self))"
  }
}

extension PresenceView.Outcome {
  /// The lines of the changes if they were applied.
  var lines: [String]? {
    if case .applied(let changes) = self { changes.lines } else { nil }
  }
}

extension [UInt8] {
  /// The bytes of a text.
  static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
}
