// How deep elements may be nested. Laying out goes down in the elements on the stack, which ends.

import Signals

/// Bounds the depth of a layout.
enum Nesting {
  /// Below this depth an element that holds a single one is passed over: it is drawn as that one.
  static let plain = 64
  /// Below this depth, or where half of the stack is used, nothing is laid out.
  static let limit = 1000

  /// Whether nothing more can be laid out at a depth.
  static func isTooDeep(_ depth: Int) -> Bool {
    depth > plain && (depth > limit || isStackDeep)
  }

  /// The text that stands in the place of an element that is nested too deep.
  static func refusal(_ drawn: DrawnElement?, _ depth: Int) -> String {
    let name = drawn.map { "\($0.kind)\($0.id.map { " \"\($0)\"" } ?? "")" } ?? "a view"
    return "! nested too deep to be drawn: \(name) in \(depth) others"
  }
}

extension DrawnElement {
  /// The only element in this one, if this is drawn as that is.
  var passedOver: Element? {
    guard kind == .column || kind == .modified || kind == .scrollBox, children.count == 1,
      !look.hasSpace, !isActive, errors.isEmpty
    else { return nil }
    return children[0]
  }
}
