// Writing markup. A string of the app is escaped for the place that it is written to, and only
// literals of this module are written as they are.
//
// State: `bytes`, the markup so far; `isInTag`, whether the last start tag still takes attributes.

import Signals

/// Markup that is being written, which is well-formed as HTML and as XML.
struct Markup {
  private(set) var bytes: [UInt8] = []
  private var isInTag = false

  /// Starts an element, which then takes attributes until its content is written.
  mutating func begin(_ name: StaticString) {
    closeTag()
    bytes.append(UInt8(ascii: "<"))
    append(name)
    isInTag = true
  }

  /// Ends the element that was started last and hasn't ended.
  mutating func end(_ name: StaticString) {
    closeTag()
    append("</")
    append(name)
    bytes.append(UInt8(ascii: ">"))
  }

  /// Ends an element that can't have content, such as a field.
  mutating func endEmpty() {
    isInTag = false
    append(" />")
  }

  /// Adds an attribute to the element that was started last.
  mutating func attribute(_ name: StaticString, _ value: String) {
    bytes.append(UInt8(ascii: " "))
    append(name)
    append("=\"")
    escape(value, isAttribute: true)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Adds an attribute without a value if a condition holds.
  mutating func attribute(_ name: StaticString, if condition: Bool) {
    if condition { attribute(name, "") }
  }

  /// Adds an address, if its scheme is harmless; see ``PageAddress``.
  mutating func address(_ name: StaticString, _ address: String) {
    if PageAddress.isHarmless(address) { attribute(name, address) }
  }

  /// Writes text.
  mutating func text(_ string: String) {
    closeTag()
    escape(string, isAttribute: false)
  }

  /// Writes an element that contains text only.
  mutating func element(_ name: StaticString, _ string: String) {
    begin(name)
    text(string)
    end(name)
  }

  /// Adds markup that was written separately.
  mutating func append(_ other: Markup) {
    closeTag()
    bytes += other.bytes
  }

  /// Writes a literal as it is.
  mutating func literal(_ text: StaticString) {
    closeTag()
    append(text)
  }

  private mutating func closeTag() {
    if isInTag { bytes.append(UInt8(ascii: ">")) }
    isInTag = false
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func escape(_ string: String, isAttribute: Bool) {
    for byte in PageText.shown(string).utf8 {
      switch byte {
      case UInt8(ascii: "&"): append("&amp;")
      case UInt8(ascii: "<"): append("&lt;")
      case UInt8(ascii: ">"): append("&gt;")
      case UInt8(ascii: "\""): append("&quot;")
      // A browser would turn them into spaces, or drop them.
      case 9 where isAttribute: append("&#9;")
      case 10 where isAttribute: append("&#10;")
      default: bytes.append(byte)
      }
    }
  }
}
