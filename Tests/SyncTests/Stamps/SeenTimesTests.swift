import SignalsSync
import TestSupport
import Testing

@Suite("Seen times")
struct SeenTimesTests {
  @Test(arguments: 0..<20)
  func `They are the maximum for each replica, and a delta has what is new`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var seen = SeenTimes()
    var model: [ReplicaID: HybridTime] = [:]
    var taken = SeenTimes()
    let author = ReplicaID(rawValue: 1)
    for _ in 0..<300 {
      let stamp = Stamp(
        time: HybridTime(rawValue: .random(in: 1...100, using: &random)),
        replica: ReplicaID(rawValue: .random(in: 1...9, using: &random)))
      #expect(seen.contains(stamp) == (stamp.time <= model[stamp.replica] ?? .zero))
      #expect(seen.note(stamp) == (stamp.time > model[stamp.replica] ?? .zero))
      model[stamp.replica] = max(model[stamp.replica] ?? .zero, stamp.time)
      #expect(seen[stamp.replica] == model[stamp.replica], "seed \(seed)")
      if random.chance(20) {
        let expected = seen.delta(since: taken).filter { $0.replica != author }
        #expect(seen.takeDelta(excluding: author) == expected)
        taken = seen
      }
    }
    #expect(seen.stamps.map(\.replica) == model.keys.sorted())
    #expect(seen.count == model.count)
  }

  @Test func `A union has the later time of each replica, in any order`() {
    let replicas = (1...3).map { ReplicaID(rawValue: $0) }
    func stamps(_ times: [UInt64]) -> SeenTimes {
      SeenTimes(zip(times, replicas).map { Stamp(time: .init(rawValue: $0), replica: $1) })
    }
    var left = stamps([3, 1])
    let right = stamps([2, 5, 1])
    var other = right
    other.formUnion(left)
    left.formUnion(right)
    #expect(left == stamps([3, 5, 1]))
    #expect(other == left)
  }

  @Test func `Without anything new a delta is empty`() {
    var seen = SeenTimes()
    seen.note(Stamp(time: HybridTime(rawValue: 4), replica: ReplicaID(rawValue: 7)))
    #expect(seen.takeDelta(excluding: ReplicaID(rawValue: 1)).count == 1)
    #expect(seen.takeDelta(excluding: ReplicaID(rawValue: 1)).isEmpty)
    seen.note(Stamp(time: HybridTime(rawValue: 4), replica: ReplicaID(rawValue: 7)))
    #expect(seen.takeDelta(excluding: ReplicaID(rawValue: 1)).isEmpty)
  }
}
