// What dies with others, and who owns a part: derived from the registers alone, so that it is the
// same on all replicas.
//
// - An object dies by a cascading link of a dead object, unless it was created, or created again,
//   after the link was set.
// - A part belongs to the living object whose link or list got it last. It dies without one.
// - Of the links of a cycle of owners, the oldest doesn't count.
//
// Because the choice of an owner depends on what is alive, everything that is connected by ownership
// and cascades with what was touched is derived anew.

internal import Signals

extension MergingStore {
  /// Derives what is alive and who owns what, for the touched entities and all connected with them.
  ///
  /// Adds to `touched` those whose life has changed.
  func derive(_ touched: inout Set<Entity>) {
    let seeds = touched.filter { state.flags[Int($0)].contains(.isStructural) }
    if seeds.isEmpty { return }
    let component = connected(with: seeds)
    var dead = component.filter { !state.isAlive($0) }
    var owners: [Entity: FieldKey] = [:]
    while true {
      let (found, unowned) = chooseOwners(of: component, dead)
      owners = found
      let more = unowned.union(cascade(from: dead.union(unowned), in: component)).subtracting(dead)
      if more.isEmpty { break }
      dead.formUnion(more)
    }
    for entity in component {
      let isDerivedDead = dead.contains(entity) && state.isAlive(entity)
      if isDerivedDead != state.flags[Int(entity)].contains(.isDerivedDead) {
        touched.insert(entity)
        if isDerivedDead {
          state.flags[Int(entity)].formUnion([.isDerivedDead, .isSpecial])
        } else {
          state.flags[Int(entity)].remove(.isDerivedDead)
        }
      }
      let owner = dead.contains(entity) ? nil : owners[entity]
      if owner != chosen[entity] { change(owner: owner, of: entity) }
    }
  }

  private func change(owner: FieldKey?, of part: Entity) {
    if let old = chosen[part] { noteLinking(old) }
    if let owner { noteLinking(owner) }
    chosen[part] = owner
  }

  /// The entities that ownership and cascades connect with some.
  private func connected(with seeds: Set<Entity>) -> Set<Entity> {
    var found = seeds
    var open = Array(seeds)
    while let entity = open.popLast() {
      for owner in state.owners[entity] ?? [] where found.insert(owner.entity).inserted {
        open.append(owner.entity)
      }
      guard let shared = state.classState(entity) else { continue }
      for index in shared.structuralFields {
        for target in registerTargets(FieldKey(entity, index), shared.fields[index])
        where found.insert(target).inserted { open.append(target) }
      }
    }
    return found
  }

  /// The targets in the register of a link or list.
  func registerTargets(_ key: FieldKey, _ field: FieldState) -> [Entity] {
    if field.isList { return Array(listTargets(key)) }
    let target = state.target(key)
    return target < 0 ? [] : [target]
  }

  /// Those that the cascading links of dead objects delete.
  private func cascade(from dead: Set<Entity>, in component: Set<Entity>) -> Set<Entity> {
    var reached: Set<Entity> = []
    var open = Array(dead)
    while let entity = open.popLast() {
      guard let shared = state.classState(entity), state.created[Int(entity)] != 0 else { continue }
      for index in shared.structuralFields where shared.fields[index].cascades {
        let key = FieldKey(entity, index)
        let target = state.target(key)
        guard target >= 0, !dead.contains(target), state.created[Int(target)] != 0,
          !state.stamps.isLater(state.created[Int(target)], than: state.stamp(key))
        else { continue }
        if reached.insert(target).inserted { open.append(target) }
      }
    }
    return reached
  }

  private struct Claim {
    let owner: FieldKey
    let stamp: Stamp
    let id: ObjectID
  }

  /// The claims on a part by living objects, the strongest last.
  private func claims(
    on part: Entity, _ dead: Set<Entity>, _ lists: inout [FieldKey: [Entity: Int]]
  ) -> [Claim] {
    var claims: [Claim] = []
    guard let type = state.classState(part)?.type else { return [] }
    for key in state.owners[part] ?? [] where !dead.contains(key.entity) {
      guard let field = state.classState(key.entity)?.fields[Int(key.field)], field.owns,
        field.property.holds(type)
      else { continue }
      let id = state.entities.ids[Int(key.entity)]
      if field.isLink {
        if let holder = groupOf[key.entity], winner(of: key.field, in: holder) != key { continue }
        claims.append(Claim(owner: key, stamp: state.stamps[state.stamp(key)], id: id))
      } else if let list = field.lists[state.rowOf[Int(key.entity)]] {
        if lists[key] == nil { lists[key] = latestElements(of: key, field) }
        if let index = lists[key]?[part] {
          claims.append(Claim(owner: key, stamp: list.positions.element(at: index).stamp, id: id))
        }
      }
    }
    return claims.sorted {
      ($0.stamp, $0.id, $0.owner.field) < ($1.stamp, $1.id, $1.owner.field)
    }
  }

  /// Chooses an owner of each part.
  ///
  /// - Returns: The owners, and the parts without one, or only in a cycle.
  private func chooseOwners(
    of component: Set<Entity>, _ dead: Set<Entity>
  ) -> (owners: [Entity: FieldKey], unowned: Set<Entity>) {
    var claims: [Entity: [Claim]] = [:]
    var lists: [FieldKey: [Entity: Int]] = [:]
    var unowned: Set<Entity> = []
    for part in component
    where state.classState(part)?.isEmbedded == true && !dead.contains(part) {
      claims[part] = self.claims(on: part, dead, &lists)
    }
    // Each round drops the oldest link of each cycle; cycles have no part in common.
    while true {
      let cycles = self.cycles(in: claims)
      if cycles.isEmpty { break }
      for cycle in cycles {
        let weakest = cycle.min { one, other in
          guard let one = claims[one]?.last, let other = claims[other]?.last else { return false }
          return (one.stamp, one.id, one.owner.field) < (other.stamp, other.id, other.owner.field)
        }
        if let weakest { claims[weakest]?.removeLast() }
      }
    }
    for (part, list) in claims where list.isEmpty { unowned.insert(part) }
    return (claims.compactMapValues { $0.last?.owner }, unowned)
  }

  /// The cycles that the strongest claims form.
  private func cycles(in claims: [Entity: [Claim]]) -> [[Entity]] {
    var cycles: [[Entity]] = []
    var done: Set<Entity> = []
    for start in claims.keys where !done.contains(start) {
      var path: [Entity] = []
      var places: [Entity: Int] = [:]
      var current = start
      while !done.contains(current), let claim = claims[current]?.last {
        if let place = places[current] {
          cycles.append(Array(path[place...]))
          break
        }
        places[current] = path.count
        path.append(current)
        current = claim.owner.entity
      }
      done.formUnion(path)
    }
    return cycles
  }
}
