import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// Long random histories, checked against a naive model at each step.
@Suite struct `Presence, random histories` {
  private static let seeds = (0..<8).map { firstSeed + UInt64($0) }

  @Test(arguments: seeds)
  func `a table holds what the model holds, and views follow it through losses`(seed: UInt64)
    throws
  {
    var random = SeededRandom(seed: seed)
    var table = PresenceTable.forTest(run: 1)
    var model = PresenceModel()
    var views = (0..<3).map { _ in LossyView() }
    var time = 0
    for step in 0..<historyCount(usually: 15_000) {
      let comment: Comment = "seed \(seed), step \(step)"
      time += Int.random(in: -3...4, using: &random)
      try change(&table, model: &model, at: time, comment, using: &random)
      #expect(table.present.payloads == model.payloads, comment)
      #expect(table.nextDeadline == model.nextDeadline.map { .seconds($0) }, comment)
      #expect(table.present.digest == digest(of: model.payloads), comment)
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      let difference = table.takeDifference() ?? table.mark()
      for index in views.indices {
        views[index].receive(difference, from: table, using: &random)
        views[index].check(comment)
      }
    }
    for index in views.indices {
      views[index].settle(with: table)
      #expect(views[index].view.present == table.snapshot().present, "seed \(seed), settled")
    }
  }

  @Test(arguments: seeds)
  func `nodes that lose differences and restart agree when all has arrived`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var cluster = PresenceCluster(nodes: 3)
    for step in 0..<historyCount(usually: 20_000) {
      cluster.time += Int.random(in: -2...2, using: &random)
      try cluster.step(using: &random)
      guard step % 40 == 0 else { continue }
      cluster.settle()
      cluster.check("seed \(seed), step \(step)")
    }
  }

  private func change(
    _ table: inout PresenceTable, model: inout PresenceModel, at time: Int, _ comment: Comment,
    using random: inout SeededRandom
  ) throws {
    let user = "user \(Int.random(in: 0..<8, using: &random))"
    let device = "device \(Int.random(in: 0..<4, using: &random))"
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<7:
      let payload: [UInt8]? =
        Bool.random(using: &random) ? nil : [UInt8.random(in: 0..<3, using: &random)]
      let isNew = try table.heartbeat(
        of: user, device: device, payload: payload, at: .seconds(time))
      let expected = model.heartbeat(of: user, device: device, payload: payload, at: time)
      #expect(isNew == expected, comment)
    case 7:
      let wasPresent = table.leave(user, device: device)
      let expected = model.remove(user, device: device)
      #expect(wasPresent == (expected != nil), comment)
    default:
      let expired = table.advance(to: .seconds(time))
      let expected = model.advance(to: time)
      #expect(expired == expected, comment)
    }
  }

  private func digest(of payloads: [String: [UInt8]]) -> UInt64 {
    payloads.reduce(0) { $0 &+ PresentUser(user: $1.key, payload: $1.value).digest }
  }
}

extension PresentUsers {
  /// The payloads by name.
  var payloads: [String: [UInt8]] {
    [String: [UInt8]](uniqueKeysWithValues: map { ($0.user, $0.payload) })
  }
}

extension PresenceDifference {
  /// The users of a snapshot.
  var present: PresentUsers {
    var view = PresenceView()
    view.apply(self)
    return view.present
  }
}

/// A view whose differences are lost, repeated and delayed.
private struct LossyView {
  private(set) var view = PresenceView()
  private var delayed: [PresenceDifference] = []
  /// The states that the view may show: the states of the table at the ends of its batches.
  private var states: [[String: [UInt8]]] = [[:]]
  private var shown = 0
  private var isLost = false

  mutating func receive(
    _ difference: PresenceDifference, from table: PresenceTable,
    using random: inout SeededRandom
  ) {
    delayed.append(difference)
    states.append(table.present.payloads)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: delayed.removeAll()
    case 1: delayed.append(delayed[0])
    case 2: delayed.shuffle(using: &random)
    case 3: return
    case 4: settle(with: table)
    default: break
    }
    for difference in delayed { take(difference) }
    delayed.removeAll(keepingCapacity: true)
    if isLost, Bool.random(using: &random) { settle(with: table) }
  }

  private mutating func take(_ difference: PresenceDifference) {
    let before = view.present
    switch view.apply(difference) {
    case .applied(let changes):
      #expect(changes == difference.changes)
      isLost = false
    case .repeated: #expect(view.present == before)
    case .needsAll:
      #expect(view.present == before)
      isLost = true
    }
  }

  /// Asks for a snapshot if a mark says so.
  mutating func settle(with table: PresenceTable) {
    if view.apply(table.mark()) == .needsAll {
      let old = view.present
      let outcome = view.apply(table.snapshot())
      #expect(outcome == .applied(PresenceChanges(from: old, to: view.present)))
    }
    isLost = false
  }

  /// The view shows a state that the table had, and never goes back to an earlier one.
  mutating func check(_ comment: Comment) {
    let payloads = view.present.payloads
    let state = states[shown...].firstIndex(of: payloads)
    #expect(state != nil, comment)
    shown = state ?? shown
  }
}
