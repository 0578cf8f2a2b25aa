// Making the elements of a page. Names are those of this module, and a string of the app is text or
// the value of an attribute, which is escaped where it is written.
//
// State: `roots`, the complete elements that aren't in others; `open`, the elements that haven't
// ended, outermost first.

import Signals

/// The elements of a page, while they are made.
struct Markup {
  private(set) var roots: [PageNode] = []
  private var open: [PageNode] = []

  /// Starts an element.
  mutating func begin(_ name: MarkupName) { open.append(PageNode(name)) }

  /// Ends the element that was started last and hasn't ended.
  mutating func end(_ name: MarkupName) { close() }

  /// Starts the group of a scope's elements.
  mutating func begin(_ scope: ScopeID) { open.append(PageNode(scope)) }

  /// Ends the group that was started last, and returns it.
  mutating func endGroup() -> PageNode {
    let group = open.removeLast()
    add(group)
    return group
  }

  /// The number of elements and groups that haven't ended.
  var depth: Int { open.count }

  /// Returns the place of the next element: the places on the way to it, below one that hasn't
  /// ended.
  func place(below depth: Int) -> [Int] { open[max(depth - 1, 0)...].map { $0.children.count } }

  /// Ends an element that can't have content, such as a field.
  mutating func endEmpty() {
    open.last?.hasContent = false
    close()
  }

  private mutating func close() {
    let node = open.removeLast()
    add(node)
  }

  private mutating func add(_ node: PageNode) {
    guard let parent = open.last else { return roots.append(node) }
    parent.append(node)
  }

  /// Adds an attribute to the element that was started last.
  ///
  /// - Parameter isInitial: Whether only a new element has it; see ``PageNode/Attribute``.
  mutating func attribute(_ name: MarkupName, _ value: String, isInitial: Bool = false) {
    open.last?.attributes.append(
      .init(value: PageText.shown(value), name: name, isInitial: isInitial))
  }

  /// Adds an attribute without a value if a condition holds.
  mutating func attribute(_ name: MarkupName, if condition: Bool, isInitial: Bool = false) {
    if condition { attribute(name, "", isInitial: isInitial) }
  }

  /// Adds an address, if its scheme is harmless; see ``PageAddress``.
  mutating func address(_ name: MarkupName, _ address: String) {
    if PageAddress.isHarmless(address) { attribute(name, address) }
  }

  /// Names the element that was started last, by which it is recognized on the next page.
  mutating func identity(_ name: String) {
    attribute(.id, name)
    if !name.isEmpty { open.last?.key = .name(name) }
  }

  /// Sets what the element that was started last is recognized by.
  mutating func key(_ key: PageNode.Key) { open.last?.key = key }

  /// Sets what the control that was started last shows.
  mutating func shown(_ value: String?) { open.last?.shown = value }

  /// Writes the text of the element that was started last.
  mutating func text(_ string: String) {
    open.last?.text += PageText.shown(string)
  }

  /// Writes an element that contains text only.
  mutating func element(_ name: MarkupName, _ string: String) {
    begin(name)
    text(string)
    end(name)
  }

  /// Adds an element that was made separately.
  mutating func append(_ node: PageNode) { add(node) }
}
