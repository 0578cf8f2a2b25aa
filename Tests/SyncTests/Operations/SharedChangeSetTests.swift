import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Shared change sets")
struct SharedChangeSetTests {
  let replica = ReplicaID(rawValue: 9)
  let object = ObjectID(replica: 1, counter: 2)
  let time = HybridTime(milliseconds: 1_000)

  private struct Refusing: Encodable {
    struct Reason: Error {}
    func encode(to encoder: any Encoder) throws { throw Reason() }
  }

  @Test func `A set has the operations and values that were appended, in their order`() throws {
    var builder = SharedChangeSetBuilder()
    builder.create(object, class: "Book")
    try builder.append(.set, object, property: "title", value: "Emma")
    try builder.append(.add, object, property: "stock", value: -2)
    builder.editList(object, property: "tags", bytes: [1, 2, 3])
    try builder.append(.set, object, property: "title", value: "Emma")
    builder.delete(object, class: "Book")
    #expect(builder.count == 6)
    let set = try builder.finish(replica: replica, sequence: 4, time: time)
    #expect(builder.isEmpty)
    #expect(set.operations.map(\.kind) == [.create, .set, .add, .list, .set, .delete])
    #expect(
      set.operations.map { set.name(of: $0) } == [
        "Book", "title", "stock", "tags", "title", "Book",
      ])
    #expect(set.names == ["Book", "title", "stock", "tags"])
    #expect(try set.value(of: set.operations[1]) == "Emma")
    #expect(try set.value(of: set.operations[2]) == -2)
    #expect(try set.value(of: set.operations[3]) == [1, 2, 3] as [UInt8])
    #expect(set.valueBytes(of: set.operations[0]).isEmpty)
    #expect(set.stamp == Stamp(time: time, replica: replica))
  }

  @Test func `A value that can't be encoded leaves no trace, nor does its name`() throws {
    var builder = SharedChangeSetBuilder()
    #expect(throws: ValueCodingError.self) {
      try builder.append(.set, object, property: "broken", value: Refusing())
    }
    try builder.append(.set, object, property: "b", value: 1)
    _ = builder.index(of: "unused")
    try builder.append(.set, object, property: "a", value: 2)
    let set = try builder.finish(replica: replica, sequence: 1, time: time)
    try builder.append(.set, object, property: "b", value: 1)
    try builder.append(.set, object, property: "a", value: 2)
    #expect(try builder.finish(replica: replica, sequence: 1, time: time) == set)
    #expect(set.names == ["b", "a"])
  }

  @Test func `Names that look alike but have other bytes are different names`() throws {
    var builder = SharedChangeSetBuilder()
    let names = ["caf\u{e9}", "cafe\u{301}"]
    for name in names { try builder.append(.set, object, property: name, value: name) }
    let set = try builder.finish(replica: replica, sequence: 1, time: time)
    #expect(set.operations.map { Array(set.name(of: $0).utf8) } == names.map { Array($0.utf8) })
    try builder.append(.set, object, property: names[1], value: names[0])
    try builder.append(.set, object, property: names[0], value: names[1])
    #expect(try builder.finish(replica: replica, sequence: 1, time: time) != set)
  }

  @Test func `What doesn't fit into a set is refused when it is made, and stays in the builder`()
    throws
  {
    let limit = SharedChangeSet.sizeLimit
    var builder = SharedChangeSetBuilder()
    let text = String(repeating: "a", count: limit)
    try builder.append(.set, object, property: "text", value: text)
    let size = limit + 5 + 4 + 24 + 64
    #expect(throws: ChangeSetSizeError.tooLarge(size: size, limit: limit)) {
      try builder.finish(replica: replica, sequence: 1, time: time)
    }
    #expect(builder.count == 1)
    #expect(builder.byteCount == limit + 5)
    builder.removeAll()
    let name = String(repeating: "n", count: SharedChangeSet.nameByteLimit)
    builder.create(object, class: name)
    #expect(try builder.finish(replica: replica, sequence: 1, time: time).names == [name])
    builder.create(object, class: name + "n")
    #expect(throws: ChangeSetSizeError.tooManyNames(count: 1, bytes: name.utf8.count + 1)) {
      try builder.finish(replica: replica, sequence: 1, time: time)
    }
    #expect(builder.count == 1)
  }

  @Test
  func `A set that fits has an entry that fits, also where each part is as long as it can be`()
    throws
  {
    var random = SeededGenerator(seed: 3)
    var builder = SharedChangeSetBuilder()
    var operations = (links: 0, names: 0)
    for number in 0..<2_000 {
      let name = "n\(number)"
      let other = ObjectID(replica: random.next(), counter: random.next())
      try builder.append(
        .set, other, property: name, value: ObjectID(replica: random.next(), counter: 1))
      operations.links += 1
      operations.names += name.utf8.count
    }
    let seen = (0..<2_000).map {
      Stamp(
        time: HybridTime(rawValue: random.next() >> 20),
        replica: ReplicaID(rawValue: .max - 2_000 + $0))
    }
    let byteCount = builder.byteCount
    let set = try builder.finish(replica: replica, sequence: .max, time: .latest, seen: seen)
    let bound = SharedChangeSet.size(
      operations: 2_000, links: operations.links, names: operations.names, values: byteCount,
      seen: seen.count)
    var coder = ChangeSetEntryCoder()
    #expect(coder.encode(set).count <= bound)
  }

  @Test func `Changes are made again at another time`() throws {
    var builder = SharedChangeSetBuilder()
    try builder.append(.set, object, property: "b", value: 1)
    let set = try builder.finish(replica: replica, sequence: 3, time: time)
    let moved = set.moved(to: HybridTime(milliseconds: 5))
    #expect(moved.time == HybridTime(milliseconds: 5))
    #expect(moved != set)
    #expect(moved.moved(to: time) == set)
  }

  @Test func `A set with many names finds each`() throws {
    var builder = SharedChangeSetBuilder()
    for round in 0..<3 {
      for number in 0..<100 {
        try builder.append(.set, object, property: "p\(number)", value: round)
      }
    }
    let set = try builder.finish(replica: replica, sequence: 1, time: time)
    #expect(set.names == (0..<100).map { "p\($0)" })
    #expect(set.operations.map(\.name) == (0..<3).flatMap { _ in 0..<100 })
  }

  @Test func `An operation takes at most 32 bytes`() {
    #expect(MemoryLayout<Operation>.stride == 32)
  }

  @Test func `The hash of a state doesn't depend on the order of its registers`() {
    let hasher = StateHasher(name: "title", kind: .set)
    let registers = (0..<100).map { number in
      hasher.hash(
        of: ObjectID(replica: 1, counter: number), stamp: Stamp(time: time, replica: replica),
        value: [UInt8(number)].span, in: 0..<1)
    }
    var forward = StateHash()
    for register in registers { forward.insert(register) }
    var backward = StateHash()
    for register in registers.reversed() { backward.insert(register) }
    #expect(forward == backward)
    #expect(Set(registers).count == 100)
    for register in registers { backward.remove(register) }
    #expect(backward == StateHash())
    backward.formUnion(forward)
    #expect(backward == forward)
    #expect(StateHash(value: forward.value) == forward)
  }

  @Test func `The hash of a register depends on each of its parts`() {
    let stamp = Stamp(time: time, replica: replica)
    func hash(
      _ name: String = "a", _ kind: Operation.Kind = .set, object: ObjectID? = nil,
      stamp other: Stamp? = nil, value: [UInt8] = [1]
    ) -> UInt64 {
      StateHasher(name: name, kind: kind).hash(
        of: object ?? self.object, stamp: other ?? stamp, value: value.span, in: 0..<value.count)
    }
    let hashes = [
      hash(), hash("b"), hash("a", .add), hash(value: [2]), hash(value: []), hash(value: [1, 0]),
      hash(object: ObjectID(replica: 1, counter: 3)),
      hash(object: ObjectID(replica: 2, counter: 2)),
      hash(stamp: Stamp(time: .zero, replica: replica)),
      hash(stamp: Stamp(time: time, replica: ReplicaID(rawValue: 8))),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(hash() == 14_419_489_344_393_537_933)
  }
}
