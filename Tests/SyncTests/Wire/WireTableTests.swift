import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Tables of the wire")
struct WireTableTests {
  let replica = ReplicaID(rawValue: 1)

  @Test func `With more replicas than are listed, sets arrive as they were sent`() throws {
    var connection = try TestConnection()
    var builder = SharedChangeSetBuilder()
    for round in 1...2 as ClosedRange<UInt64> {
      let step = round == 1 ? 1 : 20
      let seen = (stride(from: 2, to: 66_000, by: step) as StrideTo<UInt64>).map {
        Stamp(time: HybridTime(milliseconds: round), replica: ReplicaID(rawValue: $0))
      }
      let set = try builder.finish(
        replica: replica, sequence: round, time: HybridTime(milliseconds: 9 + round), seen: seen)
      let other = try builder.finish(
        replica: ReplicaID(rawValue: 65_999 + round), sequence: round,
        time: HybridTime(milliseconds: 9))
      _ = try connection.send([set, other, set])
    }
  }

  @Test func `With more creators than are listed, sets arrive as they were sent`() throws {
    var connection = try TestConnection()
    var builder = SharedChangeSetBuilder()
    for round in 1...2 as ClosedRange<UInt64> {
      let step = round == 1 ? 1 : 20
      for number in stride(from: 0, to: 66_000, by: step) as StrideTo<UInt64> {
        builder.create(ObjectID(replica: number, counter: number), class: "Book")
      }
      for number in [3, 65_700, 65_800, 3] as [UInt64] {
        let other = ObjectID(replica: number, counter: 1)
        try builder.append(.set, other, property: "link", value: other)
      }
      let set = try builder.finish(
        replica: replica, sequence: round, time: HybridTime(milliseconds: round))
      _ = try connection.send([set])
    }
  }

  @Test func `With more names than are listed, sets arrive as they were sent`() throws {
    var connection = try TestConnection()
    var builder = SharedChangeSetBuilder()
    let object = ObjectID(replica: 1, counter: 1)
    for round in 1...3 as ClosedRange<UInt64> {
      for number in 0..<600 {
        let name = "\(min(round, 2))" + String(repeating: "n", count: 1_000) + "\(number)"
        try builder.append(.set, object, property: name, value: true)
      }
      let set = try builder.finish(
        replica: replica, sequence: round, time: HybridTime(milliseconds: round))
      _ = try connection.send([set])
    }
  }

  @Test func `With more partitions than are listed, messages arrive as they were sent`() throws {
    var connection = try TestConnection()
    for round in 1...2 as ClosedRange<UInt64> {
      for number in stride(from: 0, to: 14_500, by: round == 1 ? 1 : 200) {
        let name = String(repeating: "n", count: 75) + "\(number)"
        let head = LogHead(position: LogPosition(rawValue: round), chain: round)
        let message = WireMessage.acknowledgment(
          WirePlace(partition: Partition(name), head: head))
        #expect(try connection.send(message).0 == message)
      }
    }
  }

  @Test func `Names that look alike but have other bytes are different names`() throws {
    var connection = try TestConnection()
    let names = ["caf\u{e9}", "cafe\u{301}"]
    let fill = (0..<10).map { "p\($0)" }
    for fill in [[], fill] {
      for name in fill + names + names.reversed() {
        var builder = SharedChangeSetBuilder()
        try builder.append(
          .set, ObjectID(replica: 1, counter: 1), property: name, value: name)
        let set = try builder.finish(
          replica: replica, sequence: 1, time: HybridTime(milliseconds: 1))
        let place = WirePlace(partition: Partition(name), head: .start)
        let sent = WireMessage.changeSets(
          WireChangeSets(partition: Partition(name), position: 1, sets: [set]))
        guard case .changeSets(let content) = try connection.send(sent).0,
          case .acknowledgment(let received) = try connection.send(.acknowledgment(place)).0
        else { throw WireError.misplacedHello }
        #expect(content.sets == [set])
        #expect(Array(content.partition.name.utf8) == Array(name.utf8))
        #expect(Array(received.partition.name.utf8) == Array(name.utf8))
      }
    }
  }

  @Test func `A partition's name has at most 80 bytes, at both ends`() throws {
    var connection = try TestConnection()
    let longest = WirePlace(
      partition: Partition(String(repeating: "é", count: 40)), head: .start)
    #expect(try connection.send(.acknowledgment(longest)).0 == .acknowledgment(longest))
    let error = WireError.partitionTooLong(count: 81, limit: 80)
    let partition = Partition(String(repeating: "a", count: 81))
    let place = WirePlace(partition: partition, head: .start)
    #expect(throws: error) { try connection.send(.acknowledgment(place)) }
    #expect(throws: error) { try connection.send(.stateHash(place, 1)) }
    var sets = RandomChangeSets(seed: 1)
    let content = WireChangeSets(partition: partition, position: nil, sets: [sets.next()])
    #expect(throws: error) { try connection.send(.changeSets(content)) }
    var writer = ByteWriter()
    writer.write(2)
    writer.write(0)
    writer.writeText(partition.name)
    #expect(throws: error) { try connection.decoder.decode(writer.bytes) }
    #expect(try connection.send(.acknowledgment(longest)).0 == .acknowledgment(longest))
  }
}
