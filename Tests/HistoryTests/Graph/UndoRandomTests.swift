import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories of edits, undos and redos, checked against the states that were.
@Suite struct `Graph, random histories of undo` {
  @Test(arguments: seeds(4))
  func `undo and redo lead through the states that were`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let side = RandomSide()
    let replica = Store()
    let history = UndoHistory(side.store, limit: 50)
    var states = [side.state]
    var present = 0
    var instances: [ObjectID: Thing] = [:]
    for step in 0..<undoSteps {
      let place: Comment = "seed \(seed), step \(step)"
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2 where history.canUndo:
        side.last = ChangeSet()
        try history.undo()
        present -= 1
      case 3...4 where history.canRedo:
        side.last = ChangeSet()
        try history.redo()
        present += 1
      case 5:
        let before = states[present]
        let commits = try history.group { try (0..<3).map { _ in try side.edit(&random) } }
        for commit in commits { try replica.apply(commit) }
        side.last = ChangeSet()
        if side.state != before || commits.contains(where: { !$0.isEmpty }) {
          states[(present + 1)...] = [side.state]
          present += 1
        }
      default:
        if try !side.edit(&random).isEmpty {
          states[(present + 1)...] = [side.state]
          present += 1
        }
      }
      #expect(side.state == states[present], place)
      #expect(try replica.apply(side.last).isClean, place)
      #expect(RandomSide.state(of: replica) == side.state, place)
      // An object that comes back is the one that went.
      for thing in side.store.results(Thing.self) {
        #expect(instances[thing.objectID] == nil || instances[thing.objectID] === thing, place)
        instances[thing.objectID] = thing
      }
      #expect(side.store.brokenInvariants() + replica.brokenInvariants() == [], place)
      if states.count > 40 {
        states = [side.state]
        present = 0
        history.removeAll()
      }
    }
    side.token?.cancel()
  }

  @Test(arguments: seeds(4))
  func `each of several histories leads through the states that it saw`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let side = RandomSide()
    let histories = [
      side.store.history, UndoHistory(side.store, limit: 200), UndoHistory(side.store, limit: 200),
    ]
    // The states before and after the steps of each.
    var states = histories.map { _ in [side.state] }
    var present = histories.map { _ in 0 }
    for step in 0..<undoSteps {
      let place: Comment = "seed \(seed), step \(step)"
      let taker = histories.indices.randomElement(using: &random) ?? 0
      var mover: Int?
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where histories[taker].canUndo:
        try histories[taker].undo()
        mover = taker
        present[taker] -= 1
      case 1 where histories[taker].canRedo:
        try histories[taker].redo()
        mover = taker
        present[taker] += 1
      default: if try side.edit(&random).isEmpty { continue }
      }
      for index in histories.indices
      where index != mover && side.state != states[index][present[index]] {
        states[index][(present[index] + 1)...] = [side.state]
        present[index] += 1
      }
      for index in histories.indices {
        #expect(side.state == states[index][present[index]], place)
        #expect(histories[index].undoCount == present[index], place)
        #expect(histories[index].redoCount == states[index].count - 1 - present[index], place)
      }
      #expect(side.store.brokenInvariants() == [], place)
      if states.contains(where: { $0.count > 40 }) {
        for index in histories.indices {
          (states[index], present[index]) = ([side.state], 0)
          histories[index].removeAll()
        }
      }
    }
    side.token?.cancel()
  }
}

private let undoSteps = runLength(usually: 80)
