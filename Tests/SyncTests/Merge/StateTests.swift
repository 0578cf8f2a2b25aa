internal import Signals
internal import SignalsSync
internal import Testing

/// The merge state as bytes, and what compaction leaves.
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
}
