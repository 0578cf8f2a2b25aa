import SignalsSync
import SignalsTesting
import Synchronization

extension SimulatedFiles {
  /// Returns the files that a process finds after this one was killed.
  func afterKill() -> SimulatedFiles {
    state.withLock { old in
      var state = State()
      state.isNamed = old.isNamed
      (state.next, state.names, state.syncedNames) = (old.next + 1, old.names, old.names)
      for number in old.names.values {
        var node = old.nodes[number]!
        (node.synced, node.changes) = (node.content, [])
        state.nodes[number] = node
      }
      return SimulatedFiles(state)
    }
  }

  /// Returns the files that remain after a loss of power.
  ///
  /// Of the unsynced bytes, any combination of sectors of 512 bytes remains. Of the unsynced
  /// changes of names, any number of the first ones remains.
  func afterLossOfPower(_ chance: inout SeededRandom) -> SimulatedFiles {
    let old = state.withLock { $0 }
    var state = State()
    state.next = old.next + 1
    state.isNamed = old.isNamed
    // A directory whose name isn't durable is empty when it is created again.
    let names = old.isNamed ? [old.syncedNames] + old.nameChanges : [[:]]
    state.names = names[Int.random(in: 0..<names.count, using: &chance)]
    state.syncedNames = state.names
    for number in Set(state.names.values) {
      var node = old.nodes[number]!
      node.content = Self.content(left: node, &chance)
      (node.synced, node.changes) = (node.content, [])
      state.nodes[number] = node
    }
    return SimulatedFiles(state)
  }

  private static func content(
    left node: Node, _ chance: inout SeededRandom
  ) -> [UInt8] {
    var content = node.synced
    let share = Int.random(in: 0...4, using: &chance)
    for change in node.changes {
      guard case .write(let offset, let bytes) = change else {
        if Int.random(in: 0..<4, using: &chance) < share { change.apply(to: &content) }
        continue
      }
      var start = 0
      while start < bytes.count {
        // To the end of the sector.
        let end = min(bytes.count, (offset + start) / 512 * 512 + 512 - offset)
        if Int.random(in: 0..<4, using: &chance) < share {
          Change.write(offset: offset + start, bytes: Array(bytes[start..<end]))
            .apply(to: &content)
        }
        start = end
      }
    }
    return content
  }
}
