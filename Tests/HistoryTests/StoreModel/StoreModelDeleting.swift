// Deleting in the model: what goes along, what denies it, and what dies for want of an owner.

extension StoreModel {
  mutating func delete(_ number: Int) -> Outcome {
    guard isStored(number) else {
      return departed[number] == nil ? .fails([.notInStore]) : .done
    }
    guard let doomed = doomed(with: [number]) else { return .fails([.denied]) }
    remove(doomed)
    return .done
  }

  /// Some objects, what they embed, and what cascades take along; nil if something denies it.
  private func doomed(with first: [Int]) -> Set<Int>? {
    var doomed = Set(first)
    var waiting = first
    while let number = waiting.popLast() {
      guard let node = nodes[number] else { continue }
      for slot in node.slots where slot.owns || slot.cascades {
        for target in node[slot] where doomed.insert(target).inserted { waiting.append(target) }
      }
    }
    for number in doomed {
      guard let node = nodes[number] else { continue }
      for slot in node.slots where slot.denies && !doomed.isSuperset(of: node[slot]) { return nil }
    }
    return doomed
  }

  /// What the end of the outermost transaction does; a failure is that of the whole.
  mutating func settle(_ before: StoreModel, hasHook: Bool) -> Failure? {
    if owners == nil { return .owned }
    guard let doomed = doomed(with: ownerless) else { return .denied }
    remove(doomed)
    guard hasHook, nodes != before.nodes else { return nil }
    for (number, node) in nodes where node.isBeing {
      if node.text == "forbidden" { return .hook }
      if node.text.isEmpty, !before.isStored(number) { update(number) { $0.text = "named" } }
    }
    return nil
  }
}
