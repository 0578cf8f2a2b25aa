// The elements of a page in a browser, by numbers, and how one page becomes the next.
//
// The drawing of a scope is a group: its elements are those of the element around it, but they come,
// go and move together.
//
// The script of a page numbers the elements below the form in the order of the document, beginning
// with 0, the form. Each element that an operation inserts gets the next number, and so do the
// elements in it. Removed elements keep their numbers. The same numbers are counted here.
//
// Order of events: `LiveNode.update` compares an element with the next page's. It writes the
// operations that change its attributes, its text and its elements, and is then the element as it is
// in the browser. An object that is on both pages isn't looked into. Of the elements in it, those
// that have gone are removed. Then, from the last to the first, new ones are inserted, and those that
// aren't part of the longest run in the right order are moved. An element that stays is never removed,
// so it keeps what the browser has of it: focus, selection, scrolling.

import Signals

/// An element of a page in a browser, or a group of elements.
final class LiveNode {
  /// The number of the element; of a group, that of the first element that it had.
  let number: Int
  /// The element as the browser has it.
  private(set) var node: PageNode
  /// Those of the node's children; nil as long as all elements in it have the numbers that follow.
  private var known: [LiveNode]?

  init(_ node: PageNode, number: Int) { (self.node, self.number) = (node, number) }

  /// Numbers an element and those in it.
  static func numbered(_ node: PageNode, from count: inout Int) -> LiveNode {
    defer { count += Int(node.count) }
    return LiveNode(node, number: count)
  }

  private func children() -> [LiveNode] {
    if let known { return known }
    var count = node.isGroup ? number : number + 1
    let children = node.children.map { LiveNode.numbered($0, from: &count) }
    known = children
    return children
  }

  /// Calls `body` with each element as the browser has it, and its number.
  func forEach(_ body: (PageNode, Int) -> Void) {
    guard let known else {
      node.forEach(from: number, body)
      return
    }
    if !node.isGroup { body(node, number) }
    known.forEach { $0.forEach(body) }
  }

  /// The numbers of the element, or of those of a group.
  private var numbers: [Int] { node.isGroup ? children().flatMap { $0.numbers } : [number] }

  /// The number of the element, or of the first one of a group.
  private var firstNumber: Int? {
    guard node.isGroup, let known else { return node.count > 0 ? number : nil }
    return LiveNode.first(of: known[...])
  }

  /// Changes the element in the browser to that of the next page.
  ///
  /// - Parameters:
  ///   - new: The element on the next page.
  ///   - parent: The number of the element around a group.
  ///   - following: The number of the element after a group, 0 for no element.
  ///   - patch: The operations.
  func update(
    to new: PageNode, in parent: Int = 0, before following: @autoclosure () -> Int = 0,
    with patch: inout PatchWriter
  ) {
    if node === new { return }
    if node.isGroup { return updateChildren(to: new, in: parent, before: following(), &patch) }
    if node.attributes != new.attributes { updateAttributes(to: new, &patch) }
    // Setting the text removes the elements, of which an element with a text has none.
    let hasNewText = new.shown == nil && node.text != new.text
    if hasNewText, new.text.isEmpty { patch.setText("", of: number) }
    let (old, before) = (node, patch.bytes.count)
    updateChildren(to: new, in: number, before: 0, &patch)
    // A browser may show another option when the options change.
    let hasOtherOptions = patch.bytes.count > before
    if hasNewText, !new.text.isEmpty { patch.setText(new.text, of: number) }
    if let shown = new.shown {
      let present = patch.takeEntered(in: new.key) ?? old.shown
      if shown != present || hasOtherOptions { patch.show(shown, in: number) }
    }
  }

  private func updateAttributes(to new: PageNode, _ patch: inout PatchWriter) {
    for attribute in new.attributes where !attribute.isInitial {
      if !node.attributes.contains(attribute) {
        patch.setAttribute(attribute.name, to: attribute.value, of: number)
      }
    }
    for attribute in node.attributes where !attribute.isInitial {
      if !new.attributes.contains(where: { $0.name == attribute.name }) {
        patch.setAttribute(attribute.name, to: nil, of: number)
      }
    }
  }

  private func updateChildren(
    to next: PageNode, in parent: Int, before following: @autoclosure () -> Int,
    _ patch: inout PatchWriter
  ) {
    let (former, new) = (node.children, next.children)
    var children = children()
    known = nil
    // Mostly, elements come and go at one place, if at all.
    let most = min(former.count, new.count)
    var (first, last) = (0, 0)
    while first < most, former[first].isSame(as: new[first]) { first += 1 }
    while last < most - first, former[former.count - 1 - last].isSame(as: new[new.count - 1 - last])
    {
      last += 1
    }
    let (old, present) = (first..<former.count - last, first..<new.count - last)
    if !old.isEmpty || !present.isEmpty {
      let next = LiveNode.first(of: children[old.upperBound...]) ?? following()
      let middle = move(Array(children[old]), to: new[present], in: parent, before: next, &patch)
      children.replaceSubrange(old, with: middle)
    }
    for (place, child) in new.enumerated() where !present.contains(place) {
      if former[place < first ? place : place + old.count - present.count] === child { continue }
      children[place].update(
        to: child, in: parent,
        before: LiveNode.first(of: children[(place + 1)...]) ?? following(), with: &patch)
    }
    (node, known) = (next, children)
  }

  /// The number of the first element.
  private static func first(of nodes: ArraySlice<LiveNode>) -> Int? {
    for node in nodes {
      if let number = node.firstNumber { return number }
    }
    return nil
  }

  /// Inserts, moves and removes elements between those that stay where they are.
  private func move(
    _ children: [LiveNode], to new: ArraySlice<PageNode>, in parent: Int,
    before following: Int, _ patch: inout PatchWriter
  ) -> [LiveNode] {
    var former = FormerSiblings(children)
    let places = new.map { former.takePlace(of: $0) }
    for run in former.rest {
      let removed = children[run].flatMap { $0.numbers }
      if let first = removed.first { patch.remove(from: first, to: removed.last ?? first) }
    }
    let staying = Set(places.compactMap { $0 }.longestIncreasingSubsequence())
    // From the last to the first; `inserted`, those that wait for the others beside them.
    var (updated, inserted): ([LiveNode], [PageNode]) = ([], [])
    var next = following
    func insert() {
      if inserted.isEmpty { return }
      let added = patch.insert(inserted.reversed(), in: parent, before: next)
      inserted = []
      next = LiveNode.first(of: added[...]) ?? next
      updated += added.reversed()
    }
    for (node, place) in zip(new, places).reversed() {
      guard let place else {
        inserted.append(node)
        continue
      }
      insert()
      let child = children[place]
      if !staying.contains(place) {
        child.numbers.forEach { patch.move($0, in: parent, before: next) }
      }
      child.update(to: node, in: parent, before: next, with: &patch)
      next = child.firstNumber ?? next
      updated.append(child)
    }
    insert()
    updated.reverse()
    return updated
  }
}

/// The elements that were in an element, while the next page's are recognized among them.
private struct FormerSiblings {
  private struct Name: Hashable {
    let key: PageNode.Key
    let tag: MarkupName
  }

  /// The first place of each name that isn't taken.
  private var first: [Name: Int]
  /// For each place, the next one of the same name.
  private var next: [Int?]
  private var isTaken: [Bool]

  init(_ siblings: [LiveNode]) {
    (first, next) = ([:], Array(repeating: nil, count: siblings.count))
    isTaken = Array(repeating: false, count: siblings.count)
    first.reserveCapacity(siblings.count)
    for (place, sibling) in siblings.enumerated().reversed() {
      let name = Name(key: sibling.node.key, tag: sibling.node.tag)
      next[place] = first.updateValue(place, forKey: name)
    }
  }

  /// Returns the place of the first sibling that is the same element or group, and isn't taken.
  mutating func takePlace(of new: PageNode) -> Int? {
    let name = Name(key: new.key, tag: new.tag)
    guard let place = first[name] else { return nil }
    (first[name], isTaken[place]) = (next[place], true)
    return place
  }

  /// The places that aren't taken, those that follow each other together.
  var rest: [Range<Int>] {
    var ranges: [Range<Int>] = []
    for place in isTaken.indices where !isTaken[place] {
      let start = ranges.last?.upperBound == place ? ranges.removeLast().lowerBound : place
      ranges.append(start..<place + 1)
    }
    return ranges
  }
}
