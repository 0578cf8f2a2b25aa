import SignalsSync
import Synchronization
import TestSupport
import Testing

/// A wall clock that a test sets.
private final class TestWall: Sendable {
  let time = Atomic<UInt64>(1_000_000)

  func clock(after last: HybridTime = .zero) -> HybridClock {
    HybridClock(after: last) { self.time.load(ordering: .relaxed) }
  }

  func set(_ milliseconds: UInt64) { time.store(milliseconds, ordering: .relaxed) }
}

@Suite("Hybrid clock")
struct HybridClockTests {
  @Test(arguments: 0..<20)
  func `Times go up, and are later than what was witnessed, whatever the wall clock does`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let wall = TestWall()
    var clock = wall.clock()
    var last = HybridTime.zero
    for _ in 0..<2_000 {
      if random.chance(20) { wall.set(.random(in: 0...2_000_000, using: &random)) }
      if random.chance(30) {
        let time = HybridTime(
          milliseconds: .random(in: 0...2_100_000, using: &random),
          counter: .random(in: 0...UInt16.max, using: &random))
        if random.chance(50) {
          clock.witness(time)
          last = max(last, time)
        } else if (try? clock.accept(time)) != nil {
          last = max(last, time)
        }
      }
      let next = clock.next()
      #expect(next > last, "seed \(seed)")
      last = next
    }
  }

  @Test func `A time is the wall clock's where that goes up`() {
    let wall = TestWall()
    var clock = wall.clock()
    #expect(clock.next() == HybridTime(milliseconds: 1_000_000))
    wall.set(1_000_007)
    #expect(clock.next() == HybridTime(milliseconds: 1_000_007))
    #expect(clock.next() == HybridTime(milliseconds: 1_000_007, counter: 1))
    wall.set(900_000)
    #expect(clock.next() == HybridTime(milliseconds: 1_000_007, counter: 2))
  }

  @Test func `The counter runs over into the next millisecond`() {
    let wall = TestWall()
    var clock = wall.clock(after: HybridTime(milliseconds: 1_000_000, counter: .max))
    #expect(clock.next() == HybridTime(milliseconds: 1_000_001))
  }

  @Test func `After a restart times go on after the last one`() {
    let last = HybridTime(milliseconds: 5_000_000, counter: 9)
    var clock = TestWall().clock(after: last)
    #expect(clock.next() == HybridTime(milliseconds: 5_000_000, counter: 10))
  }

  @Test func `A wall clock beyond the latest time that changes can have is held there`() {
    let wall = TestWall()
    wall.set(.max)
    var clock = wall.clock()
    #expect(clock.next().milliseconds == HybridTime.latest.milliseconds)
  }

  @Test func `The system's clock is after 2025`() {
    #expect(WallClock.milliseconds() > 1_735_689_600_000)
  }
}

@Suite("Hybrid clock, drift")
struct ClockDriftTests {
  @Test func `A log refuses a time further ahead than the bound, and its clock stays`() throws {
    let wall = TestWall()
    var clock = wall.clock()
    let bound = 1_000_000 + HybridClock.driftBound
    let time = HybridTime(milliseconds: bound + 1)
    #expect(throws: ClockDriftError(time: time, wall: 1_000_000)) { try clock.accept(time) }
    #expect(clock.last == .zero)
    try clock.accept(HybridTime(milliseconds: bound, counter: .max))
    #expect(clock.last == HybridTime(milliseconds: bound, counter: .max))
  }

  @Test func `Peers can't move the bound, each a little ahead of the last`() throws {
    var clock = TestWall().clock()
    try clock.accept(HybridTime(milliseconds: 1_060_000))
    try clock.accept(HybridTime(milliseconds: 1_060_001))
    #expect(throws: ClockDriftError.self) {
      try clock.accept(HybridTime(milliseconds: 1_060_003))
    }
  }

  @Test func `A reader takes in each time of a log`() {
    var clock = TestWall().clock()
    clock.witness(HybridTime(milliseconds: 9_000_000))
    #expect(clock.last == HybridTime(milliseconds: 9_000_000))
    clock.witness(HybridTime(milliseconds: 8))
    #expect(clock.last == HybridTime(milliseconds: 9_000_000))
    #expect(clock.next() == HybridTime(milliseconds: 9_000_000, counter: 1))
  }

  @Test func `A replica whose wall clock was ahead goes back, and is accepted again`() throws {
    let (wall, right) = (TestWall(), TestWall())
    var (clock, log) = (wall.clock(), right.clock())
    try log.accept(clock.next())
    let accepted = clock.last
    wall.set(9_000_000)
    let lost = clock.next()
    wall.set(1_000_001)
    right.set(1_000_001)
    #expect(clock.next() > lost)
    #expect(throws: ClockDriftError.self) { try log.accept(lost) }
    clock.goBack(to: accepted)
    let again = clock.next()
    #expect(again == HybridTime(milliseconds: 1_000_001))
    try log.accept(again)
    clock.goBack(to: HybridTime(milliseconds: 5_000_000))
    #expect(clock.last == again)
  }

  @Test func `A log whose wall clock was ahead goes on accepting the changes of its readers`()
    throws
  {
    let (wall, right) = (TestWall(), TestWall())
    var log = wall.clock()
    var (first, second) = (wall.clock(), right.clock())
    wall.set(9_000_000)
    try log.accept(first.next())
    second.witness(log.last)
    wall.set(1_000_000)
    for _ in 0..<3 {
      let time = second.next()
      try log.accept(time)
      first.witness(time)
      try log.accept(first.next())
      second.witness(log.last)
    }
    #expect(log.last == HybridTime(milliseconds: 9_000_000, counter: 6))
    #expect(throws: ClockDriftError.self) {
      try log.accept(HybridTime(milliseconds: 9_000_002))
    }
  }
}

@Suite("Stamps")
struct StampTests {
  @Test func `Stamps are ordered by time, then by replica`() {
    let times = [HybridTime(milliseconds: 1), HybridTime(milliseconds: 1, counter: 1)]
    let replicas = [ReplicaID(rawValue: 1), ReplicaID(rawValue: .max)]
    let ordered = times.flatMap { time in replicas.map { Stamp(time: time, replica: $0) } }
    for (index, stamp) in ordered.enumerated() {
      for (other, otherStamp) in ordered.enumerated() {
        #expect((stamp < otherStamp) == (index < other))
      }
    }
  }

  @Test func `A time keeps its parts`() {
    let time = HybridTime(milliseconds: (1 << 48) - 1, counter: .max - 1)
    #expect(time.milliseconds == (1 << 48) - 1)
    #expect(time.counter == UInt16.max - 1)
  }

  @Test func `Descriptions name replica and time`() {
    let stamp = Stamp(
      time: HybridTime(milliseconds: 12, counter: 3), replica: ReplicaID(rawValue: 0xab))
    #expect("\(stamp)" == "12+3@00000000000000ab")
    let error = ClockDriftError(time: HybridTime(milliseconds: 70_000), wall: 5_000)
    #expect("\(error)".contains("65000 ms"))
  }
}
