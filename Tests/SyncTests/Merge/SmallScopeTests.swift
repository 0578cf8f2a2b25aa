// Every pair of kinds of change, made by two peers without contact, delivered to a
// third one in all orders, and once more.

internal import Signals
internal import SignalsSync
internal import Testing

@Suite struct SmallScopeTests {
  @Test(arguments: Change.allCases)
  func `Four changes of two kinds converge in all orders`(first: Change) throws {
    for (number, second) in Change.allCases.enumerated() {
      let scope = try SmallScope(first, second)
      let failures = try scope.failures(from: number)
      #expect(failures == [], "\(first) and \(second)")
    }
  }
}

/// A kind of change to the objects of a small scope.
enum Change: CaseIterable {
  case setTitle, addToCounter, raise, link, insert, remove, move, deleteOwner, deleteTarget
  case addTag, editNote, deleteNote, movePart, unlinkPart, deletePart, undo, growParts

  func make(on peer: Peer, _ base: Page, number: Int) throws {
    guard let page = peer.find(base) else { return }
    let (target, part) = (page.related.last, page.cover)
    switch self {
    case .setTitle: page.title = "t\(number)"
    case .addToCounter: page.visits += number
    case .raise: page.seen = max(page.seen, number)
    case .link: page.next = number % 2 == 0 ? page.related.first : page
    case .insert: page.related.insert(Page(), at: 1)
    case .remove: if !page.related.isEmpty { page.related.remove(at: 0) }
    case .move:
      if page.related.count > 1 {
        try page.write { page.related.append(page.related.remove(at: 0)) }
      }
    case .deleteOwner: try peer.store.delete(page)
    case .deleteTarget: if let target { try peer.store.delete(target) }
    case .addTag:
      let tag = Tag()
      (tag.name, tag.color, tag.uses, tag.pages) = ("k", "c\(number)", number, [page])
      if peer.store.object(Tag.self, primaryKey: "k") == nil { try peer.store.add(tag) }
    case .editNote: page.note?.text = "n\(number)"
    case .deleteNote: if let note = page.note { try peer.store.delete(note) }
    case .movePart:
      guard let part, let target else { return }
      try page.write {
        page.cover = nil
        if number % 2 == 0 { target.cover = part } else { target.parts.append(part) }
      }
    case .unlinkPart: page.cover = nil
    case .deletePart: if let part { try peer.store.delete(part) }
    case .undo: _ = try? peer.store.undo(onConflict: .theirs)
    case .growParts:
      let part = Part()
      part.note = page.note
      page.parts.append(part)
    }
  }
}

/// Two peers with the same objects, and what each has changed since.
struct SmallScope {
  private let time = VirtualTime()
  private let base: [SharedChangeSet]
  private let changes: [SharedChangeSet]
  private let peers: [Peer]

  init(_ first: Change, _ second: Change) throws {
    let time = time
    peers = (1...2).map { Peer($0, time: time) }
    let page = Page()
    page.related = [Page(), Page(), Page()]
    page.cover = Part()
    page.note = Note()
    _ = peers[0].add(page)
    base = peers[0].take()
    try peers[1].merging.merge(base)
    for (peer, kinds) in zip(peers, [[first, second], [second, first]]) {
      for (number, kind) in kinds.enumerated() {
        time.advance()
        try kind.make(on: peer, page, number: number + 2 * Int(peer.merging.replica.rawValue))
      }
    }
    changes = peers.flatMap { $0.take() }
  }

  /// Of how many orders one is tried: fewer in debug.
  private static let share = effort == 1 ? 3 : 1

  /// The differences to the model, in the orders of delivery from a number on.
  func failures(from start: Int) throws -> [String] {
    let expected = try NaiveModel(base + changes).visible
    var failures: [String] = []
    for (number, order) in Self.orders(of: changes.count).enumerated()
    where (number + start) % Self.share == 0 {
      let peer = Peer(3, time: time)
      try peer.merging.merge(base)
      for index in order { try peer.merging.merge([changes[index]]) }
      for index in order { try peer.merging.merge([changes[index]]) }
      note(peer, expected, "in the order \(order)", &failures)
    }
    let late = Peer(4, time: time)
    try late.merging.merge(Array(changes.reversed()))
    try late.merging.merge(base)
    note(late, expected, "with the objects last", &failures)
    for peer in peers {
      try peer.merging.merge(changes)
      note(peer, expected, "by their maker", &failures)
    }
    return failures
  }

  private func note(
    _ peer: Peer, _ expected: [String], _ order: String, _ failures: inout [String]
  ) {
    let broken = peer.store.brokenInvariants()
    if !broken.isEmpty { failures.append("\(order): \(broken)") }
    if peer.visible != expected {
      failures.append("\(order): expected \(expected), found \(peer.visible)")
    }
  }

  private static func orders(of count: Int) -> [[Int]] {
    var orders: [[Int]] = [[]]
    for next in 0..<count {
      orders = orders.flatMap { order in
        (0...order.count).map { place in
          var longer = order
          longer.insert(next, at: place)
          return longer
        }
      }
    }
    return orders
  }
}
