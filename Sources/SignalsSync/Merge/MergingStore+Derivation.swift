// Deaths that follow from others, and the owners of parts: derived from the registers alone, so that
// they are the same on all replicas.
//
// - An object dies by a cascading link of a dead object, unless it was created, or created again,
//   after the link was set.
// - A part belongs to the living object whose link or list got it last. It dies without one.
// - Of the links of a cycle of owners, the oldest doesn't count. The part goes back to the owner that
//   had it before, also one that has given it away since: a link that is empty now, or a list, at
//   whose end it is shown. Otherwise all parts of the cycle would be lost.
//
// Because the choice of an owner depends on which objects are alive, all objects that ownership and
// cascades connect with a touched one are derived again.

internal import Signals

extension MergingStore {
  /// Derives life and ownership of the touched entities and of all that are connected with them.
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
      let isHeld = owner.map { state.owners[entity]?.contains($0) == true } ?? true
      noteReturn(of: entity, to: isHeld ? nil : owner)
    }
  }

  private func change(owner: FieldKey?, of part: Entity) {
    if let old = chosen[part] {
      noteLinking(old)
      pass.claims.insert(PartClaim(part: part, key: old))
    }
    if let owner { noteLinking(owner) }
    chosen[part] = owner
  }

  /// Notes which link or list shows a part that it doesn't hold any more.
  private func noteReturn(of part: Entity, to key: FieldKey?) {
    let old = returnedTo[part]
    if old == key { return }
    returnedTo[part] = key
    if let old {
      returned[old]?.remove(part)
      if returned[old]?.isEmpty == true { returned[old] = nil }
      noteLinking(old)
    }
    if let key {
      returned[key, default: []].insert(part)
      noteLinking(key)
    }
  }

  /// The parts that have come back to a link or list, in the order in which it got them.
  func returnedParts(_ key: FieldKey) -> [Entity] {
    guard let parts = returned[key] else { return [] }
    func rank(_ part: Entity) -> (Stamp, ObjectID)? {
      state.former.owners[part]?[key].map { ($0, state.entities.ids[Int(part)]) }
    }
    return parts.sorted { one, other in
      guard let one = rank(one), let other = rank(other) else { return one < other }
      return one < other
    }
  }

  /// Notes that a link or list got a part.
  func noteClaim(on part: Entity, _ key: FieldKey, _ field: FieldState, _ stamp: Stamp) {
    let shared = state.classState(part)
    if shared?.isEmbedded ?? true { pass.claims.insert(PartClaim(part: part, key: key)) }
    guard shared?.isNesting ?? true else { return }
    pass.touched.insert(part)
    if let dropped = state.former.note(part, in: key, stamp, isLink: field.isLink) {
      pass.touched.insert(dropped)
    }
  }

  /// Reports the owners that hold a part in their registers but don't have it.
  func reportClaims() {
    for claim in pass.claims.sorted(by: { ($0.part, $0.key) < ($1.part, $1.key) }) {
      let owner = chosen[claim.part]
      guard owner != claim.key, state.isAlive(claim.part), isWanted(claim.key.entity),
        state.classState(claim.part)?.isEmbedded == true,
        state.owners[claim.part]?.contains(claim.key) == true
      else { continue }
      pass.report.ownership.append(
        MergeReport.OwnershipLoss(
          part: state.entities.ids[Int(claim.part)], loser: subject(claim.key),
          owner: owner.map { state.entities.ids[Int($0.entity)] }))
    }
  }

  /// The entities that ownership and cascades connect with some.
  func connected(with seeds: Set<Entity>) -> Set<Entity> {
    var found = seeds
    var open = Array(seeds)
    while let entity = open.popLast() {
      for owner in state.owners[entity] ?? [] where found.insert(owner.entity).inserted {
        open.append(owner.entity)
      }
      for owner in state.former.owners[entity]?.keys.map(\.entity) ?? []
      where found.insert(owner).inserted { open.append(owner) }
      guard let shared = state.classState(entity) else { continue }
      for index in shared.structuralFields {
        let key = FieldKey(entity, index)
        for target in registerTargets(key, shared.fields[index])
        where found.insert(target).inserted { open.append(target) }
        for part in state.former.parts[key] ?? [] where found.insert(part).inserted {
          open.append(part)
        }
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

  /// A claim on a part; a later one is stronger.
  private struct Claim: Comparable {
    let owner: FieldKey
    let stamp: Stamp
    let id: ObjectID

    static func < (one: Claim, other: Claim) -> Bool {
      (one.stamp, one.id, one.owner.field) < (other.stamp, other.id, other.owner.field)
    }
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
    return claims.sorted()
  }

  /// The claims of living owners that had a part and gave it away, the strongest last.
  private func formerClaims(on part: Entity, _ dead: Set<Entity>) -> [Claim] {
    var claims: [Claim] = []
    guard let type = state.classState(part)?.type else { return [] }
    for (key, stamp) in state.former.owners[part] ?? [:] where !dead.contains(key.entity) {
      guard let field = state.classState(key.entity)?.fields[Int(key.field)],
        field.property.holds(type), state.owners[part]?.contains(key) != true
      else { continue }
      if field.isLink {
        if state.target(key) >= 0 { continue }
        if let holder = groupOf[key.entity], winner(of: key.field, in: holder) != key { continue }
      }
      claims.append(Claim(owner: key, stamp: stamp, id: state.entities.ids[Int(key.entity)]))
    }
    return claims.sorted()
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
    // The parts that have fallen back to former owners.
    var fallen: Set<Entity> = []
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
          return one < other
        }
        guard let weakest else { continue }
        claims[weakest]?.removeLast()
        if claims[weakest]?.isEmpty == true, fallen.insert(weakest).inserted {
          claims[weakest] = formerClaims(on: weakest, dead)
        }
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

/// A link or list that got a part.
struct PartClaim: Hashable {
  let part: Entity
  let key: FieldKey
}
