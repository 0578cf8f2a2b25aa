import Foundation
import Signals
import TestSupport

// What is compared after each operation, and what more after each commit.

extension StoreHistory {
  /// Compares everything that can be read of the store with the model.
  func check(isInside: Bool) {
    wrong += store.brokenInvariants()
    let isReading = !isInside || readsInside
    if isReading, let all = observers.all, all.map(\.number) != model.ordered(\.isBeing) {
      fail("the order is \(all.map(\.number)) instead of \(model.ordered(\.isBeing))")
    }
    var incoming: [Int: [Slot: [Int: Int]]] = [:]
    for (number, node) in model.nodes {
      guard let object = table[number], object.store === store, !object.isDeleted else {
        fail("\(number) is not stored")
        continue
      }
      let found = StoreModel.Node(object, \.modelNumber)
      if found != node { fail("\(number) is \(found) instead of \(node)") }
      for slot in [Slot.friend, .list] where node.isBeing {
        for target in node[slot] {
          incoming[target, default: [:]][slot, default: [:]][number, default: 0] += 1
        }
      }
    }
    checkInverses(incoming)
    checkIndexes()
    if isReading { checkResult() }
    checkDeparted()
  }

  private func checkInverses(_ incoming: [Int: [Slot: [Int: Int]]]) {
    let owners = model.owners ?? [:]
    func order(_ sources: [Int: Int]?) -> [Int] {
      (sources ?? [:]).keys.sorted { model.nodes[$0]?.place ?? 0 < model.nodes[$1]?.place ?? 0 }
    }
    for number in model.nodes.keys {
      if let being = table[number] as? Being {
        let (friends, lists) = (incoming[number]?[.friend], incoming[number]?[.list])
        if being.friendOf.map(\.number) != order(friends) { fail("friends of \(number)") }
        let listedBy = being.listedBy
        if listedBy.map(\.number) != order(lists) { fail("lists with \(number)") }
        for owner in listedBy where listedBy.multiplicity(of: owner) != lists?[owner.number] {
          fail("how often \(owner.number) lists \(number)")
        }
      } else if let limb = table[number] as? Limb {
        if limb.owner?.modelNumber != owners[number] { fail("the owner of \(number)") }
      }
    }
  }

  /// One key and one tag in turn, taken or not.
  private func checkIndexes() {
    let (key, tag) = (steps % 61, steps % 7)
    let found = store.object(Being.self, primaryKey: key)
    if found?.number != model.holder(of: key) { fail("the object with the key \(key)") }
    let beings = store.results(Being.self).where(\.tag, equals: tag).map(\.number)
    if beings != model.ordered({ $0.isBeing && $0.tag == tag }) {
      fail("the beings with the tag \(tag): \(beings)")
    }
    let limbs = store.results(Limb.self).where(\.tag, equals: tag).map(\.number)
    if limbs != model.ordered({ !$0.isBeing && $0.tag == tag }) {
      fail("the limbs with the tag \(tag): \(limbs)")
    }
    if store.results(SpecialBeing.self).map(\.number) != model.ordered({ $0.kind == .special }) {
      fail("the special ones")
    }
  }

  private func checkResult() {
    let chosen = observers.chosen.map { $0.map(\.number) } ?? []
    if chosen != model.chosen { fail("the result is \(chosen) instead of \(model.chosen)") }
    let limbs = observers.limbs?.map(\.number) ?? []
    if limbs != model.ordered({ !$0.isBeing }) { fail("the order of limbs: \(limbs)") }
  }

  /// Deleted objects are detached, and keep their last values.
  private func checkDeparted() {
    for (number, last) in model.departed {
      guard let object = table[number] else { continue }
      if object.store != nil || !object.isDeleted { fail("\(number) is not deleted") }
      if local.contains(number) || table.written.contains(number) { continue }
      let found = StoreModel.Node(object, \.modelNumber)
      if found != last { fail("\(number) keeps \(found) instead of \(last)") }
    }
  }

  // MARK: - After each commit

  func checkCommit(_ before: StoreModel) {
    check(isInside: false)
    let changed = model.nodes != before.nodes
    if !changed, !observers.isQuiet { fail("somebody was told of nothing") }
    if observers.runs > 1 || observers.resultChanges > 1 { fail("somebody was told twice") }
    if undoLimit > 0, !isMixed, store.canUndo == past.isEmpty || store.canRedo == future.isEmpty {
      fail("what can be undone")
    }
    if observers.watchesResults, observers.mirror.map(\.number) != model.chosen {
      fail("the changes add up to \(observers.mirror.map(\.number)), not \(model.chosen)")
    }
    if observers.watchesAll, let all = observers.all,
      observers.seen != all.map(HistoryObservers.digest)
    {
      fail("what the effect saw")
    }
    guard observers.followsCommits else { return }
    if observers.commits.count != (changed ? 1 : 0) {
      fail("\(observers.commits.count) commits were told")
    }
    for commit in observers.commits { checkChange(commit, before) }
  }

  /// Reads the store anew, where the model does not know what happened.
  func adopt() {
    let present = (observers.all.map(Array.init) ?? []) as [Object]
    let limbs = (observers.limbs.map(Array.init) ?? []) as [Object]
    var found = StoreModel()
    for object in present + limbs {
      found.insert(object.modelNumber, StoreModel.Node(object, \.modelNumber))
    }
    model.become(found)
  }
}
