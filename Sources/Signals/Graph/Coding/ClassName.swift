// How a class is named where it is not at hand: in a change set that was sent to another process.
//
// State: `met`, the classes this process has used so far, by symbol; behind a lock, since names are decoded
// in any isolation domain. An extent adds its class, once per store and class.

/// The name of a class: readable, and so that the class can be found again.
package struct ClassName: Hashable, Sendable {
  /// As the source has it: `Book`.
  package let name: String
  /// The mangled name; for a private class, which has none that holds elsewhere, its path: `App.Book`.
  package let symbol: String

  private static let met = Locked<[String: [Object.Type]]>([:])
  /// A longer symbol is not looked up: the runtime's reader of symbols recurses.
  private static let longestSymbol = 1000

  /// Names a class, and remembers it.
  ///
  /// A private class is looked up among the remembered ones, and nowhere else.
  package init(_ type: Object.Type) {
    name = String(describing: type)
    if let symbol = _mangledTypeName(type), Self.isMangled(symbol) {
      self.symbol = symbol
    } else {
      symbol = Self.path(of: type)
    }
    let symbol = symbol
    Self.met.withLock { met in
      if !(met[symbol]?.contains { $0 == type } ?? false) { met[symbol, default: []].append(type) }
    }
  }

  /// Takes a name as somebody has written it down.
  package init(name: String, symbol: String) {
    self.name = name
    self.symbol = symbol
  }

  /// The class of that name, or nil if this process has none, or several private ones.
  ///
  /// Whatever the symbol says, the answer is a subclass of `Object`.
  package var type: Object.Type? {
    if let met = Self.met.withLock({ $0[symbol] }) { return met.count == 1 ? met[0] : nil }
    guard Self.isMangled(symbol), let type = _typeByName(symbol) as? Object.Type else { return nil }
    // The runtime also understands symbols that it would not write itself.
    return _mangledTypeName(type) == symbol ? type : nil
  }

  /// Whether another process, that has not met the class yet, finds it by its name.
  var canBeFound: Bool { Self.isMangled(symbol) }

  /// Whether a symbol can be given to the runtime: private classes are named by their address there,
  /// and that is what a hostile symbol could do too.
  private static func isMangled(_ symbol: String) -> Bool {
    (1...longestSymbol).contains(symbol.utf8.count)
      && symbol.utf8.allSatisfy { letter in
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// `App.(unknown context at $55d0).Book` without the address.
  private static func path(of type: Object.Type) -> String {
    let full = String(reflecting: type)
    var path = ""
    var depth = 0
    for letter in full {
      switch letter {
      case "(": depth += 1
      case ")": depth -= 1
      default: if depth == 0 { path.append(letter) }
      }
    }
    return path
  }
}

extension ClassName: Codable {
  private enum CodingKeys: CodingKey { case name, symbol }

  /// Decodes a name, or takes that of the class which the decoder was told has it now.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let encoded = ClassName(
      name: try container.decode(String.self, forKey: .name),
      symbol: try container.decode(String.self, forKey: .symbol))
    let known = decoder.userInfo[.renamedClasses] as? [String: Object.Type] ?? [:]
    // What still has its name goes first, as among properties.
    if let type = known[encoded.name], encoded.type == nil {
      self.init(type)
    } else {
      self = encoded
    }
  }
}

extension CodingUserInfoKey {
  /// Where a decoder is told what classes are called now: a `[String: Object.Type]` by the names they had.
  ///
  /// A class that was moved to another module, or into another type, has another name, and what was encoded before
  /// can't be decoded: ``GraphDecodingError/Reason/unknownClass``. Here stands, for a ``Snapshot``, a ``ChangeSet``
  /// or an ``IntentLog``, which class it is now; the name is that of the source, without its module. A class that
  /// this process finds as it was encoded is that, whatever stands here. Renamed properties are what
  /// ``Object/renamed`` is for.
  ///
  /// ```swift
  /// let decoder = JSONDecoder()
  /// decoder.userInfo[.renamedClasses] = ["Todo": Item.self]
  /// let store = Store(try decoder.decode(Snapshot.self, from: data))
  /// ```
  public static var renamedClasses: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "Signals.renamedClasses") else {
      trap("this coding library takes no keys")
    }
    return key
  }
}
