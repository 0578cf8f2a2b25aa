import Foundation
import Signals
import TestSupport
import Testing

/// Ids of this process that somebody else has made up, ahead of its counter.
@Suite struct `Ids that were given to objects` {
  /// What a store told of one addition, or its snapshot, with the counter of the new id raised.
  private func forged<Value: Codable>(_ value: Value, _ id: ObjectID, by distance: UInt64) throws
    -> Value
  {
    let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    // A change set names the parts of an id, a snapshot has them in a row.
    var changed = text
    for prefix in ["\"counter\":", "[0,0,"] {
      changed = changed.replacingOccurrences(
        of: "\(prefix)\(id.counter)", with: "\(prefix)\(id.counter + distance)")
    }
    try #require(text != changed)
    return try JSONDecoder().decode(Value.self, from: Data(changed.utf8))
  }

  private func addMany(to store: Store, _ count: Int = 50) throws {
    for _ in 0..<count { try store.add(Page()) }
  }

  @Test func `an id that a change set brings is never given again`() throws {
    let (store, other, page) = (Store(), Store(), Page())
    var change: ChangeSet?
    let token = other.commits.sink { change = $0 }
    try other.add(page)
    token.cancel()
    for distance: UInt64 in [1, 3, 20] {
      try store.apply(forged(#require(change), page.objectID, by: distance))
    }
    try addMany(to: store)
    #expect(store.results(Page.self).count == 53)
  }

  @Test func `an id that a snapshot brings is never given again`() throws {
    let (other, page) = (Store(), Page())
    try other.add(page)
    let snapshot = try forged(other.snapshot(), page.objectID, by: 1000)
    let store = Store(snapshot)
    try addMany(to: store)
    #expect(store.results(Page.self).count == 51)
    let read = try #require(
      try forged(other.snapshot(), page.objectID, by: 2000).objects(Page.self).first)
    try store.add(read)
    try addMany(to: store)
    #expect(store.results(Page.self).count == 102)
  }

  @Test func `an id beyond reach leaves the counter as it is, and collides with no other`() throws {
    let (store, other, page) = (Store(), Store(), Page())
    var change: ChangeSet?
    let token = other.commits.sink { change = $0 }
    try other.add(page)
    token.cancel()
    let last = UInt64.max - page.objectID.counter
    try store.apply(forged(#require(change), page.objectID, by: last))
    try addMany(to: store)
    #expect(Page().objectID.counter < 1 << 48)
  }
}
