import SignalsSync

/// What a shared list is, from the set of the operations: the tree of positions, walked by
/// recursion, and the latest move of each element.
struct ListModel {
  typealias Operation = ListOperation<Int>

  private var children: [ListPlace: Set<ElementID>] = [:]
  private var firstPositions: Set<ElementID> = []
  private var deleted: Set<ElementID> = []
  private var moves: [ElementID: (stamp: Int, position: ElementID)] = [:]

  init(_ operations: some Sequence<Operation>) {
    for operation in operations { add(operation) }
  }

  mutating func add(_ operation: Operation) {
    switch operation {
    case .insert(let range, var place):
      for id in range.ids {
        children[place, default: []].insert(id)
        firstPositions.insert(id)
        place = .after(id)
      }
    case .delete(let range):
      deleted.formUnion(range.ids)
    case .move(let element, let position, let place, let stamp):
      children[place, default: []].insert(position)
      if let latest = moves[element], (latest.stamp, latest.position) > (stamp, position) { return }
      moves[element] = (stamp, position)
    }
  }

  /// The elements of the list, in order.
  var elements: [ElementID] {
    var elementAt: [ElementID: ElementID] = [:]
    for id in firstPositions where !deleted.contains(id) {
      elementAt[moves[id]?.position ?? id] = id
    }
    return allPositions(at: .start).compactMap { elementAt[$0] }
  }

  private func allPositions(at place: ListPlace) -> [ElementID] {
    (children[place] ?? []).sorted().flatMap { id in
      allPositions(at: .before(id)) + [id] + allPositions(at: .after(id))
    }
  }
}

extension ElementRange {
  /// The identities, one by one.
  var ids: [ElementID] {
    (0..<count).map { ElementID(replica: first.replica, counter: first.counter + UInt64($0)) }
  }
}
