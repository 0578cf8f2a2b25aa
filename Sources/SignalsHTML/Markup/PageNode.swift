// The tree of a page's elements: what a page is written from, and what two pages are compared by.
//
// An element contains either text or elements, so that the elements alone, counted in the order of
// the document, are the same in a browser and here. The drawing of a scope is a group, which isn't an
// element itself.

import Signals

/// An element of a page, or the group of a scope's, which isn't changed once the page is complete.
final class PageNode {
  /// What an element is recognized by on the next page.
  enum Key: Hashable {
    /// Its place among its siblings with the same tag.
    case place
    /// The name of an element of the screen.
    case name(String)
    /// The group of a scope's elements.
    case scope(ScopeID)
    /// The content in place of the rest of the screen.
    case cover
  }

  struct Attribute: Equatable {
    let value: String
    let name: MarkupName
    /// Whether only a new element has it, and the user's input replaces it.
    let isInitial: Bool
  }

  var key = Key.place
  let tag: MarkupName
  /// Whether it can have text or elements.
  var hasContent = true
  /// The number of elements: of those in it, and itself unless it is a group.
  private(set) var count: Int32 = 1
  var text = ""
  /// What a control shows: the text of a field, the name of the chosen option.
  var shown: String?
  var attributes: [Attribute] = []
  private(set) var children: [PageNode] = []

  init(_ tag: MarkupName) { self.tag = tag }

  /// Creates the group of a scope's elements.
  init(_ scope: ScopeID) {
    tag = .group
    key = .scope(scope)
    count = 0
  }

  /// Whether the next page's element is this one.
  func isSame(as new: PageNode) -> Bool { self === new || key == new.key && tag == new.tag }

  func append(_ child: PageNode) {
    children.append(child)
    count += child.count
  }

  /// Whether it only groups the elements in it.
  var isGroup: Bool { tag == .group }

  /// A node that takes the place of another one below a third.
  struct Replacement {
    let old: PageNode
    let new: PageNode
    /// The places among the children, on the way to it.
    let place: [Int]
  }

  /// Returns a copy with other nodes below it; nil if one that is replaced isn't there.
  ///
  /// - Parameters:
  ///   - changes: The replacements, by their places.
  ///   - depth: The number of places that led to this node.
  /// - Complexity: O(changes and the children of the nodes on the way to them).
  func replacing(_ changes: ArraySlice<Replacement>, below depth: Int = 0) -> PageNode? {
    let copy = PageNode(tag)
    (copy.key, copy.attributes, copy.hasContent) = (key, attributes, hasContent)
    (copy.text, copy.shown) = (text, shown)
    var (children, count, rest) = (children, count, changes)
    while let change = rest.first {
      guard depth < change.place.count else { return nil }
      let place = change.place[depth]
      guard place < children.count else { return nil }
      let child = children[place]
      let inner = rest.prefix { depth < $0.place.count && $0.place[depth] == place }
      rest = rest[inner.endIndex...]
      if change.place.count == depth + 1 {
        guard inner.count == 1, child === change.old else { return nil }
        children[place] = change.new
      } else {
        guard let replaced = child.replacing(inner, below: depth + 1) else { return nil }
        children[place] = replaced
      }
      count += children[place].count - child.count
    }
    (copy.children, copy.count) = (children, count)
    return copy
  }

  /// Whether a node is at a place below this one.
  func has(_ node: PageNode, at path: [Int]) -> Bool {
    var found = self
    for place in path {
      guard place < found.children.count else { return false }
      found = found.children[place]
    }
    return found === node
  }

  /// Calls `body` with each element, and its number if they have the numbers from one on.
  ///
  /// - Returns: The next number.
  @discardableResult
  func forEach(from number: Int, _ body: (PageNode, Int) -> Void) -> Int {
    if !isGroup { body(self, number) }
    return children.reduce(isGroup ? number : number + 1) { $1.forEach(from: $0, body) }
  }
}

// MARK: - As text

extension PageNode {
  /// Writes the element and its content, well-formed as HTML and as XML.
  ///
  /// - Parameter focus: The element that a browser gives the focus as it loads the page.
  func write(to bytes: inout [UInt8], focus: Key? = nil) {
    if isGroup { return children.forEach { $0.write(to: &bytes, focus: focus) } }
    bytes.append(UInt8(ascii: "<"))
    bytes += tag.rawValue.utf8
    for attribute in attributes {
      bytes.append(UInt8(ascii: " "))
      bytes += attribute.name.rawValue.utf8
      bytes.append("=\"")
      bytes.append(escaped: attribute.value, inAttribute: true)
      bytes.append(UInt8(ascii: "\""))
    }
    if let focus, key == focus { bytes.append(" autofocus=\"\"") }
    if !hasContent { return bytes.append(" />") }
    bytes.append(UInt8(ascii: ">"))
    // A parser drops the first line end.
    if tag == .textarea { bytes.append(UInt8(ascii: "\n")) }
    bytes.append(escaped: text, inAttribute: false)
    for child in children { child.write(to: &bytes, focus: focus) }
    bytes.append("</")
    bytes += tag.rawValue.utf8
    bytes.append(UInt8(ascii: ">"))
  }
}

extension [UInt8] {
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  fileprivate mutating func append(escaped string: String, inAttribute: Bool) {
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "&"): append("&amp;")
      case UInt8(ascii: "<"): append("&lt;")
      case UInt8(ascii: ">"): append("&gt;")
      case UInt8(ascii: "\""): append("&quot;")
      // A browser would turn them into spaces, or drop them.
      case 9 where inAttribute: append("&#9;")
      case 10 where inAttribute: append("&#10;")
      default: append(byte)
      }
    }
  }
}
