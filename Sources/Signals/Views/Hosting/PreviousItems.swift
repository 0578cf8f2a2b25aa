// How a pass over a body finds again what an earlier pass has found: child views, and the nodes of
// lifecycle modifiers.

/// One step on the path from a body to a child: a position, a branch of a condition, or an id.
struct Step: Hashable {
  let number: Int
  let key: AnyHashable?

  static func position(_ number: Int) -> Step { Step(number: number, key: nil) }
  static func branch(_ number: Int) -> Step { Step(number: -1 - number, key: nil) }
  static func id(_ id: AnyHashable) -> Step { Step(number: 0, key: id) }
}

/// The identity of a child view or a modifier among its siblings.
struct ItemIdentity: Hashable {
  let path: [Step]
  let type: ObjectIdentifier
}

/// A child view or the node of a modifier, with its identity.
struct PlacedItem<Item> {
  let identity: ItemIdentity
  let item: Item

  init(path: [Step], type: ObjectIdentifier, item: Item) {
    identity = ItemIdentity(path: path, type: type)
    self.item = item
  }
}

/// The items that the previous pass found.
///
/// A body usually builds the same items in the same order. So each item is first looked for after
/// the one that was found before it, and only then among all the others.
///
/// State: `next`, the index of the item that is expected next; `index`, the identities of all
/// items, once an item wasn't where it was expected.
struct PreviousItems<Item> {
  let items: [PlacedItem<Item>]
  private var next = 0
  private var index: [ItemIdentity: Int]?

  init(_ items: [PlacedItem<Item>]) { self.items = items }

  /// Returns the item that was in a place, if it had this type.
  mutating func take(_ type: ObjectIdentifier, at path: [Step]) -> PlacedItem<Item>? {
    if next < items.count {
      let expected = items[next]
      if expected.identity.type == type, expected.identity.path == path {
        next += 1
        return expected
      }
    } else if items.isEmpty {
      return nil
    }
    let index =
      index ?? Dictionary(items.indices.map { (items[$0].identity, $0) }) { _, last in last }
    self.index = index
    guard let found = index[ItemIdentity(path: path, type: type)] else { return nil }
    next = found + 1
    return items[found]
  }
}
