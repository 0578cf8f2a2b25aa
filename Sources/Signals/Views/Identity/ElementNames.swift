// How elements are identified in their scope, and scopes in their parents: by strings in which
// characters with a special meaning in paths are percent-encoded.

/// Names the elements of one scope, in their order.
///
/// State: `counts`, the number of elements so far with each name.
struct ElementNames {
  private var counts: [String: Int] = [:]

  /// Returns the name of the next element.
  private mutating func next(_ element: DrawnElement) -> String {
    let name = element.id.map(PathText.escape) ?? ".\(PathText.escape(element.kind.name))"
    return PathText.numbered(name, as: counts[name, default: 0].increment())
  }

  /// Calls `body` with each drawn element of a scope and its name, parents before their children.
  static func forEach(in elements: [Element], _ body: (DrawnElement, String) -> Void) {
    var names = ElementNames()
    names.forEach(in: elements, body)
  }

  private mutating func forEach(in elements: [Element], _ body: (DrawnElement, String) -> Void) {
    for element in elements {
      guard case .drawn(let drawn)? = element.content else { continue }
      body(drawn, next(drawn))
      forEach(in: drawn.children, body)
    }
  }
}

extension ElementNames {
  /// Returns the elements of a scope, with the named ones marked as busy.
  static func marking(_ busy: [String: Int], in elements: [Element]) -> [Element] {
    var names = ElementNames()
    return names.marking(busy, in: elements) ?? elements
  }

  /// Returns nil if none of the elements is busy, because then they are unchanged.
  private mutating func marking(_ busy: [String: Int], in elements: [Element]) -> [Element]? {
    var marked: [Element]?
    for (position, element) in elements.enumerated() {
      guard case .drawn(let drawn)? = element.content else { continue }
      let isBusy = busy[next(drawn)] != nil
      let children = marking(busy, in: drawn.children)
      guard isBusy || children != nil else { continue }
      marked = marked ?? elements
      let isRefused = if isBusy, case .asyncTap(_, .refused) = drawn.action { true } else { false }
      marked?[position] = Element(
        .drawn(
          drawn.with(isEnabled: isRefused ? false : nil, isBusy: isBusy, children: children)))
    }
    return marked
  }
}

extension Int {
  /// Adds one, and returns the previous value.
  fileprivate mutating func increment() -> Int {
    self += 1
    return self - 1
  }
}

/// Escapes the strings that paths consist of.
enum PathText {
  /// Returns the text with percent-encoding of the characters that have a special meaning in a
  /// path.
  static func escape(_ text: String) -> String {
    guard text.utf8.contains(where: hasMeaning) else { return text }
    var escaped: [UInt8] = []
    for byte in text.utf8 {
      guard hasMeaning(byte) else {
        escaped.append(byte)
        continue
      }
      escaped.append(UInt8(ascii: "%"))
      for digit in [byte >> 4, byte & 15] {
        escaped.append(contentsOf: String(digit, radix: 16).utf8)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func hasMeaning(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "#"), UInt8(ascii: "."), UInt8(ascii: "~"),
      UInt8(ascii: "="), UInt8(ascii: "%"), 0..<32, 127:
      true
    default: false
    }
  }

  /// Returns a name followed by the number of earlier elements with that name, if there are any.
  static func numbered(_ name: String, as number: Int) -> String {
    number == 0 ? name : "\(name)~\(number)"
  }
}

extension ItemIdentity {
  /// Returns the name of a child view of a type within its parent.
  func name(_ type: String) -> String {
    var parts = path.map { step in
      if let key = step.key { return "=" + PathText.escape(StableName.any(key.base)) }
      return step.number >= 0 ? "\(step.number)" : "b\(-1 - step.number)"
    }
    parts.append(PathText.escape(type))
    return parts.joined(separator: ".")
  }
}

extension ForEachRowID {
  /// Returns the name of a value's row within its `ForEach`.
  func name(_ value: @autoclosure () -> Any) -> String {
    // The identity of an object differs between processes.
    let key = (id.base as? any AnyRowKey)?.anyID ?? id.base
    let named = key is ObjectIdentifier ? value() : key
    return PathText.numbered("=" + PathText.escape(StableName.any(named)), as: occurrence)
  }
}

extension StableName {
  /// Returns the name of a value; for a value without one its description, which may differ between
  /// processes.
  static func any(_ value: Any) -> String { of(value) ?? "\(value)" }
}
