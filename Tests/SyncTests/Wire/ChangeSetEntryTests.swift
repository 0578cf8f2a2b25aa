import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Entries of a log")
struct ChangeSetEntryTests {
  @Test(arguments: 0..<10)
  func `Damaged entries give typed errors, or are the entries of other sets`(seed: UInt64) throws {
    var sets = RandomChangeSets(seed: seed)
    var random = SeededGenerator(seed: seed)
    var coder = ChangeSetEntryCoder()
    for _ in 0..<60 {
      let set = sets.next()
      let bytes = coder.encode(set)
      for _ in 0..<10 * effort {
        let other = damaged(bytes, using: &random)
        do throws(WireError) {
          // There is one form of each set.
          let decoded = try coder.decode(other)
          #expect(coder.encode(decoded) == other, "seed \(seed)")
        } catch {
          #expect(!"\(error)".isEmpty)
        }
      }
      #expect(try coder.decode(bytes) == set, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<10)
  func `An entry is read alone, by any coder`(seed: UInt64) throws {
    var sets = RandomChangeSets(seed: seed)
    var writer = ChangeSetEntryCoder()
    let entries = [1, 0, 5, 1, 40].map { count in
      let set = sets.next(operations: count)
      return (set: set, bytes: writer.encode(set))
    }
    var reader = ChangeSetEntryCoder()
    for (set, bytes) in entries.reversed() {
      #expect(try reader.decode(bytes) == set)
      #expect(reader.encode(set) == bytes)
    }
  }

  @Test(arguments: 0..<10)
  func `A receiver of change sets knows the head of the log that has them`(seed: UInt64) throws {
    var sets = RandomChangeSets(seed: seed)
    var connection = try TestConnection()
    var (writer, reader) = (ChangeSetEntryCoder(), ChangeSetEntryCoder())
    var (sent, known) = (LogHead.start, LogHead.start)
    for _ in 0..<30 {
      let batch = (0..<3).map { _ in sets.next() }
      let message = WireMessage.changeSets(
        WireChangeSets(partition: "p", position: sent.position, sets: batch))
      for set in batch { sent = sent.after(writer.encode(set)) }
      guard case .changeSets(let received) = try connection.send(message).0 else {
        throw WireError.misplacedHello
      }
      #expect(received.position == known.position)
      for set in received.sets { known = known.after(reader.encode(set)) }
      #expect(known == sent, "seed \(seed)")
    }
    #expect(known.position == 90)
  }

  private func error(_ bytes: [UInt8]) -> WireError? {
    var coder = ChangeSetEntryCoder()
    do throws(WireError) {
      _ = try coder.decode(bytes)
      return nil
    } catch {
      return error
    }
  }

  let replica: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 0, 0]

  @Test func `Each kind of damage of a header has its error`() {
    #expect(error([]) == .damaged(.endOfBytes(offset: 0)))
    #expect(error([2]) == .unknownKind(2))
    #expect(error([1]) == .damaged(.endOfBytes(offset: 1)))
    #expect(error([1, 0x00]) == .invalid(.flags, offset: 1))
    #expect(error([1, 0xa0]) == .invalid(.flags, offset: 1))
    #expect(error([1, 0x81, 1]) == .unknownPosition(0, table: .replicas, offset: 2))
    #expect(error([1, 0x88, 2, 9]) == .damaged(.invalidCount(9, offset: 3)))
    #expect(error([1, 0x88, 2, 0]) == nil)
    #expect(error([1, 0x88, 2, 0, 0]) == .trailingBytes(offset: 4))
  }

  @Test func `What is announced although it is the expected is refused`() {
    #expect(error([1, 0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == .invalid(.flags, offset: 2))
    #expect(error([1, 0x82, 0, 2]) == .invalid(.flags, offset: 2))
    #expect(error([1, 0x90, 2, 0]) == .invalid(.flags, offset: 3))
    #expect(error([1, 0x84, 2, 0]) == .invalid(.flags, offset: 3))
    #expect(error([1, 0x88, 2, 1, 0]) == .invalid(.flags, offset: 3))
    let text: [UInt8] = [0, 1, 0x61]
    #expect(error([1, 0x80, 2, 0x30, 0] + text) == .invalid(.operation, offset: 4))
    #expect(error([1, 0x80, 2, 0x30, 2] + text) == .invalid(.operation, offset: 4))
    #expect(error([1, 0x80, 2, 0x30, 4] + text) == nil)
    let creator: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(error([1, 0x80, 2, 0x38] + creator + [4] + text) == .invalid(.operation, offset: 4))
    let names: [UInt8] = [0x20, 0, 1, 0x61, 0x20, 1, 0x20, 1]
    #expect(error([1, 0x88, 2, 3] + names) == .invalid(.operation, offset: 10))
    #expect(error([1, 0x88, 2, 3] + names.dropLast(2) + [0x00]) == nil)
  }

  @Test func `A time of zero, or so late that clocks would end, is refused`() {
    #expect(error([1, 0x88, 0, 0]) == nil)
    #expect(error([1, 0x98, 0, 0, 0]) == .invalid(.time, offset: 2))
    #expect(error([1, 0x80, 1]) == .invalid(.time, offset: 2))
    #expect(error([1, 0x90, 0, 0x80, 0x80, 0x04]) == .invalid(.time, offset: 3))
    var late = ByteWriter(bytes: [1, 0x88])
    late.writeSignedVarint(1 << 47)
    late.write(0)
    #expect(error(late.bytes) == .invalid(.time, offset: 2))
    late = ByteWriter(bytes: [1, 0x88])
    late.writeSignedVarint(1 << 47 - 1)
    late.write(0)
    #expect(error(late.bytes) == nil)
  }

  @Test func `A sequence of zero is refused`() {
    #expect(error([1, 0x82, 1, 2]) == .invalid(.sequence, offset: 2))
  }

  @Test func `What an author can't have seen is refused`() {
    let other: [UInt8] = [0, 2, 0, 0, 0, 0, 0, 0, 0]
    func seen(_ stamps: [UInt8], count: UInt8 = 1) -> WireError? {
      error([1, 0x8d] + replica + [6, count] + stamps + [0])
    }
    #expect(seen(other + [2, 0]) == nil)
    #expect(seen(other + [0, 0]) == .invalid(.seen, offset: 13))
    #expect(seen(other + [1, 0]) == .invalid(.seen, offset: 13))
    #expect(seen(other + [6, 0]) == .invalid(.seen, offset: 13))
    #expect(seen(other + [8, 0]) == .invalid(.time, offset: 22))
    #expect(seen([1, 2, 0]) == .invalid(.seen, offset: 13))
    #expect(seen(replica + [2, 0]) == .listedTwice(.replicas, offset: 13))
    #expect(seen(other + [2, 0, 2, 2, 0], count: 2) == .invalid(.seen, offset: 24))
    let zero: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(seen(other + [2, 0] + zero + [2, 0], count: 2) == .invalid(.seen, offset: 24))
  }

  @Test func `Each kind of damage of an operation has its error`() {
    #expect(error([1, 0x80, 2, 0x00]) == .invalid(.operation, offset: 3))
    #expect(error([1, 0x80, 2, 0x27]) == .invalid(.operation, offset: 3))
    #expect(error([1, 0x80, 2, 0x60]) == .invalid(.operation, offset: 3))
    let twice: [UInt8] = [1, 0x88, 2, 2, 0x20, 0, 1, 0x61, 0x20, 0, 1, 0x61]
    #expect(error(twice) == .listedTwice(.names, offset: 9))
    let set: [UInt8] = [1, 0x80, 2, 0x22, 0, 1, 0x61]
    #expect(error(set) == .value(.damaged(.endOfBytes(offset: 7))))
    #expect(error(set + [0xff]) == .value(.unknownTag(0xff, offset: 7)))
    #expect(error(set + [0x83, 0]) == .value(.notCanonical(offset: 7)))
    let link: [UInt8] = [0x8a, 0, 0, 0, 0, 0, 0, 0, 0, 5]
    #expect(error(set + link) == .value(.notCanonical(offset: 7)))
  }

  @Test func `More operations than a message can have are refused before they are read`() {
    var writer = ByteWriter(bytes: [1, 0x88, 2])
    writer.writeVarint(UInt64(WireMessage.operationLimit))
    writer.write(contentsOf: [UInt8](repeating: 0, count: WireMessage.operationLimit))
    #expect(error(writer.bytes) == .tooManyOperations(limit: WireMessage.operationLimit))
  }

  @Test func `A set that is too large is refused`() {
    let count = SharedChangeSet.sizeLimit - 50
    var writer = ByteWriter(bytes: [1, 0x80, 2, 0x22, 0, 1, 0x61, 0x87])
    writer.writeVarint(UInt64(count))
    writer.write(contentsOf: [UInt8](repeating: 0x61, count: count))
    let size = ChangeSetSizeError.tooLarge(
      size: count + 5 + 1 + 24 + 64, limit: SharedChangeSet.sizeLimit)
    #expect(error(writer.bytes) == .size(size))
    let bytes = [UInt8](repeating: 1, count: SharedChangeSet.sizeLimit + 1)
    let limit = WireError.tooLarge(
      count: UInt64(bytes.count), limit: SharedChangeSet.sizeLimit)
    #expect(error(bytes) == limit)
  }

  @Test func `More change sets than a message can have are refused at both ends`() throws {
    var connection = try TestConnection()
    var builder = SharedChangeSetBuilder()
    let set = try builder.finish(
      replica: ReplicaID(rawValue: 1), sequence: 1, time: HybridTime(milliseconds: 1))
    let count = WireMessage.operationLimit / WireMessage.operationsOfSet
    let error = WireError.tooManyOperations(limit: WireMessage.operationLimit)
    let sets = [SharedChangeSet](repeating: set, count: count + 1)
    #expect(throws: error) { try connection.send(sets) }
    // Each set is the next of its author, a moment after the one before.
    let bytes = [UInt8](repeatElement([0x88, 2, 0], count: count + 1).joined())
    #expect(throws: error) { try connection.decoder.decode(bytes) }
    _ = try connection.send(.presence([]))
  }
}
