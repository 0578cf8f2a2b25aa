// Writing the operations that lead from one page to the next.
//
// A patch is an array in JSON: the number of the page, the number of the last message of the script
// that it takes into account, and the operations. Each operation is an array that begins with a
// letter and, but for titles and addresses, the number of an element:
//
//   ["t",n,text]           sets the text
//   ["a",n,name,value]     sets an attribute; removes it, if the value is null
//   ["v",n,value]          sets what a control shows, unless it has unsent input
//   ["i",n,before,markup]  inserts elements before another, or as the last ones, if that is 0
//   ["m",n,child,before]   moves an element
//   ["x",n,last]           removes the elements from one to another
//   ["f",n]                moves the focus to an element, and scrolls to it
//   ["h",n,markup]         replaces everything in the form
//   ["T",title]            sets the title of the document
//   ["A",path]             sets the path in the address line

import Signals

/// The operations that lead from one page to the next.
struct PatchWriter {
  private(set) var bytes: [UInt8] = []
  /// The number of the next element that is inserted.
  private(set) var count: Int
  /// The input into controls that weren't compared yet, by their names.
  private(set) var entered: [String: String]

  init(count: Int, entered: [String: String]) {
    (self.count, self.entered) = (count, entered)
  }

  /// Returns what a control shows, if it was entered in the browser.
  mutating func takeEntered(in key: PageNode.Key) -> String? {
    guard case .name(let name) = key, !entered.isEmpty else { return nil }
    return entered.removeValue(forKey: name)
  }

  // MARK: - Operations

  mutating func setText(_ text: String, of number: Int) {
    operation("t", number) { $0.string(text) }
  }

  mutating func setAttribute(_ name: MarkupName, to value: String?, of number: Int) {
    operation("a", number) { patch in
      patch.string(name.rawValue)
      if let value { patch.string(value) } else { patch.bytes.append(",null") }
    }
  }

  mutating func show(_ value: String, in number: Int) {
    operation("v", number) { $0.string(value) }
  }

  /// Inserts elements, and those of groups.
  mutating func insert(_ nodes: [PageNode], in parent: Int, before next: Int) -> [LiveNode] {
    if nodes.contains(where: { $0.count > 0 }) {
      operation("i", parent) { patch in
        patch.integer(next)
        patch.markup(of: nodes)
      }
    }
    return nodes.map { LiveNode.numbered($0, from: &count) }
  }

  mutating func move(_ number: Int, in parent: Int, before next: Int) {
    operation("m", parent) { patch in
      patch.integer(number)
      patch.integer(next)
    }
  }

  /// Removes elements that follow each other.
  mutating func remove(from number: Int, to last: Int) {
    operation("x", number) { $0.integer(last) }
  }

  mutating func focus(_ number: Int) { operation("f", number) { _ in } }

  /// Replaces everything in the form, and counts from the beginning.
  mutating func replace(with form: PageNode) -> LiveNode {
    operation("h", 0) { $0.markup(of: form.children) }
    count = 0
    return LiveNode.numbered(form, from: &count)
  }

  mutating func setTitle(_ title: String) { operation("T", nil) { $0.string(title) } }

  mutating func setAddress(_ path: String) { operation("A", nil) { $0.string(path) } }

  // MARK: - JSON

  private mutating func operation(
    _ letter: StaticString, _ number: Int?, _ rest: (inout PatchWriter) -> Void
  ) {
    bytes.append(",[\"")
    bytes.append(letter)
    bytes.append("\"")
    if let number { integer(number) }
    rest(&self)
    bytes.append("]")
  }

  private mutating func integer(_ number: Int) {
    bytes.append(UInt8(ascii: ","))
    bytes += String(number).utf8
  }

  private mutating func markup(of nodes: [PageNode]) {
    var markup: [UInt8] = []
    nodes.forEach { $0.write(to: &markup) }
    quote(markup)
  }

  private mutating func string(_ text: String) { quote(text.utf8) }

  private mutating func quote(_ text: some Sequence<UInt8>) {
    bytes.append(",\"")
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""): bytes.append("\\\"")
      case UInt8(ascii: "\\"): bytes.append("\\\\")
      case 0..<32:
        bytes.append(byte < 16 ? "\\u000" : "\\u001")
        bytes += String(byte % 16, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append("\"")
  }
}
