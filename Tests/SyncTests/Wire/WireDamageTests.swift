import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Damaged messages")
struct WireDamageTests {
  /// In release 300,000 in all.
  @Test(arguments: 0..<10)
  func `They give typed errors and leave the tables unchanged, or are other messages`(
    seed: UInt64
  ) throws {
    let messages = randomMessages(seed: seed, count: 60)
    var random = SeededGenerator(seed: seed)
    var encoder = WireEncoder()
    var decoder = WireDecoder()
    var errors = 0
    let attempts = 25 * effort
    for message in messages {
      let bytes = Array(try encoder.encode(message).drop { $0 >= 0x80 }.dropFirst())
      for _ in 0..<attempts {
        let saved = decoder
        do throws(WireError) {
          _ = try decoder.decode(damaged(bytes, using: &random))
          decoder = saved
        } catch {
          errors += 1
          #expect(!"\(error)".isEmpty)
        }
      }
      #expect(try decoder.decode(bytes) == message, "seed \(seed)")
    }
    #expect(errors > messages.count * attempts / 4)
  }

  @Test func `Names in messages that aren't valid take no room in the table`() throws {
    var connection = try TestConnection()
    var builder = SharedChangeSetBuilder()
    for number in 0..<1_200 as Range<UInt64> {
      let name = "\(number)" + String(repeating: "n", count: 1_000)
      builder.create(ObjectID(replica: 1, counter: 1), class: name)
      let set = try builder.finish(
        replica: ReplicaID(rawValue: 1), sequence: 1, time: HybridTime(milliseconds: 1))
      var encoder = WireEncoder()
      let message = WireMessage.changeSets(
        WireChangeSets(partition: "p", position: nil, sets: [set]))
      // Without the length of two bytes; with a byte that begins no change set.
      let bytes = Array(try encoder.encode(message).dropFirst(2)) + [0]
      #expect(throws: WireError.self) { try connection.decoder.decode(bytes) }
    }
    for sequence in 1...2 as ClosedRange<UInt64> {
      let name = String(repeating: "n", count: 2_000)
      builder.create(ObjectID(replica: 1, counter: 1), class: name)
      let set = try builder.finish(
        replica: ReplicaID(rawValue: 1), sequence: sequence,
        time: HybridTime(milliseconds: 1))
      _ = try connection.send([set])
    }
  }

  @Test func `Random bytes are no messages`() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<2_000 * effort {
      let count = Int.random(in: 0...60, using: &random)
      var decoder = WireDecoder()
      decoder.append((0..<count).map { _ in .random(in: 0...255, using: &random) })
      #expect((try? decoder.next()) == nil)
    }
  }
}
