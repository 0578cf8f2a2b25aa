import Foundation
import Signals
import TestSupport
import Testing

/// How long what a snapshot has lives, and on which threads.
@Suite struct `Snapshots, lifetimes and threads` {
  /// A value whose release can be seen.
  final class Token: Codable, Equatable, Sendable {
    static let alive = Locked<[Int: Int]>([:])
    let group: Int
    init(group: Int) {
      self.group = group
      Self.alive.withLock { $0[group, default: 0] += 1 }
    }
    init(from decoder: any Decoder) throws {
      group = try decoder.singleValueContainer().decode(Int.self)
      Self.alive.withLock { $0[group, default: 0] += 1 }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(group)
    }
    static func == (lhs: Token, rhs: Token) -> Bool { lhs === rhs || lhs.group == rhs.group }
    deinit { Self.alive.withLock { [group] in $0[group, default: 0] -= 1 } }
    static func count(_ group: Int) -> Int { alive.withLock { $0[group] ?? 0 } }
  }

  final class Holder: Object {
    @Field var token: Token?
    @Field var text = ""
    @Links var others: List<Holder>
  }

  func makeStore(_ group: Int, _ count: Int) throws -> Store {
    let store = Store(undoLimit: 0)
    let holders = (0..<count).map { number in
      let holder = Holder()
      holder.token = Token(group: group)
      holder.text = "a text of holder \(number) that is on the heap"
      return holder
    }
    try store.add(holders)
    holders[0].others = List(holders)
    return store
  }

  @Test func `a snapshot outlives its store, and the last one releases the values`() throws {
    var store: Store? = try makeStore(1, 100)
    var first = store?.snapshot()
    let holders = try #require(store?.results(Holder.self)).map { $0 }
    for number in 0..<50 { holders[number].token = nil }
    #expect(Token.count(1) == 100)
    var second = store?.snapshot()
    store = nil
    #expect(first?.withObjects { $0.objects(Holder.self).count } == 100)
    for holder in holders { holder.token = nil }
    #expect(Token.count(1) == 100)
    first = nil
    #expect(Token.count(1) == 50)
    #expect(second?.withObjects { $0.objects(Holder.self)[0].others.count } == 100)
    second = nil
    #expect(Token.count(1) == 0)
  }

  @Test func `a removed object lives no longer than until the next snapshot`() throws {
    let store = try makeStore(2, 3)
    _ = store.snapshot()
    weak var member: Holder?
    try {
      let holder = try #require(Array(store.results(Holder.self)).last)
      member = holder
      try store.delete(holder)
    }()
    _ = store.snapshot()
    #expect(member == nil && Token.count(2) == 2)
  }

  @Test func `what could not be decoded is released`() throws {
    let snapshot = try makeStore(3, 10).snapshot()
    let text = String(decoding: try snapshot.encoded(), as: UTF8.self)
    let bad = text.replacingOccurrences(of: #""a text of holder 9 that is on the heap""#, with: "9")
    let present = Token.count(3)
    #expect(throws: GraphDecodingError.self) {
      try JSONDecoder().decode(Snapshot.self, from: Data(bad.utf8))
    }
    #expect(Token.count(3) == present)
  }

  @Test func `snapshots are read on many threads while the store changes`() async throws {
    let store = try makeStore(4, 300)
    let holders = store.results(Holder.self).map { $0 }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<40 {
        for number in 0..<10 {
          let holder = holders[(round * 7 + number) % holders.count]
          holder.text = "round \(round) in a text that is on the heap"
          holders[0].others.append(holder)
        }
        let snapshot = store.snapshot()
        let expected = holders.map(\.text)
        let length = holders[0].others.count
        group.addTask {
          let (texts, others) = snapshot.withObjects { objects in
            let read = objects.objects(Holder.self)
            return (read.map(\.text), read[0].others.count)
          }
          #expect(texts == expected && others == length)
          #expect(snapshot.object(ObjectID(replica: 0, counter: 0)) == nil)
          if round % 10 == 0 { #expect(Store(snapshot).snapshot() == snapshot) }
          if round % 20 > 0 { return }
          let coded = try snapshot.coded()
          #expect(coded == snapshot)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `copies and equal snapshots cross threads`() async throws {
    let snapshot = try makeStore(5, 20).snapshot()
    let same = await Task.detached { snapshot == snapshot && snapshot.count == 20 }.value
    #expect(same)
  }
}
