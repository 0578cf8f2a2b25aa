// The encoded form of an element's inputs.

extension ElementInput: Codable {
  private enum CodingKeys: CodingKey { case tap, text, flag, choice, submit, move, to, key }

  /// Decodes an input from an object with one key, as in `{"text": "Emma"}`.
  ///
  /// - Throws: The errors of the decoder, and an error if there isn't exactly one key.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let keys = container.allKeys.filter { $0.stringValue != CodingKeys.to.stringValue }
    switch keys.count == 1 ? keys[0] : nil {
    case .tap:
      try ElementInput.checkFlag(.tap, in: container)
      self = .tap
    case .text: self = .text(try container.decode(String.self, forKey: .text))
    case .flag: self = .flag(try container.decode(Bool.self, forKey: .flag))
    case .choice: self = .choice(try container.decode(String.self, forKey: .choice))
    case .submit:
      try ElementInput.checkFlag(.submit, in: container)
      self = .submit
    case .move:
      self = .move(
        try container.decode([Int].self, forKey: .move),
        toOffset: try container.decode(Int.self, forKey: .to))
    case .key: self = .key(try container.decode(KeyPress.self, forKey: .key))
    case .to, nil:
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription:
            "an input of an element has one key: tap, text, flag, choice, submit, key, or move with to"
        ))
    }
  }

  /// Checks that the key of an input without a value has the value `true`.
  private static func checkFlag(
    _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>
  ) throws {
    if try container.decode(Bool.self, forKey: key) { return }
    throw DecodingError.dataCorruptedError(
      forKey: key, in: container, debugDescription: "it stands with true, or not at all")
  }

  /// Encodes the input.
  ///
  /// - Throws: The errors of the encoder.
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
