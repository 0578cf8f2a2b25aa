// The encoded form of a log. Default values are left out. So are the total changes of an entry if
// they are the sum of its commits.

import Signals

extension IntentLog: Codable {
  private enum CodingKeys: CodingKey { case start, entries, keepsScreens }

  /// Decodes a log, all of whose classes must exist in this process.
  ///
  /// - Throws: The errors of the decoder, and those of decoding a `Snapshot` or `ChangeSet`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    start = try container.decodeIfPresent(Snapshot.self, forKey: .start)
    entries = try container.decode([Entry].self, forKey: .entries)
    keepsScreens = try container.decodeIfPresent(Bool.self, forKey: .keepsScreens) ?? false
  }

  /// Encodes the log.
  ///
  /// - Throws: The errors of the encoder and of the values.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(start, forKey: .start)
    try container.encode(entries, forKey: .entries)
    if keepsScreens { try container.encode(true, forKey: .keepsScreens) }
  }
}

extension IntentLog.Entry: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, element, place, input, begins, ends, commit, focus, signal, changes, commits
    case error, frame, rows, screen, nanoseconds
    case isSameBatch
  }

  /// Decodes an entry, all of whose classes must exist in this process.
  ///
  /// - Throws: The errors of the decoder, and those of decoding a `ChangeSet`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    kind = try IntentLog.Entry.kind(in: container)
    name = try container.decode(String.self, forKey: .name)
    element = try container.decodeIfPresent(String.self, forKey: .element)
    place = try container.decodeIfPresent([Int].self, forKey: .place)
    input = try container.decodeIfPresent(ElementInput.self, forKey: .input)
    isSameBatch = try container.decodeIfPresent(Bool.self, forKey: .isSameBatch) ?? false
    commits = try container.decodeIfPresent([IntentLog.Commit].self, forKey: .commits) ?? []
    changes =
      try container.decodeIfPresent(ChangeSet.self, forKey: .changes)
      ?? ChangeSet.sum(of: commits.map(\.changes))
    error = try container.decodeIfPresent(String.self, forKey: .error)
    rows = try container.decodeIfPresent([[Range<Int>]].self, forKey: .rows)
    screen = try container.decodeIfPresent(String.self, forKey: .screen)
    duration = .nanoseconds(try container.decode(Int64.self, forKey: .nanoseconds))
    // As text, because many JSON readers have no 64-bit integers.
    if let text = try container.decodeIfPresent(String.self, forKey: .frame) {
      guard let number = UInt64(text, radix: 16) else {
        throw DecodingError.dataCorruptedError(
          forKey: .frame, in: container, debugDescription: "it is no number of a frame")
      }
      frame = number
    }
  }

  private static func kind(in container: KeyedDecodingContainer<CodingKeys>) throws
    -> IntentLog.Kind
  {
    let said = [CodingKeys.begins, .ends, .commit, .focus, .signal].filter(container.contains)
    guard let key = said.first else { return .intent }
    if said.count > 1 {
      throw DecodingError.dataCorruptedError(
        forKey: said[1], in: container, debugDescription: "it is of two kinds")
    }
    switch key {
    case .commit: return .commit
    case .focus: return .focus
    case .signal: return .signal
    default:
      let number = try container.decode(Int.self, forKey: key)
      return key == .begins ? .beginning(number) : .end(number)
    }
  }

  /// Encodes the entry.
  ///
  /// - Throws: The errors of the encoder and of the values.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch kind {
    case .intent: break
    case .beginning(let number): try container.encode(number, forKey: .begins)
    case .end(let number): try container.encode(number, forKey: .ends)
    case .commit: try container.encode(true, forKey: .commit)
    case .focus: try container.encode(true, forKey: .focus)
    case .signal: try container.encode(true, forKey: .signal)
    }
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(element, forKey: .element)
    try container.encodeIfPresent(place, forKey: .place)
    try container.encodeIfPresent(input, forKey: .input)
    if isSameBatch { try container.encode(true, forKey: .isSameBatch) }
    if !commits.isEmpty { try container.encode(commits, forKey: .commits) }
    if changes != ChangeSet.sum(of: commits.map(\.changes)) {
      try container.encode(changes, forKey: .changes)
    }
    try container.encodeIfPresent(error, forKey: .error)
    try container.encodeIfPresent(frame.map { String($0, radix: 16) }, forKey: .frame)
    try container.encodeIfPresent(rows, forKey: .rows)
    try container.encodeIfPresent(screen, forKey: .screen)
    try container.encode(nanoseconds, forKey: .nanoseconds)
  }
}

extension IntentLog.Commit: Codable {
  private enum CodingKeys: CodingKey { case changes, kind }

  /// Decodes a commit, all of whose classes must exist in this process.
  ///
  /// - Throws: The errors of the decoder, and those of decoding a `ChangeSet`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    changes = try container.decode(ChangeSet.self, forKey: .changes)
    kind = try container.decodeIfPresent(StoreCommit.Kind.self, forKey: .kind) ?? .undoable
  }

  /// Encodes the commit.
  ///
  /// - Throws: The errors of the encoder and of the values.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(changes, forKey: .changes)
    if kind != .undoable { try container.encode(kind, forKey: .kind) }
  }
}
