// How elements are told apart in their scope, and scopes in theirs: by texts that hold no character with a meaning in a
// path, or hold it as `%` and its code.

/// Names the elements of one scope, in their order.
///
/// State: `counts`, how many had each name so far.
struct ElementNames {
  private var counts: [String: Int] = [:]

  /// The name of the next element.
  private mutating func next(_ element: DrawnElement) -> String {
    let name = element.id.map(PathText.escape) ?? ".\(PathText.escape(element.kind.name))"
    return PathText.numbered(name, counts[name, default: 0].increment())
  }

  /// Calls `body` with what is drawn in a scope, parents before what they hold, and with its name.
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
  /// The elements of a scope, of which those of some names are busy.
  static func marking(_ busy: [String: Int], in elements: [Element]) -> [Element] {
    var names = ElementNames()
    return names.marking(busy, in: elements) ?? elements
  }

  /// Nil if none of these is busy: then they are what they were.
  private mutating func marking(_ busy: [String: Int], in elements: [Element]) -> [Element]? {
    var marked: [Element]?
    for (position, element) in elements.enumerated() {
      guard case .drawn(let drawn)? = element.content else { continue }
      let isBusy = busy[next(drawn)] != nil
      let children = marking(busy, in: drawn.children)
      guard isBusy || children != nil else { continue }
      marked = marked ?? elements
      marked?[position] = Element(
        .drawn(drawn.with(isBusy: isBusy, children: children ?? drawn.children)))
    }
    return marked
  }
}

extension Int {
  /// Adds one, and returns what it was before.
  fileprivate mutating func increment() -> Int {
    self += 1
    return self - 1
  }
}

/// Texts in paths.
enum PathText {
  /// The text without what has a meaning in a path.
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

  /// A name and how many had it before.
  static func numbered(_ name: String, _ number: Int) -> String {
    number == 0 ? name : "\(name)~\(number)"
  }
}

extension Place {
  /// What names a child view of a type in the view that it stands in.
  func name(_ type: String) -> String {
    var parts = path.map { step in
      if let key = step.key { return "=" + PathText.escape(StableName.any(key.base)) }
      return step.number >= 0 ? "\(step.number)" : "b\(-1 - step.number)"
    }
    parts.append(PathText.escape(type))
    return parts.joined(separator: ".")
  }
}

extension RowID {
  /// What names the row of a value among the others.
  func name(_ value: @autoclosure () -> Any) -> String {
    // An object's identity is another one in each process.
    let named = id.base is ObjectIdentifier ? value() : id.base
    return PathText.numbered("=" + PathText.escape(StableName.any(named)), occurrence)
  }
}

extension StableName {
  /// The name of a value, or what it is described by where that may be another in each process.
  static func any(_ value: Any) -> String { of(value) ?? "\(value)" }
}
