import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// Nodes that send each other their users over channels that lose, and that restart.
struct PresenceCluster {
  var time = 0
  private var tables: [PresenceTable] = []
  private var runs: UInt64 = 0

  init(nodes: Int) {
    for _ in 0..<nodes { tables.append(makeTable()) }
  }

  private mutating func makeTable() -> PresenceTable {
    runs += 1
    return .forTest(run: runs)
  }

  mutating func step(using random: inout SeededRandom) throws {
    let node = Int.random(in: tables.indices, using: &random)
    let user = "user \(Int.random(in: 0..<6, using: &random))"
    let device = "device \(Int.random(in: 0..<2, using: &random))"
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<18:
      let payload: [UInt8]? =
        Bool.random(using: &random) ? nil : [UInt8.random(in: 0..<3, using: &random)]
      try tables[node].heartbeat(
        of: user, device: device, payload: payload, at: .seconds(time))
    case 18..<22: tables[node].leave(user, device: device)
    case 22..<26: tables[node].advance(to: .seconds(time))
    case 26: tables[node] = makeTable()
    case 27: tables[node].removeNode("\(Int.random(in: tables.indices, using: &random))")
    default: exchange(from: node, using: &random)
    }
  }

  /// Sends a batch of a node to all, and to itself; each may lose it.
  private mutating func exchange(from node: Int, using random: inout SeededRandom) {
    guard let difference = tables[node].takeDifference(for: .nodes) else { return }
    for other in tables.indices where Int.random(in: 0..<4, using: &random) > 0 {
      tables[other].apply(difference, from: "\(node)")
    }
  }

  /// Sends the users of each node to all others.
  mutating func settle() {
    for node in tables.indices {
      _ = tables[node].takeDifference(for: .nodes)
      let (mark, snapshot) = (tables[node].mark(for: .nodes), tables[node].snapshot(for: .nodes))
      for other in tables.indices where tables[other].apply(mark, from: "\(node)") == .needsAll {
        tables[other].apply(snapshot, from: "\(node)")
      }
    }
  }

  /// All nodes show the latest payload of each user of any node.
  func check(_ comment: Comment) {
    var latest: [String: PresentUser] = [:]
    for user in tables.flatMap({ $0.snapshot(for: .nodes).changes.joined }) {
      let isLatest = latest[user.user].map {
        $0.stamp < user.stamp
          || $0.stamp == user.stamp && $0.payload.lexicographicallyPrecedes(user.payload)
      }
      if isLatest ?? true { latest[user.user] = user }
    }
    for table in tables {
      #expect(table.present.payloads == latest.mapValues(\.payload), comment)
      #expect(table.present == tables[0].present, comment)
      #expect(table.present.allSatisfy { $0.stamp == 0 }, comment)
    }
  }
}
