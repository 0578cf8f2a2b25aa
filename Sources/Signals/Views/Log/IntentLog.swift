/// What a host was asked to do, and what that changed: a value that can be written down and done again.
///
/// - It has an entry for each intent that came from outside, refused ones included, and one for each commit that no
///   intent made. What intents, observers and the lives of views set off in turn is part of the entry it belongs to.
/// - A synchronous intent's changes are those of all commits until it returned, as one. An async one's are those
///   that came while it was the last entry and alone under way; others are entries of their own.
/// - It is of the host's own store; what happens to other stores, signals and `@State` is in no change set.
///
/// A host keeps one if it is given one, see ``ViewHost/intentLog``; ``ViewHost/replay(_:performing:)`` does it again.
///
/// ```swift
/// host.intentLog = IntentLog(start: store.snapshot())
/// try host.perform("borrow-0441569595")
/// let report = try JSONEncoder().encode(host.intentLog)
/// ```
public struct IntentLog: Codable, Equatable, Sendable {
  /// What the store had when the log began, if that was asked for.
  public var start: Snapshot?
  /// What happened since, in order.
  public var entries: [Entry] = []

  /// Creates an empty log, with what the store has now if it shall be replayed by itself.
  public init(start: Snapshot? = nil) { self.start = start }

  /// One intent, or one commit that no intent made.
  public struct Entry: Equatable, Sendable {
    /// What was asked: the kind and label of an element, a key, the name of an intent, or `commit`.
    public var name: String
    /// The id of the element, if there was one.
    public var element: String?
    /// What was done with it; nil for an intent of the app's own, and for a commit.
    public var input: ElementInput?
    /// Whether the intent was asynchronous.
    public var isAsync = false
    /// What was changed.
    public var changes = ChangeSet()
    /// What was thrown, if that is how it ended.
    public var error: String?
    /// How long it took until all that it set off had run, frames included; encoded in nanoseconds.
    public var duration = Duration.zero
  }
}

extension IntentLog: CustomStringConvertible {
  /// Each entry on a line, with what it changed below.
  public var description: String {
    entries.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: "\n")
  }
}

extension IntentLog.Entry: CustomStringConvertible {
  /// What was asked, how it ended and how long it took, and a line for each thing that changed.
  public var description: String {
    var line = title
    if let error { line += ": \(error)" }
    line += " (\(nanoseconds / 1000) µs)"
    return changes.isEmpty ? line : "\(line)\n\(changes)"
  }

  /// What was asked.
  package var title: String {
    var title = name
    if let element { title += " #\(element)" }
    switch input {
    case .text(let text): title += " = \(text.debugDescription)"
    case .flag(let isOn): title += " = \(isOn)"
    case .choice(let option): title += " = \(option)"
    case .move(let offsets, let destination): title += " moves \(offsets) to \(destination)"
    case .submit: title += " submits"
    case .tap, .key, nil: break
    }
    return title
  }

  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

extension IntentLog.Entry: Codable {
  private enum CodingKeys: CodingKey {
    case name, element, input, isAsync, changes, error, nanoseconds
  }

  /// Decodes an entry, whose classes this process must have.
  ///
  /// Throws what the decoder does, and what ``ChangeSet`` throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    element = try container.decodeIfPresent(String.self, forKey: .element)
    input = try container.decodeIfPresent(ElementInput.self, forKey: .input)
    isAsync = try container.decodeIfPresent(Bool.self, forKey: .isAsync) ?? false
    changes = try container.decode(ChangeSet.self, forKey: .changes)
    error = try container.decodeIfPresent(String.self, forKey: .error)
    duration = .nanoseconds(try container.decode(Int64.self, forKey: .nanoseconds))
  }

  /// Encodes the entry.
  ///
  /// Throws what the encoder or a value does.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(element, forKey: .element)
    try container.encodeIfPresent(input, forKey: .input)
    if isAsync { try container.encode(true, forKey: .isAsync) }
    try container.encode(changes, forKey: .changes)
    try container.encodeIfPresent(error, forKey: .error)
    try container.encode(nanoseconds, forKey: .nanoseconds)
  }
}

extension ElementInput: Codable {
  private enum CodingKeys: CodingKey { case tap, text, flag, choice, submit, move, to, key }

  /// Decodes an input from an object with one key, as in `{"text": "Emma"}`.
  ///
  /// Throws what the decoder does.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch container.allKeys.first(where: { $0.stringValue != CodingKeys.to.stringValue }) {
    case .tap: self = .tap
    case .text: self = .text(try container.decode(String.self, forKey: .text))
    case .flag: self = .flag(try container.decode(Bool.self, forKey: .flag))
    case .choice: self = .choice(try container.decode(String.self, forKey: .choice))
    case .submit: self = .submit
    case .move:
      self = .move(
        try container.decode([Int].self, forKey: .move),
        toOffset: try container.decode(Int.self, forKey: .to))
    case .key: self = .key(try container.decode(KeyPress.self, forKey: .key))
    case .to, nil:
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "it is no input of an element"))
    }
  }

  /// Encodes the input.
  ///
  /// Throws what the encoder does.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .tap: try container.encode(true, forKey: .tap)
    case .text(let text): try container.encode(text, forKey: .text)
    case .flag(let isOn): try container.encode(isOn, forKey: .flag)
    case .choice(let option): try container.encode(option, forKey: .choice)
    case .submit: try container.encode(true, forKey: .submit)
    case .move(let offsets, let destination):
      try container.encode(offsets, forKey: .move)
      try container.encode(destination, forKey: .to)
    case .key(let key): try container.encode(key, forKey: .key)
    }
  }
}
