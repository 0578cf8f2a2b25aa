import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Damaged messages")
struct WireDamageTests {
  /// In release 1,000,000 in all.
  @Test(arguments: 0..<10)
  func `They give typed errors and leave the tables unchanged, or are other messages`(
    seed: UInt64
  ) throws {
    let messages = randomMessages(seed: seed, count: 60)
    var random = SeededGenerator(seed: seed)
    var encoder = WireEncoder()
    var decoder = WireDecoder()
    var errors = 0
    let attempts = 85 * effort
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
      let set = builder.finish(replica: ReplicaID(rawValue: 1), sequence: 1, time: .zero)
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
      let set = builder.finish(replica: ReplicaID(rawValue: 1), sequence: sequence, time: .zero)
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

  @Test(arguments: 0..<10)
  func `Damaged entries of a log give typed errors, or are other entries`(seed: UInt64) throws {
    var sets = RandomChangeSets(seed: seed)
    var random = SeededGenerator(seed: seed)
    var coder = ChangeSetEntryCoder()
    for _ in 0..<50 {
      let entry = (0..<3).map { _ in sets.next() }
      let bytes = try coder.encode(entry)
      for _ in 0..<10 * effort {
        _ = try? coder.decode(damaged(bytes, using: &random))
      }
      #expect(try coder.decode(bytes) == entry)
    }
  }

  @Test(arguments: 0..<10)
  func `An entry of a log is read alone, by any coder`(seed: UInt64) throws {
    var sets = RandomChangeSets(seed: seed)
    var writer = ChangeSetEntryCoder()
    var entries: [([SharedChangeSet], [UInt8])] = []
    for count in [1, 0, 5, 1, 40] {
      let entry = (0..<count).map { _ in sets.next() }
      entries.append((entry, try writer.encode(entry)))
    }
    var reader = ChangeSetEntryCoder()
    for (entry, bytes) in entries.reversed() {
      #expect(try reader.decode(bytes) == entry)
      #expect(try writer.encode(entry) == bytes)
    }
  }

  @Test func `Each kind of damage has its error`() throws {
    func error(_ bytes: [UInt8]) -> WireError? {
      var coder = ChangeSetEntryCoder()
      do throws(WireError) {
        _ = try coder.decode(bytes)
        return nil
      } catch {
        return error
      }
    }
    let replica: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 0, 0]
    #expect(error([]) == .damaged(.endOfBytes(offset: 0)))
    #expect(error([2]) == .unknownKind(2))
    #expect(error([1]) == nil)
    #expect(error([1, 0x00]) == .invalid(.flags, offset: 1))
    #expect(error([1, 0xa0]) == .invalid(.flags, offset: 1))
    #expect(error([1, 0x81, 1]) == .unknownPosition(0, table: .replicas, offset: 2))
    let listed = [1, 0x89] + replica + [0, 0, 0x89] + replica
    #expect(error(listed) == .listedTwice(.replicas, offset: 14))
    #expect(error([1, 0x80, 1]) == .invalid(.time, offset: 2))
    #expect(error([1, 0x90, 0, 0x80, 0x80, 0x04]) == .invalid(.time, offset: 3))
    #expect(error([1, 0x88, 0, 9]) == .damaged(.invalidCount(9, offset: 3)))
    #expect(error([1, 0x80, 0, 0x00]) == .invalid(.operation, offset: 3))
    #expect(error([1, 0x80, 0, 0x27]) == .invalid(.operation, offset: 3))
    #expect(error([1, 0x80, 0, 0x60]) == .invalid(.operation, offset: 3))
    #expect(error([1, 0x80, 0, 0x22, 0, 1, 0x61]) == .value(.damaged(.endOfBytes(offset: 7))))
    #expect(error([1, 0x80, 0, 0x22, 0, 1, 0x61, 0xff]) == .value(.unknownTag(0xff, offset: 7)))
    let seen = [1, 0x8c, 0, 2] + replica + [0, 0, 1, 0, 0, 0]
    #expect(error(seen) == .invalid(.seen, offset: 15))
    let twice: [UInt8] = [1, 0x88, 0, 2, 0x20, 0, 1, 0x61, 0x20, 0, 1, 0x61]
    #expect(error(twice) == .listedTwice(.names, offset: 9))
  }
}
