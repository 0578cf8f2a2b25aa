internal import Signals
import SignalsTesting
import TestSupport

/// Random edits of a store of the shared classes.
struct RandomEdits {
  var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// Makes an edit; one that the store refuses, or an undo that has conflicts, changes nothing.
  mutating func edit(_ store: Store) throws {
    do { try attempt(store) } catch is StoreError {} catch is ChangeConflictError {}
  }

  /// Makes some edits in one transaction, which may fail.
  mutating func write(_ store: Store) throws {
    struct Failed: Error {}
    do {
      try store.write {
        for _ in 0..<number(below: 6) + 1 { try attempt(store) }
        if number(below: 5) == 0 { throw Failed() }
      }
    } catch is StoreError {} catch is ChangeConflictError {} catch is Failed {}
  }

  private mutating func pick<Element: Object>(_ type: Element.Type, in store: Store) -> Element? {
    let all = store.objectsInOrder.compactMap { $0 as? Element }
    return all.randomElement(using: &random)
  }

  private mutating func attempt(_ store: Store) throws {
    let number = number(below: 100)
    switch self.number(below: 14) {
    case 0, 1:
      let page = Page()
      (page.title, page.visits, page.size) = ("p\(number)", number, -number)
      // Linked after it is stored: an unstored object that links to itself stays alive.
      try store.write {
        try store.add(page)
        if number % 3 == 0 { page.related = [page] }
      }
    case 2: pick(Page.self, in: store)?.title = number % 7 == 0 ? "" : "t\(number) é"
    case 3: pick(Page.self, in: store)?.visits += number
    case 4: pick(Page.self, in: store)?.weight = number % 9 == 0 ? .nan : Double(number) / 4
    case 5: pick(Page.self, in: store)?.next = pick(Page.self, in: store)
    case 6: if let page = pick(Page.self, in: store) { try store.delete(page) }
    case 7:
      guard let page = pick(Page.self, in: store), let other = pick(Page.self, in: store) else {
        return
      }
      page.related.insert(other, at: number % (page.related.count + 1))
    case 8:
      guard let page = pick(Page.self, in: store), page.related.count > 1 else { return }
      page.related.swapAt(0, number % page.related.count)
    case 9:
      if number % 2 == 0 { _ = try store.undo() } else { _ = try store.redo() }
    case 10:
      let tag = Tag()
      (tag.name, tag.color, tag.uses) = ("k\(number % 6)", "c\(number)", number % 3)
      if let page = pick(Page.self, in: store) { tag.pages = [page] }
      try store.add(tag)
    case 11:
      guard let tag = pick(Tag.self, in: store), let other = pick(Tag.self, in: store) else {
        return
      }
      if number % 3 == 0 { return try store.delete(tag) }
      // In one commit, two objects can exchange their keys.
      try store.write {
        let (name, otherName) = (tag.name, other.name)
        other.name = "moving"
        tag.name = otherName
        if tag !== other { other.name = name }
      }
    case 12: try changeNotes(store, number)
    default: try changeParts(store, number)
    }
  }

  private mutating func changeNotes(_ store: Store, _ number: Int) throws {
    guard let page = pick(Page.self, in: store) else { return }
    switch number % 4 {
    case 0: page.note = Note()
    case 1: page.note = pick(Note.self, in: store)
    case 2: page.note = nil
    default: pick(Note.self, in: store)?.text = "n\(number)"
    }
  }

  private mutating func changeParts(_ store: Store, _ number: Int) throws {
    guard let page = pick(Page.self, in: store) else { return }
    switch number % 5 {
    case 0: page.cover = Part()
    case 1: page.parts.insert(Part(), at: number % (page.parts.count + 1))
    case 2: pick(Part.self, in: store)?.text = "x\(number)"
    case 3: if let part = pick(Part.self, in: store) { try store.delete(part) }
    default: pick(Part.self, in: store)?.inner = Part()
    }
  }
}

extension Store {
  /// The objects in their order, with all values.
  var contents: [String] {
    func id(_ object: Object?) -> String { object.map { "\($0.objectID)" } ?? "-" }
    func ids(_ list: List<some Object>) -> String { list.map { id($0) }.joined(separator: ",") }
    return objectsInOrder.map { object in
      let values: [String] =
        switch object {
        case let page as Page:
          [
            page.title, "\(page.size)", "\(page.visits)", "\(page.weight)", "\(page.seen)",
            id(page.next), ids(page.related), id(page.cover), ids(page.parts), id(page.note),
          ]
        case let part as Part: [part.text, id(part.inner), id(part.note), id(part.owner)]
        case let note as Note: [note.text]
        case let tag as Tag:
          [tag.name, tag.color, "\(tag.uses)", id(tag.page), ids(tag.pages)]
        default: []
        }
      return "\(type(of: object)) \(id(object)) " + values.joined(separator: "|")
    }
  }
}
