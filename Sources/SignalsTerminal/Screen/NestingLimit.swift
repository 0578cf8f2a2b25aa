// The limit of nesting. Layout recurses into elements, and the stack is finite.

import Signals

/// Limits the depth of a layout.
enum NestingLimit {
  /// Below this depth, an element that contains a single other one is skipped: the inner one is
  /// drawn instead.
  static let plain = 64
  /// Below this depth, or once half of the stack is used, nothing is laid out.
  static let limit = 1000

  /// Returns whether a depth is too deep for layout.
  static func isTooDeep(_ depth: Int) -> Bool {
    depth > plain && (depth > limit || isStackDeep)
  }

  /// Returns the text shown instead of an element that is nested too deeply.
  static func refusal(of drawn: DrawnElement?, depth: Int) -> String {
    let name = drawn.map { "\($0.kind)\($0.id.map { " \"\($0)\"" } ?? "")" } ?? "a view"
    return "! nested too deep to be drawn: \(name) in \(depth) others"
  }
}

extension DrawnElement {
  /// The only child of this element, if the element is drawn exactly like that child.
  var unwrapped: Element? {
    guard kind == .column || kind == .modified || kind == .scrollBox, children.count == 1,
      !look.hasSpace, !isActive, errors.isEmpty
    else { return nil }
    return children[0]
  }
}
