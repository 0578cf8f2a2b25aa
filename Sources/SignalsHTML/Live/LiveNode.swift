// The elements of a page in a browser, by numbers, and how one page becomes the next.
//
// The script of a page numbers the elements below the form in the order of the document, beginning
// with 0, the form. Each element that an operation inserts gets the next number, and so do the
// elements in it. Removed elements keep their numbers. The same numbers are counted here.
//
// Order of events: `LiveNode.update(to:with:)` compares an element with the next page's. It writes
// the operations that change its attributes, its text and its elements, and returns the element as
// it is in the browser then. Of the elements in it, those that have gone are removed. Then, from the
// last to the first, new ones are inserted, and those that aren't part of the longest run in the
// right order are moved. An element that stays is never removed, so it keeps what the browser has of
// it: focus, selection, scrolling.

import Signals

/// An element of a page in a browser.
final class LiveNode {
  let number: Int
  private(set) var node: PageNode
  let children: [LiveNode]

  init(_ node: PageNode, number: Int, children: [LiveNode]) {
    (self.node, self.number, self.children) = (node, number, children)
  }

  /// Numbers an element and those in it.
  static func numbered(_ node: PageNode, _ count: inout Int) -> LiveNode {
    let number = count
    count += 1
    return LiveNode(node, number: number, children: node.children.map { numbered($0, &count) })
  }

  /// Whether the next page's element is this one.
  func isSame(as new: PageNode) -> Bool {
    node === new || node.key == new.key && node.tag == new.tag
  }

  /// Changes the element in the browser to that of the next page.
  ///
  /// - Returns: The element as it is then; the same one if it needs no change.
  func update(to new: PageNode, with patch: inout PatchWriter) -> LiveNode {
    if node === new, patch.hasNothingEntered { return self }
    let start = patch.bytes.count
    if node.attributes != new.attributes { updateAttributes(to: new, &patch) }
    // Setting the text removes the elements, of which an element with a text has none.
    let hasNewText = new.shown == nil && node.text != new.text
    if hasNewText, new.text.isEmpty { patch.setText("", of: number) }
    let before = patch.bytes.count
    let updated = updateChildren(to: new.children, &patch)
    // A browser may show another option when the options change.
    let hasOtherOptions = patch.bytes.count > before
    if hasNewText, !new.text.isEmpty { patch.setText(new.text, of: number) }
    if let shown = new.shown {
      let present = patch.entered(in: new.key) ?? node.shown
      if shown != present || hasOtherOptions { patch.show(shown, in: number) }
    }
    let isChanged =
      patch.bytes.count > start || node.shown != new.shown
      || zip(updated, children).contains { $0 !== $1 }
    if isChanged { return LiveNode(new, number: number, children: updated) }
    // The next comparison sees that nothing was drawn again.
    node = new
    return self
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

  private func updateChildren(to new: [PageNode], _ patch: inout PatchWriter) -> [LiveNode] {
    // Mostly, elements come and go at one place, if at all.
    let most = min(children.count, new.count)
    var (first, last) = (0, 0)
    while first < most, children[first].isSame(as: new[first]) { first += 1 }
    while last < most - first,
      children[children.count - 1 - last].isSame(as: new[new.count - 1 - last])
    {
      last += 1
    }
    let (old, present) = (first..<children.count - last, first..<new.count - last)
    guard old.isEmpty, present.isEmpty else {
      let next = last > 0 ? children[old.upperBound].number : 0
      let middle = move(children[old], to: new[present], before: next, &patch)
      let start = update(0..<first, to: new.prefix(first), &patch)
      return start + middle + update(old.upperBound..<children.count, to: new.suffix(last), &patch)
    }
    var updated = children
    for (place, child) in children.enumerated() {
      let result = child.update(to: new[place], with: &patch)
      if result !== child { updated[place] = result }
    }
    return updated
  }

  private func update(
    _ places: Range<Int>, to new: ArraySlice<PageNode>, _ patch: inout PatchWriter
  ) -> [LiveNode] {
    zip(children[places], new).map { $0.update(to: $1, with: &patch) }
  }

  /// Inserts, moves and removes elements between those that stay where they are.
  private func move(
    _ children: ArraySlice<LiveNode>, to new: ArraySlice<PageNode>, before following: Int,
    _ patch: inout PatchWriter
  ) -> [LiveNode] {
    var former = FormerSiblings(children)
    let places = new.map { former.takePlace(of: $0) }
    for place in former.rest { patch.remove(children[place].number) }
    let staying = Set(places.compactMap { $0 }.longestIncreasingSubsequence())
    var updated: [LiveNode] = []
    var next = following
    for (node, place) in zip(new, places).reversed() {
      guard let place else {
        let inserted = patch.insert(node, in: number, before: next)
        next = inserted.number
        updated.append(inserted)
        continue
      }
      if !staying.contains(place) { patch.move(children[place].number, in: number, before: next) }
      next = children[place].number
      updated.append(children[place].update(to: node, with: &patch))
    }
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

  /// The places of those that aren't taken, the last first.
  private var places: [Name: [Int]] = [:]

  init(_ siblings: ArraySlice<LiveNode>) {
    for place in siblings.indices.reversed() {
      let node = siblings[place].node
      places[Name(key: node.key, tag: node.tag), default: []].append(place)
    }
  }

  /// The places of those that aren't on the next page.
  var rest: [Int] { places.values.flatMap { $0 }.sorted() }

  /// Returns the place of the first sibling that is an element, and isn't taken.
  mutating func takePlace(of new: PageNode) -> Int? {
    places[Name(key: new.key, tag: new.tag)]?.popLast()
  }
}
