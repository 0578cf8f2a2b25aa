internal import Signals
internal import SignalsSync
internal import TestSupport
internal import Testing

/// The merge state as bytes, and compaction.
@Suite struct StateTests {
  @Test(arguments: 1...12)
  func `A restored store goes on merging as if it had never stopped`(seed: Int) throws {
    var simulation = Simulation(seed: UInt64(seed) + 5_000, peers: 3)
    for _ in 0..<50 { try simulation.step() }
    try simulation.restart(0)
    for _ in 0..<50 { try simulation.step() }
    try simulation.finish()
    #expect(simulation.failures == [], "seed \(seed)")
  }

  @Test func `A restored store has the sets that wait, and those that nothing has taken`() throws {
    let time = VirtualTime()
    let (one, two) = (Peer(1, time: time), Peer(2, time: time))
    let page = one.add(Page())
    page.title = "a"
    page.size = 3
    let sets = one.take()
    #expect(try two.merging.merge([sets[2], sets[1]]).waiting == 2)
    let other = two.add(Page())
    other.title = "mine"
    let state = two.merging.encodedState()
    let restored = try Peer(
      restoring: state, Store(two.store.snapshot()), time: time, made: [])
    #expect(restored.merging.encodedState() == state)
    try restored.merging.merge([sets[0]])
    #expect(restored.find(page)?.size == 3)
    #expect(restored.take() == two.take())
    // The next set carries the times that were seen before the restart.
    restored.find(page)?.title = "b"
    #expect(restored.take().first?.seen.first == sets[2].stamp)
  }

  @Test func `What authors had seen is bounded, and deletions stay decided`() throws {
    let time = VirtualTime()
    let peers = (1...3).map { Peer($0, time: time) }
    peers[0].merging.boundHistories(to: 20)
    let note = peers[1].add(Note())
    let page = peers[1].add(Page())
    for peer in peers { try peer.merging.merge(peers[1].take() + peers[1].made) }
    peers[2].find(note)?.text = "known to the deletion"
    let edit = peers[2].take()
    try peers[1].merging.merge(edit)
    try peers[1].store.delete(note)
    try peers[0].merging.merge(peers[1].take())
    for round in 0..<100 {
      let peer = peers[1 + round % 2]
      time.advance()
      peer.find(page)?.size = round
      let sets = peer.take()
      for other in peers where other !== peer { try other.merging.merge(sets) }
    }
    #expect(peers[0].merging.seenCount < 30)
    try peers[0].merging.merge(edit + peers[2].made)
    #expect(peers[0].find(note) == nil)
  }

  @Test func `Counters that aren't numbers can't be shared`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Odd: Object { @Counter var pair = Pair() }
      _ = MergingStore(Store(), sharing: [Odd.self])
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(text.contains("the counter 'pair'"))
  }

  @Test func `Damaged states are refused or read, and never trap`() throws {
    var simulation = Simulation(seed: 77, peers: 2)
    for _ in 0..<40 { try simulation.step() }
    let bytes = simulation.state(of: 0)
    var random = SeededGenerator(seed: 3)
    for _ in 0..<300 {
      var damaged = bytes
      damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
      do {
        _ = try MergingStore(restoring: damaged, of: Store(), sharing: sharedClasses)
      } catch {
        #expect("\(error)".isEmpty == false)
      }
    }
  }

  @Test func `Compaction forgets the deleted, and changes nothing that is visible`() throws {
    let time = VirtualTime()
    let (one, two) = (Peer(1, time: time), Peer(2, time: time))
    let tags = (0..<100).map { number in
      let tag = Tag()
      tag.name = "\(number)"
      return tag
    }
    try one.store.add(tags)
    for tag in tags.prefix(60) { try one.store.delete(tag) }
    try two.merging.merge(one.take())
    time.advance(by: 1000)
    let before = two.visible
    two.merging.compact(before: HybridTime(milliseconds: time.now))
    #expect(two.visible == before)
    tags[80].color = "red"
    try two.merging.merge(one.take())
    #expect(two.visible == one.visible)
  }

  @Test func `After compaction, a field written elsewhere takes at most 16 bytes`() throws {
    let (one, two) = (Store(undoLimit: 0), Store(undoLimit: 0))
    let writing = MergingStore(one, sharing: [Memo.self], as: ReplicaID(rawValue: 1))
    let merging = MergingStore(two, sharing: [Memo.self], as: ReplicaID(rawValue: 2))
    let memos = (0..<1000).map { _ in Memo() }
    try one.add(memos)
    for memo in memos {
      memo.title = "a"
      memo.text = "b"
      memo.size = 1
      memo.isDone = true
    }
    try merging.merge(writing.takeChanges())
    #expect(merging.columnBytes > 16 * 4 * memos.count)
    merging.compact(before: HybridTime(rawValue: .max))
    #expect(merging.columnBytes <= 16 * 4 * memos.count)
    memos[7].title = "later"
    try merging.merge(writing.takeChanges())
    #expect((merging.object(memos[7].objectID) as? Memo)?.title == "later")
  }

  @Test func `Compaction forgets owners and parts that died together, which undo brings back`()
    throws
  {
    let time = VirtualTime()
    let (one, two) = (Peer(1, time: time), Peer(2, time: time))
    let (page, kept) = (Page(), Page())
    (page.cover, page.note) = (Part(), Note())
    kept.cover = Part()
    (kept.title, page.title) = ("kept", "deleted")
    _ = one.add(page)
    _ = one.add(kept)
    try one.store.delete(page)
    try two.merging.merge(one.take())
    time.advance(by: 1000)
    let before = two.visible
    let size = two.merging.encodedState().count
    two.merging.compact(before: HybridTime(milliseconds: time.now))
    #expect(two.visible == before)
    #expect(two.merging.encodedState().count < size)
    try one.store.undo()
    kept.title = "still here"
    try two.merging.merge(one.take())
    #expect(two.visible == one.visible)
    #expect(two.store.brokenInvariants() == [])
  }

  @Test(arguments: 1...12)
  func `Peers that compact at different times converge`(seed: Int) throws {
    var simulation = Simulation(seed: UInt64(seed) + 60_000, peers: 3)
    for _ in 0..<4 {
      for _ in 0..<30 { try simulation.step() }
      try simulation.deliverAll()
      simulation.compact(seed % 3)
    }
    try simulation.finish()
    #expect(simulation.failures == [], "seed \(seed)")
  }
}

private final class Memo: Object {
  @Field var title = ""
  @Field var text = ""
  @Field var size = 0
  @Field var isDone = false
}

/// A value that can be added, and isn't a number.
private struct Pair: AdditiveArithmetic, Codable, Hashable, Sendable {
  var (left, right) = (0, 0)
  static let zero = Pair()
  static func + (lhs: Pair, rhs: Pair) -> Pair {
    Pair(left: lhs.left + rhs.left, right: lhs.right + rhs.right)
  }
  static func - (lhs: Pair, rhs: Pair) -> Pair {
    Pair(left: lhs.left - rhs.left, right: lhs.right - rhs.right)
  }
}
