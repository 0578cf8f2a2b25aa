/// The addresses of the screens that lead to the present one, which is the last.
public struct AddressStack: Hashable, Sendable, LosslessStringConvertible {
  /// The addresses, at least one.
  public private(set) var addresses: [ScreenAddress] = [.first]

  /// Creates the stack of the first screen.
  public init() {}

  /// Creates a stack from its description.
  ///
  /// - Parameter description: Addresses, with blanks between them.
  /// - Returns: `nil` if there is none, or one of them is no address.
  public init?(_ description: String) {
    let texts = description.split(separator: " ")
    let addresses = texts.compactMap { ScreenAddress(String($0)) }
    guard !addresses.isEmpty, addresses.count == texts.count else { return nil }
    self.addresses = addresses
  }

  /// The addresses, with blanks between them.
  public var description: String { addresses.map(\.description).joined(separator: " ") }

  /// The address of the present screen.
  public var present: ScreenAddress { addresses[addresses.count - 1] }

  /// Whether there is a screen to return to.
  public var canGoBack: Bool { addresses.count > 1 }

  /// Shows another screen above the present one, unless it is the present one.
  mutating func open(_ address: ScreenAddress) {
    if address != present { addresses.append(address) }
  }

  /// Shows a screen: by going back to it if it is in the stack, otherwise as the next one.
  mutating func show(_ address: ScreenAddress) {
    if let last = addresses.lastIndex(of: address) {
      addresses.removeSubrange((last + 1)...)
    } else {
      addresses.append(address)
    }
  }

  /// Returns to the screen before the present one, if there is one.
  mutating func goBack() { if canGoBack { addresses.removeLast() } }
}

extension AddressStack: Codable {
  /// Decodes a stack from its description.
  ///
  /// - Throws: The errors of the decoder, and an error if it is no description of a stack.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let stack = AddressStack(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text.debugDescription) has no addresses of screens")
    }
    self = stack
  }

  /// Encodes the description.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
