import Signals
import SignalsSync
import TestSupport
import Testing

/// The two ends of one direction of a connection.
struct TestConnection {
  var encoder = WireEncoder()
  var decoder = WireDecoder()

  /// - Parameter begun: Whether a hello was sent.
  init(begun: Bool = true) throws {
    guard begun else { return }
    _ = try send(.hello(WireHello(replica: ReplicaID(rawValue: 1))))
  }

  mutating func send(_ message: WireMessage) throws -> (WireMessage?, count: Int) {
    let bytes = try encoder.encode(message)
    decoder.append(bytes)
    return (try decoder.next(), bytes.count)
  }

  /// Sends change sets, and returns the number of bytes.
  mutating func send(
    _ sets: [SharedChangeSet], partition: Partition = "p", position: LogPosition? = nil
  ) throws -> Int {
    let message = WireMessage.changeSets(
      WireChangeSets(partition: partition, position: position, sets: sets))
    let (received, count) = try send(message)
    #expect(received == message)
    return count
  }
}

/// The messages of a random connection.
func randomMessages(seed: UInt64, count: Int) -> [WireMessage] {
  var sets = RandomChangeSets(seed: seed)
  let log = seed.isMultiple(of: 2) ? nil : LogIdentity(rawValue: seed)
  var messages: [WireMessage] = [.hello(WireHello(replica: sets.replicas[0], log: log))]
  var position: LogPosition?
  while messages.count < count {
    let partition = Partition("partition=\(Int.random(in: 0...3, using: &sets.random))")
    let head = LogHead(
      position: LogPosition(rawValue: sets.random.next()), chain: sets.random.next())
    let place = WirePlace(partition: partition, head: head)
    let bytes = (0..<Int.random(in: 0...300, using: &sets.random)).map { UInt8($0 % 251) }
    switch Int.random(in: 0...9, using: &sets.random) {
    case 0: messages.append(.acknowledgment(place))
    case 1: messages.append(.presence(bytes))
    case 2: messages.append(.stateHash(place, sets.random.next()))
    case 3:
      messages.append(
        .snapshotPiece(
          WireSnapshotPiece(place: place, offset: 7, total: 7 + 300, bytes: bytes)))
    default:
      let count = sets.random.chance(60) ? 1 : Int.random(in: 2...9, using: &sets.random)
      if sets.random.chance(20) {
        position = sets.random.chance(50) ? nil : LogPosition(rawValue: sets.random.next())
      }
      let content = WireChangeSets(
        partition: partition, position: position, sets: (0..<count).map { _ in sets.next() })
      messages.append(.changeSets(content))
      position = position?.advanced(by: count)
    }
  }
  return messages
}

@Suite("Wire")
struct WireTests {
  @Test(arguments: 0..<20)
  func `Messages arrive as they were sent, in whatever pieces their bytes come`(seed: UInt64) throws
  {
    let messages = randomMessages(seed: seed, count: 100 * effort)
    var random = SeededGenerator(seed: seed)
    var encoder = WireEncoder()
    let bytes = try messages.flatMap { try encoder.encode($0) }
    var decoder = WireDecoder()
    var received: [WireMessage] = []
    var offset = 0
    while offset < bytes.count {
      let longest = random.chance(50) ? 3 : 2_000
      let end = min(bytes.count, offset + .random(in: 1...longest, using: &random))
      decoder.append(Array(bytes[offset..<end]))
      offset = end
      while let message = try decoder.next() { received.append(message) }
    }
    #expect(received == messages, "seed \(seed)")
    #expect(decoder.hello.map { .hello($0) } == messages[0])
  }

  @Test func `The format of each message`() throws {
    var encoder = WireEncoder()
    let chain: UInt64 = 0x0807_0605_0403_0201
    let place = WirePlace(partition: "c=1", head: LogHead(position: 300, chain: chain))
    let head: [UInt8] = [0xac, 0x02, 1, 2, 3, 4, 5, 6, 7, 8]
    #expect(
      try encoder.encode(.hello(WireHello(replica: ReplicaID(rawValue: 0x0102)))) == [
        16, 1, 0x53, 0x59, 0x47, 0x53, 1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0,
      ])
    let served = WireHello(replica: ReplicaID(rawValue: 0), log: LogIdentity(rawValue: 9))
    #expect(
      try encoder.encode(.hello(served))[8...] == [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 0, 0, 0, 0,
      ])
    #expect(
      try encoder.encode(.acknowledgment(place)) == [16, 2, 0, 3, 0x63, 0x3d, 0x31] + head)
    let piece = WireSnapshotPiece(place: place, offset: 1, total: 3, bytes: [8, 9])
    #expect(
      try encoder.encode(.snapshotPiece(piece)) == [16, 3, 1] + head + [1, 3, 8, 9])
    #expect(
      try encoder.encode(.stateHash(place, 5)) == [20, 4, 1] + head + [5, 0, 0, 0, 0, 0, 0, 0])
    #expect(try encoder.encode(.presence([1, 2])) == [3, 5, 1, 2])
  }

  @Test func `The format of change sets`() throws {
    var encoder = WireEncoder()
    var builder = SharedChangeSetBuilder()
    let object = ObjectID(replica: 3, counter: 10)
    func message(
      _ sequence: UInt64, _ milliseconds: UInt64, seen: [Stamp] = []
    ) throws -> WireMessage {
      let set = try builder.finish(
        replica: ReplicaID(rawValue: 2), sequence: sequence,
        time: HybridTime(milliseconds: milliseconds), seen: seen)
      return .changeSets(WireChangeSets(partition: "p", position: nil, sets: [set]))
    }
    builder.create(object, class: "B")
    try builder.append(.set, object, property: "t", value: 5)
    try builder.append(.set, object, property: "l", value: ObjectID(replica: 3, counter: 12))
    #expect(
      try encoder.encode(message(1, 100)) == [
        41, 0xa9, 0, 1, 0x70, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0xc8, 0x01, 3,
        0x38, 0, 3, 0, 0, 0, 0, 0, 0, 0, 20, 0, 1, 0x42, 0x22, 0, 1, 0x74, 0x26, 0, 1, 0x6c, 1, 4,
        0x0a,
      ])
    builder.create(ObjectID(replica: 3, counter: 11), class: "B")
    try builder.append(.set, ObjectID(replica: 3, counter: 11), property: "t", value: 6)
    #expect(
      try encoder.encode(message(2, 101)) == [7, 0x88, 2, 2, 0x28, 1, 0x02, 0x0c])
    try builder.append(.add, object, property: "t", value: 1)
    let seen = Stamp(
      time: HybridTime(milliseconds: 90, counter: 1), replica: ReplicaID(rawValue: 4))
    #expect(
      try encoder.encode(message(9, 101, seen: [seen])) == [
        20, 0x96, 12, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 22, 1, 0x33, 1, 2, 2,
      ])
  }

  @Test func `A change of one field in a running connection takes at most 7 bytes and the value`()
    throws
  {
    var connection = try TestConnection()
    var builder = SharedChangeSetBuilder()
    let replica = ReplicaID.random()
    var counts: [Int] = []
    for number in 1...200 as ClosedRange<UInt64> {
      let object = ObjectID(replica: replica.rawValue, counter: 1_000 + number * 37 % 50)
      try builder.append(.set, object, property: "title", value: 7)
      let set = try builder.finish(
        replica: replica, sequence: number,
        time: HybridTime(milliseconds: 1_700_000_000_000 + number * 900))
      counts.append(try connection.send([set], position: LogPosition(rawValue: number)))
    }
    #expect(counts[1...].max()! - 1 <= 7)
  }

  @Test func `1,549 replicas set a field in less than 49 kB`() throws {
    var random = SeededGenerator(seed: 5)
    var builder = SharedChangeSetBuilder()
    var sets: [SharedChangeSet] = []
    for number in 0..<1_549 {
      let object = ObjectID(replica: 77, counter: 5)
      try builder.append(.set, object, property: "title", value: number)
      let time = HybridTime(
        milliseconds: 1_700_000_000_000 + .random(in: 0...10_000, using: &random))
      sets.append(try builder.finish(replica: .random(using: &random), sequence: 1, time: time))
    }
    var single = try TestConnection()
    var count = 0
    for set in sets { count += try single.send([set]) }
    #expect(count < 30_000)
    var batched = try TestConnection()
    #expect(try batched.send(sets) < 27_000)
  }

  @Test func `Versions are negotiated, and a hello comes first and once`() throws {
    let replica = ReplicaID(rawValue: 1)
    let old = WireHello(replica: replica, versions: 1...2)
    #expect(try old.version(with: WireHello(replica: replica, versions: 2...5)) == 2)
    #expect(try old.version(with: WireHello(replica: replica, versions: 1...1)) == 1)
    #expect(throws: WireError.noCommonVersion(own: 1...2, peer: 3...5)) {
      try old.version(with: WireHello(replica: replica, versions: 3...5))
    }
    var connection = try TestConnection(begun: false)
    #expect(throws: WireError.misplacedHello) { try connection.send(.presence([])) }
    connection = try TestConnection()
    #expect(throws: WireError.misplacedHello) { try connection.send(.hello(old)) }
  }

  @Test func `What a later version adds to a hello is passed over`() throws {
    var encoder = WireEncoder()
    let hello = WireHello(replica: ReplicaID(rawValue: 1), versions: 1...9)
    var decoder = WireDecoder()
    let bytes = try encoder.encode(.hello(hello))[1...] + [1, 2, 3]
    #expect(try decoder.decode(Array(bytes)) == .hello(hello))
  }

  @Test func `A message beyond the limit is refused at both ends, and smaller ones can follow`()
    throws
  {
    var encoder = WireEncoder(limit: 100)
    var decoder = WireDecoder(limit: 100)
    decoder.append(try encoder.encode(.hello(WireHello(replica: ReplicaID(rawValue: 1)))))
    _ = try decoder.next()
    var sets = RandomChangeSets(seed: 3)
    let large = WireChangeSets(
      partition: "other", position: 7, sets: (0..<30).map { _ in sets.next(operations: 5) })
    #expect(throws: WireError.self) { try encoder.encode(.changeSets(large)) }
    // In a partition that is known, a refused message must not move the expected position.
    for position in [0, 37, 5, 37] as [LogPosition] {
      let next = WireMessage.changeSets(
        WireChangeSets(partition: "other", position: position, sets: [sets.next(operations: 0)]))
      decoder.append(try encoder.encode(next))
      #expect(try decoder.next() == next)
      #expect(throws: WireError.self) { try encoder.encode(.changeSets(large)) }
    }
    for _ in 0..<20 {
      let set = sets.next(operations: 0)
      let small = WireMessage.changeSets(WireChangeSets(partition: "p", position: 1, sets: [set]))
      decoder.append(try encoder.encode(small))
      #expect(try decoder.next() == small)
    }
    decoder.append([101])
    #expect(throws: WireError.tooLarge(count: 101, limit: 100)) { try decoder.next() }
    #expect(throws: WireError.tooLarge(count: 101, limit: 100)) {
      try decoder.decode([UInt8](repeating: 5, count: 101))
    }
  }
}
