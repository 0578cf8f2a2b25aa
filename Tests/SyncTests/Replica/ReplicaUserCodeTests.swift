import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

extension StoreFileUserCodeTests {
  /// Code of the app inside of what replicas and a server do.
  @Suite @MainActor struct Replicas {
    @Test(arguments: seeds(20))
    func `Replicas converge with any code of the app inside`(seed: UInt64) async throws {
      defer { Meddler.setHook(nil) }
      let history = MeddledHistory(seed: seed)
      Meddler.setHook { [unowned history] in history.meddle(at: $0) }
      for step in 0..<meddledSteps {
        await history.step()
        for store in history.stores {
          try #require(store.brokenInvariants() == [], "seed \(seed), step \(step)")
        }
      }
      Meddler.setHook(nil)
      await history.end()
      let expected = history.server.store.meddled.sorted()
      for replica in history.replicas {
        #expect(
          replica.pendingCount == 0,
          "seed \(seed) \(replica.state(of: "all")) \(replica.offlineReason ?? "")")
        #expect(replica.store.meddled.sorted() == expected, "seed \(seed)")
      }
      #expect(!history.occasions.isEmpty)
    }
  }
}

/// Two replicas and a server, whose values, rules, triggers, effects and sinks write, delete, undo, join,
/// leave, connect and disconnect.
@MainActor private final class MeddledHistory {
  private(set) var replicas: [Replica] = []
  private(set) var server: SyncServer
  private(set) var occasions: Set<String> = []
  private var random: SeededRandom
  private var depth = 0
  /// How often code may still act in this step, since it may cause itself to run.
  private var budget = 0
  private var tokens: [any Cancellable] = []

  var stores: [Store] { replicas.map(\.store) + [server.store] }

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let classes = [SharedClass(Meddled.self) { _ in "all" }]
    server = SyncServer(sharing: classes)
    server = SyncServer(log: InProcessLog(), sharing: classes, smallestTail: 500, now: { 0 }) {
      MayRead { [unowned self] _, _, _ in act("read", mayWrite: false) }
      MayWrite(Meddled.self) { [unowned self] change, _ in
        act("write", mayWrite: false)
        if change.new(\.text) == "refused" { throw Refused("no") }
      }
      After(Meddled.self) { [unowned self] change, store in
        act("after", mayWrite: false)
        if number(4) == 0 { change.object?.text = "by a trigger \(number(9))" }
      }
    }
    server.unreadLimit = Int(seed % 2)
    for index in 0..<2 {
      let replica = Replica(sharing: classes, author: UInt64(index + 1)) { 0 }
      replica.store.onRefusal = { _ in }
      replicas.append(replica)
      tokens += [
        replica.refusals.sink { [unowned self] _ in act("refusal") },
        replica.losses.sink { [unowned self] _ in act("loss") },
        replica.store.commits.sink { [unowned self] _ in act("commit") },
        Effect { [unowned self, unowned replica] in
          _ = (replica.isOnline, replica.pendingCount, replica.state(of: "all"))
          untracked { act("effect") }
        },
      ]
      replica.join("all")
    }
  }

  func meddle(at occasion: Meddler.Occasion) {
    MainActor.assumeIsolated { act("\(occasion)", mayWrite: occasion == .end) }
  }

  func step() async {
    budget = 20
    act("step")
    if number(3) == 0 { await server.handleMessages() }
  }

  func end() async {
    for _ in 0..<3 {
      for replica in replicas {
        replica.connect(server.connection(for: "anna"))
        replica.join("all")
      }
      for _ in 0..<20 { await server.handleMessages() }
    }
    tokens = []
  }

  private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private func act(_ occasion: String, mayWrite: Bool = true) {
    guard budget > 0, depth < 3, replicas.count == 2, depth == 0 || number(6) == 0 else { return }
    budget -= 1
    occasions.insert(occasion)
    depth += 1
    defer { depth -= 1 }
    let replica = replicas[number(2)]
    let store = replica.store
    // What the end of a value writes inside of the commit that applies facts isn't shared.
    if occasion == "end", !store.isIdle { return }
    let all = store.objectsInOrder.compactMap { $0 as? Meddled }
    let some = all.isEmpty ? nil : all[number(all.count)]
    switch number(mayWrite ? 16 : 5) {
    case 0: replica.disconnect()
    case 1, 2: replica.connect(server.connection(for: "anna"))
    case 3: if number(4) == 0 { replica.leave("all") }
    case 4: replica.join("all")
    case 5, 6: _ = try? store.add(Meddled())
    case 7: if let some { try? store.delete(some) }
    case 8: _ = try? store.undo(onConflict: .theirs)
    case 9: some?.text = "refused"
    case 10: if let some { some.others.append(all[number(all.count)]) }
    case 11: if some?.others.isEmpty == false { some?.others.removeLast() }
    case 12: some?.text = "\(number(9))"
    default: some?.value = Meddler(number(50))
    }
  }
}

private let meddledSteps = runLength(usually: 300)
