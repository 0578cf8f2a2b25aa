import Foundation
import Signals
import TestSupport

// Change sets and snapshots against the model, and what other stores make of them.

extension StoreHistory {
  /// Compares a commit with how the model changed, value by value, and makes it in the replica.
  func checkChange(_ commit: ChangeSet, _ before: StoreModel) {
    let all = Set(before.nodes.keys).union(model.nodes.keys)
    var count = 0
    for number in all {
      let (old, new) = (before.nodes[number], model.nodes[number])
      if old == new { continue }
      count += 1
      guard let id = table[number]?.objectID, let change = commit[id] else {
        fail("the commit does not tell of \(number)")
        continue
      }
      let kind: ObjectChange.Kind = old == nil ? .inserted : new == nil ? .deleted : .modified
      if change.kind != kind { fail("\(number) was \(change.kind)") }
      guard let node = new ?? old else { continue }
      var names = 0
      func check<Value: Equatable & Sendable>(
        _ name: String, _ value: (StoreModel.Node) -> Value
      ) {
        let (was, became) = (old.map(value), new.map(value))
        let property = change[name]
        if was == became, kind == .modified {
          if property != nil { fail("\(name) of \(number) did not change") }
          return
        }
        names += 1
        if !isSame(property?.old, was) || !isSame(property?.new, became) {
          fail("\(name) of \(number) was told as \(property as Any)")
        }
      }
      check("key", \.key)
      check("tag", \.tag)
      check("text", \.text)
      if node.kind == .special, kind != .modified { names += 1 }
      for slot in node.slots {
        if slot.isList {
          check(slot.name) { $0[slot].compactMap { self.id($0) } }
        } else {
          check(slot.name) { $0[slot].first.flatMap { self.id($0) } }
        }
      }
      if change.properties.count != names { fail("\(change) tells of something else") }
    }
    if commit.changes.count != count { fail("the commit tells of others") }
    checkReplica(commit)
  }

  private func id(_ number: Int) -> ObjectID? { table[number]?.objectID }

  private func isSame<Value: Equatable>(_ told: (any FieldValue)?, _ value: Value?) -> Bool {
    guard let told, let value else { return told == nil && value == nil }
    return told as? Value == .some(value)
  }

  private func checkReplica(_ commit: ChangeSet) {
    do {
      let change = steps % 16 == 0 ? try commit.coded() : commit
      if change != commit { fail("coding changed \(commit)") }
      let report = try replica.apply(change)
      if !report.isClean { fail("the replica finds conflicts: \(report.conflicts)") }
    } catch { fail("the replica refuses: \(error)") }
    wrong += replica.brokenInvariants().map { "replica: \($0)" }
    compare(replica, with: model, "the replica")
  }

  /// Compares another store, whose objects are other instances with the same ids.
  private func compare(_ other: Store, with model: StoreModel, _ name: String) {
    let found = Array(other.results(Being.self)) as [Object] + Array(other.results(Limb.self))
    if found.count != model.nodes.count { fail("\(name) has \(found.count) objects") }
    for object in found {
      let number = table.numbers[object.objectID] ?? 0
      guard let node = model.nodes[number] else {
        fail("\(name) has \(number)")
        continue
      }
      let read = StoreModel.Node(object) { table.numbers[$0.objectID] ?? 0 }
      if read != node { fail("\(number) of \(name) is \(read) instead of \(node)") }
    }
  }

  // MARK: - Snapshots

  /// Whatever happened since: each snapshot has what the store had, and is as good as it.
  func checkSnapshots() throws {
    for (snapshot, then) in keeps {
      wrong += snapshot.brokenInvariants()
      let restored = Store(snapshot)
      wrong += restored.brokenInvariants().map { "restored: \($0)" }
      compare(restored, with: then, "a restored store")
      let order = restored.results(Being.self).map { table.numbers[$0.objectID] ?? 0 }
      if order != then.ordered(\.isBeing) { fail("the order of a snapshot: \(order)") }
      if restored.snapshot() != snapshot { fail("a restored store has another snapshot") }
      guard let last = keeps.last else { continue }
      let changes = snapshot.changes(to: last.snapshot)
      let report = try restored.apply(changes)
      if !report.isClean { fail("changes of a snapshot: \(report.conflicts)") }
      if restored.snapshot() != last.snapshot { fail("changes to a snapshot lead elsewhere") }
      try restored.apply(changes.inverted())
      compare(restored, with: then, "a store that went forth and back")
    }
    if steps % 8 == 0, let last = keeps.last?.snapshot, try last.coded() != last {
      fail("coding changed a snapshot")
    }
  }

  /// After the store was replaced by what a snapshot had.
  func checkRestored(_ before: StoreModel) {
    check(isInside: false)
    if observers.followsCommits { compare(replica, with: model, "the replica of a restored store") }
    if store.canUndo || store.canRedo || !observers.isQuiet { fail("a restored store has a past") }
  }
}

extension ChangeSet {
  func coded() throws -> ChangeSet {
    try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(self))
  }
}
