// Names of classes in encoded data, such as a change set that is sent to another process.

/// The readable name of a class, with a symbol by which the class can be found again.
package struct ClassName: Hashable, Sendable {
  /// The name in the source: `Book`.
  package let name: String
  /// The mangled name of the class, or the path of a private class: `App..Book`.
  ///
  /// A private class has no mangled name that is valid in another process.
  package let symbol: String

  /// The classes that this process has used so far, by symbol.
  ///
  /// It has a lock, because names are decoded in any isolation domain. A table adds its class, once
  /// for each store and class.
  private static let met = Locked<[String: [Object.Type]]>([:])
  /// Longer symbols aren't looked up, because the runtime parses symbols recursively.
  private static let longestSymbol = 1000

  /// Creates the name of a class, and remembers the class.
  ///
  /// A private class can only be found among the remembered ones.
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

  /// Creates a name from its encoded parts.
  package init(name: String, symbol: String) {
    self.name = name
    self.symbol = symbol
  }

  /// The class with this name, or `nil` if this process has none, or several private ones.
  ///
  /// Whatever the symbol is, only `Object` and its subclasses are found.
  package var type: Object.Type? {
    if let met = Self.met.withLock({ $0[symbol] }) { return met.count == 1 ? met[0] : nil }
    guard Self.isMangled(symbol), let type = _typeByName(symbol) as? Object.Type else { return nil }
    // The runtime also accepts symbols that it wouldn't produce itself.
    return _mangledTypeName(type) == symbol ? type : nil
  }

  /// Whether another process that hasn't used the class yet can find it by this name.
  var canBeFound: Bool { Self.isMangled(symbol) }

  /// Returns whether a symbol may be passed to the runtime.
  ///
  /// The runtime's symbols of private classes contain addresses, and a hostile symbol could contain
  /// one too.
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

  /// Returns the path of a private class without its address.
  ///
  /// `App.(unknown context at $55d0).Book` becomes `App..Book`.
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

  /// Decodes a name.
  ///
  /// If this process has no class with the name, but the decoder's
  /// ``CodingUserInfoKey/renamedClasses`` have one, the result is the name of that class.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let encoded = ClassName(
      name: try container.decode(String.self, forKey: .name),
      symbol: try container.decode(String.self, forKey: .symbol))
    let known = decoder.userInfo[.renamedClasses] as? [String: Object.Type] ?? [:]
    // A class that still has its name takes precedence, as with renamed properties.
    if let type = known[encoded.name], encoded.type == nil {
      self.init(type)
    } else {
      self = encoded
    }
  }
}

extension CodingUserInfoKey {
  /// The key for a `[String: Object.Type]` that maps former class names to current classes.
  ///
  /// A class that was renamed, or moved to another module or into another type, has another name.
  /// Data that was encoded before can't be decoded: ``GraphDecodingError/Reason/unknownClass``. To
  /// decode such a ``Snapshot``, ``ChangeSet`` or `IntentLog`, map the former name, as in the
  /// source and without its module, to the current class. If this process has a class with the
  /// encoded name, that class is used, whatever the dictionary contains. For renamed properties,
  /// use ``Object/renamed``.
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
