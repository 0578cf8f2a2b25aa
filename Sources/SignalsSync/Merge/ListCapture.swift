// The registers behind a list whose change is being captured.

internal import Signals

/// The registers behind one visible list, while its changes are captured.
struct ListCapture {
  /// An element of one of the registers; nil before the first.
  struct Anchor {
    let list: Int
    let element: ElementID?
  }

  let time: HybridTime
  let field: FieldState
  var keys: [FieldKey] = []
  var lists: [ListRegister] = []
  var edits: [[ListEdit]] = []
  /// The elements that the visible list has lost, by target.
  private(set) var removed: [Entity: [Anchor]] = [:]
  /// The elements that the list hasn't shown, because their targets were missing, by target.
  private var hidden: [Entity: [Anchor]] = [:]
  /// The register and the index of each visible member; nil if one register shows all it has.
  ///
  /// A part that has come back from a cycle of owners has no element.
  private var places: [(list: Int, index: Int)?]?
  /// The entity that represents all targets with the same primary key.
  private var holders: [Entity: Entity] = [:]

  init(time: HybridTime, field: FieldState) {
    self.time = time
    self.field = field
  }

  mutating func findPlaces(of visible: Tree<Object>, in merging: MergingStore) {
    holders = merging.groupOf
    let returned = Set(keys.flatMap { merging.returned[$0] ?? [] })
    if lists.count == 1, returned.isEmpty, visible.count == lists[0].targets.count { return }
    var found: [(list: Int, index: Int)?] = []
    var (list, index) = (0, 0)
    visible.forEach(in: 0..<visible.count) { object in
      let entity = merging.state.entities.find(object.objectID).map { holders[$0] ?? $0 }
      if let entity, returned.contains(entity) { return found.append(nil) }
      while list < lists.count {
        guard index < lists[list].targets.count else {
          (list, index) = (list + 1, 0)
          continue
        }
        index += 1
        if isTarget(entity, list, index - 1) {
          found.append((list, index - 1))
          return
        }
        hide(list, index - 1)
      }
    }
    while list < lists.count {
      while index < lists[list].targets.count {
        hide(list, index)
        index += 1
      }
      (list, index) = (list + 1, 0)
    }
    places = found
  }

  private func isTarget(_ entity: Entity?, _ list: Int, _ index: Int) -> Bool {
    let target = lists[list].targets[index]
    return (holders[target] ?? target) == entity
  }

  private mutating func hide(_ list: Int, _ index: Int) {
    let target = lists[list].targets[index]
    hidden[holders[target] ?? target, default: []].append(
      Anchor(list: list, element: lists[list].positions.element(at: index)))
  }

  func place(_ index: Int) -> (list: Int, index: Int)? {
    guard let places else { return (0, index) }
    return index < places.count ? places[index] : nil
  }

  /// The place of the last member before an index that has an element.
  func place(before index: Int) -> (list: Int, index: Int)? {
    (0..<index).reversed().lazy.compactMap { place($0) }.first
  }

  mutating func take(_ place: (list: Int, index: Int)) {
    let target = lists[place.list].targets[place.index]
    removed[holders[target] ?? target, default: []].append(
      Anchor(list: place.list, element: lists[place.list].positions.element(at: place.index)))
  }

  /// Takes an element of a register that was removed elsewhere in the same list, or that was hidden
  /// until its target came back.
  mutating func takeBack(_ target: Entity, from list: Int) -> ElementID? {
    if let index = removed[target]?.lastIndex(where: { $0.list == list }) {
      return removed[target]?.remove(at: index).element
    }
    if let index = hidden[target]?.firstIndex(where: { $0.list == list }) {
      return hidden[target]?.remove(at: index).element
    }
    return nil
  }
}
