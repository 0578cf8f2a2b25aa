// Whether a renderer could tell the elements of a scope from its previous ones.
//
// Every property of an element that a renderer can see is compared here. A new property of elements
// has to be added here too.

extension Element {
  /// Whether two lists of a frame's elements look the same, ignoring hidden elements.
  ///
  /// Nested scopes look the same if they are the same scope.
  static func lookSame(_ lhs: [Element], _ rhs: [Element]) -> Bool {
    var (left, right) = (0, 0)
    while true {
      while left < lhs.count, lhs[left].isHidden { left += 1 }
      while right < rhs.count, rhs[right].isHidden { right += 1 }
      guard left < lhs.count, right < rhs.count else {
        return left == lhs.count && right == rhs.count
      }
      if !lhs[left].looksSame(as: rhs[right]) { return false }
      left += 1
      right += 1
    }
  }

  private var isHidden: Bool { if case .hidden = storage { true } else { false } }

  private func looksSame(as other: Element) -> Bool {
    switch (storage, other.storage) {
    case (.drawn(let left), .drawn(let right)): left.looksSame(as: right)
    case (.scope(let left), .scope(let right)): left == right
    case (.placeholder, .placeholder):
      keyBinding.map { left in
        left.key == other.keyBinding?.key && left.isEnabled == other.keyBinding?.isEnabled
      } ?? false
    default: false
    }
  }
}

extension DrawnElement {
  fileprivate func looksSame(as other: DrawnElement) -> Bool {
    if self === other { return true }
    return kind == other.kind && id == other.id && text == other.text && value == other.value
      && isEnabled == other.isEnabled && isBusy == other.isBusy && errors == other.errors
      && hasSameLook(as: other)
      && action.takesSameInput(as: other.action) && (submit == nil) == (other.submit == nil)
      && (move == nil) == (other.move == nil) && Element.lookSame(children, other.children)
  }
}

extension ElementAction {
  fileprivate func takesSameInput(as other: ElementAction) -> Bool {
    switch (self, other) {
    case (.none, .none), (.tap, .tap), (.asyncTap, .asyncTap), (.text, .text), (.flag, .flag),
      (.choice, .choice):
      true
    default: false
    }
  }
}
