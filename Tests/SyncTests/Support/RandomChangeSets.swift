import Signals
import SignalsSync
import TestSupport

/// Makes random change sets of a few replicas, as their stores would: sequences and times go up.
struct RandomChangeSets {
  var random: SeededGenerator
  let replicas: [ReplicaID]
  let creators: [UInt64]
  private var sequences: [ReplicaID: UInt64] = [:]
  private var time: UInt64 = 1_700_000_000_000
  private var builder = SharedChangeSetBuilder()

  init(seed: UInt64, replicas count: Int = 4) {
    random = SeededGenerator(seed: seed)
    var random = random
    replicas = (0..<count).map { _ in ReplicaID.random(using: &random) }
    creators = replicas.map(\.rawValue) + [0, .max]
  }

  mutating func next(operations: Int? = nil) -> SharedChangeSet {
    let replica = replicas.randomElement(using: &random)!
    sequences[replica, default: 0] += random.chance(95) ? 1 : .random(in: 2...9, using: &random)
    time = random.chance(90) ? time + .random(in: 0...50, using: &random) : time - 400
    let count = operations ?? (random.chance(60) ? 1 : .random(in: 0...12, using: &random))
    for _ in 0..<count { appendOperation() }
    let now = randomTime()
    let seen = replicas.filter { $0 != replica && random.chance(15) }.sorted().map {
      Stamp(time: time(before: now), replica: $0)
    }
    do {
      return try builder.finish(
        replica: replica, sequence: sequences[replica]!, time: now, seen: seen)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private mutating func time(before time: HybridTime) -> HybridTime {
    let farthest: UInt64 = random.chance(50) ? 90_000 << 16 : 3
    return HybridTime(rawValue: time.rawValue - .random(in: 1...farthest, using: &random))
  }

  private mutating func randomTime() -> HybridTime {
    HybridTime(
      milliseconds: time,
      counter: random.chance(70) ? 0 : .random(in: 0...UInt16.max, using: &random))
  }

  private mutating func object() -> ObjectID {
    ObjectID(
      replica: creators.randomElement(using: &random)!,
      counter: random.chance(95) ? .random(in: 0...40, using: &random) : random.next())
  }

  private mutating func appendOperation() {
    let object = object()
    let name = "p\(Int.random(in: 0...12, using: &random))"
    do {
      switch Int.random(in: 0...9, using: &random) {
      case 0: builder.create(object, class: "Book")
      case 1: builder.delete(object, class: "Author")
      case 2: try builder.append(.add, object, property: name, value: random.chance(50) ? 1 : -7)
      case 3: try builder.append(.maximum, object, property: name, value: Double(random.next()))
      case 4: builder.editList(object, property: name, bytes: [1, 2, UInt8(count)])
      case 5: try builder.append(.set, object, property: name, value: self.object())
      case 6: try builder.append(.set, object, property: name, value: ObjectID?.none)
      case 7: try builder.append(.set, object, property: name, value: ["a": [1.5], "b": []])
      default:
        let text = String(repeating: "é", count: .random(in: 0...90, using: &random))
        try builder.append(.set, object, property: name, value: text)
      }
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private var count: Int { builder.count % 256 }
}

/// Damages bytes in one of the ways in which files and connections do.
func damaged(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
  var result = bytes
  guard !result.isEmpty else { return [UInt8.random(in: 0...255, using: &random)] }
  let position = Int.random(in: 0..<result.count, using: &random)
  switch Int.random(in: 0...6, using: &random) {
  case 0: result[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
  case 1: result[position] = .random(in: 0...255, using: &random)
  case 2: result.removeSubrange(position...)
  case 3: result.remove(at: position)
  case 4: result.insert(.random(in: 0...255, using: &random), at: position)
  case 5: result.insert(contentsOf: repeatElement(0xff, count: 9), at: position)
  default:
    let other = Int.random(in: 0..<result.count, using: &random)
    result.swapAt(position, other)
    result[other] = .random(in: 0...255, using: &random)
  }
  return result
}
