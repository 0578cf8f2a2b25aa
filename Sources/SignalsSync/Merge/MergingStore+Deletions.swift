// Deletions of a captured commit: only those are sent that other replicas don't derive by themselves.

internal import Signals

extension MergingStore {
  /// Shelves the values of an object that was deleted here.
  func noteDeparture(of object: Object) {
    guard let entity = state.entities.find(object.objectID), state.object(entity) === object else {
      return
    }
    depart(object, of: entity)
  }

  /// Deletes objects in the registers: first those that no owner or cascade takes along, then
  /// whatever the derivation leaves alive.
  func captureDeletions(_ objects: [Object], _ stamp: StampIndex) {
    var left: [Entity] = []
    for object in objects {
      guard let entity = state.entities.find(object.objectID) else { continue }
      for member in groupOf[entity].flatMap({ groups[$0]?.members }) ?? [entity] {
        left.append(member)
        if groupOf[member] != nil, let holder = groupOf[member], holder == entity {
          for each in groups[holder]?.members ?? [] { groupOf[each] = nil }
          groups[holder] = nil
        }
      }
    }
    let all = Set(left)
    var taken: [Entity] = []
    for entity in left {
      let claims = state.owners[entity] ?? []
      if state.classState(entity)?.isEmbedded == true
        || claims.contains(where: { all.contains($0.entity) })
      {
        taken.append(entity)
      } else {
        captureDeletion(of: entity, stamp)
      }
    }
    while !taken.isEmpty {
      var touched = pass.touched.union(taken)
      derive(&touched)
      pass.touched = touched
      guard let survivor = taken.firstIndex(where: { isWanted($0) }) else { break }
      captureDeletion(of: taken.remove(at: survivor), stamp)
    }
  }

  private func captureDeletion(of entity: Entity, _ stamp: StampIndex) {
    guard let shared = state.classState(entity) else { return }
    noteDeletion(of: entity, stamp, revivable: shared.editsRevive)
    builder.delete(state.entities.ids[Int(entity)], class: shared.name)
  }
}
