// Links to objects that the store doesn't have yet: a change set may arrive before another one that
// inserts the target, or the target may be in a part of the graph that isn't here.
//
// A change set that is applied adds the targets that a property of a stored object lacks. They are
// dropped when a link is written, when a change set removes them from a list, and when the object that
// has the property is deleted. If a transaction fails, each property waits for what it waited for
// before.
//
// Order of events: at the end of a transaction that inserts an object for which links wait, they
// are set as part of it, before ownership is settled, because the links may own the object.

/// The targets for which properties wait.
///
/// There are no more than change sets have named for properties of stored objects.
package struct WaitingLinks {
  /// A link or list of an object.
  struct Place: Hashable {
    let source: ObjectID
    let offset: Int
  }

  /// A target for which a property waits.
  struct Target {
    let id: ObjectID
    /// The position of the target in the list of the change set; 0 for a link.
    let position: Int
    /// The member before it, if there was one.
    let previous: ObjectID?
  }

  /// The targets for which each property waits.
  private var targets: [Place: [Target]] = [:]
  /// The properties that wait for each object.
  private var places: [ObjectID: Set<Place>] = [:]

  package init() {}

  var isEmpty: Bool { targets.isEmpty }

  /// The number of targets, each counted once for every property that waits for it.
  var count: Int { targets.values.reduce(0) { $0 + $1.count } }

  func targets(at place: Place) -> [Target] { targets[place] ?? [] }

  func places(waitingFor id: ObjectID) -> Set<Place> { places[id] ?? [] }

  /// Replaces the targets for which the changed links and lists of an object wait by those of a store.
  package mutating func update(_ object: Object, changed change: ObjectChange, from store: Store) {
    for property in object.schema.linking where change[property.name] != nil {
      let place = Place(source: object.objectID, offset: property.offset)
      let present = store.waitingLinks.targets(at: place)
      if !present.isEmpty || !targets(at: place).isEmpty { set(present, at: place) }
    }
  }

  /// Replaces the targets for which a property waits.
  mutating func set(_ new: [Target], at place: Place) {
    for target in targets[place] ?? [] {
      places[target.id]?.remove(place)
      if places[target.id]?.isEmpty ?? false { places[target.id] = nil }
    }
    targets[place] = new.isEmpty ? nil : new
    for target in new { places[target.id, default: []].insert(place) }
  }
}

extension Store {
  /// The targets for which links and lists wait.
  package var allWaitingLinks: WaitingLinks { waitingLinks }

  /// Whether a link or list of an object waits for a target.
  package func isWaiting(_ object: Object) -> Bool {
    if waitingLinks.isEmpty { return false }
    return object.table?.schema.linking.contains { property in
      let place = WaitingLinks.Place(source: object.objectID, offset: property.offset)
      return !waitingLinks.targets(at: place).isEmpty
    } ?? false
  }

  /// Lets links and lists wait for earlier targets, and sets those that wait for the given objects.
  ///
  /// Must be called in a transaction.
  package func waitAgain(_ links: WaitingLinks, linking objects: Set<ObjectID>) {
    guard let transaction, !links.isEmpty || !waitingLinks.isEmpty else { return }
    let before = waitingLinks
    waitingLinks = links
    transaction.ifRolledBack { [unowned self] in waitingLinks = before }
    var arrived: [ObjectID: Object] = [:]
    for id in objects { arrived[id] = storedObject(id) }
    link(arrived, in: transaction)
  }

  /// Returns the targets of a link or list, with those for which it waits at their places.
  package func targetsWithWaiting(of property: Property, in object: Object) -> [ObjectID] {
    var ids = property.targets(in: object).map(\.objectID)
    if waitingLinks.isEmpty { return ids }
    let place = WaitingLinks.Place(source: object.objectID, offset: property.offset)
    for target in waitingLinks.targets(at: place).sorted(by: { $0.position < $1.position }) {
      let isNext = target.previous != nil && ids.last == target.previous
      let before = isNext ? ids.count - 1 : target.previous.flatMap { ids.firstIndex(of: $0) }
      ids.insert(target.id, at: before.map { $0 + 1 } ?? min(target.position, ids.count))
    }
    return ids
  }

  /// Replaces the targets for which a link or list of an object waits.
  func wait(for targets: [WaitingLinks.Target], at property: Property, of object: Object) {
    let place = WaitingLinks.Place(source: object.objectID, offset: property.offset)
    let before = waitingLinks.targets(at: place)
    if before.isEmpty && targets.isEmpty { return }
    waitingLinks.set(targets, at: place)
    guard let transaction else { return }
    // The property may not have been written, but only entries are rolled back.
    transaction.journal.save(object, at: property.offset, old: property.value(in: object))
    transaction.ifRolledBack { [unowned self] in waitingLinks.set(before, at: place) }
  }

  /// Drops what the links and lists of an object wait for.
  package func stopWaiting(_ object: Object) {
    guard let table = object.table else { return }
    for property in table.schema.linking { wait(for: [], at: property, of: object) }
  }

  /// Links the objects that the transaction has inserted, where links wait for them.
  func setWaitingLinks(in transaction: Transaction) {
    var arrived: [ObjectID: Object] = [:]
    for entry in transaction.journal.entries where !entry.isOfProperty {
      guard case .inserted = entry.change, entry.object.table?.store === self else { continue }
      arrived[entry.object.objectID] = entry.object
    }
    link(arrived, in: transaction)
  }

  /// Links objects where links wait for them.
  private func link(_ arrived: [ObjectID: Object], in transaction: Transaction) {
    var places: Set<WaitingLinks.Place> = []
    for id in arrived.keys { places.formUnion(waitingLinks.places(waitingFor: id)) }
    let sorted = places.sorted { ($0.source, $0.offset) < ($1.source, $1.offset) }
    for place in sorted { link(arrived, at: place, in: transaction) }
  }

  /// Links those of the given objects for which one property waits.
  private func link(
    _ arrived: [ObjectID: Object], at place: WaitingLinks.Place, in transaction: Transaction
  ) {
    let waiting = waitingLinks.targets(at: place)
    let targets = waiting.filter { arrived[$0.id] != nil }
    let remaining = waiting.filter { arrived[$0.id] == nil }
    guard let source = storedObject(place.source),
      let property = source.table?.schema.property(at: place.offset)
    else { return }
    // A link has one target, and writing it drops what it waits for.
    wait(for: remaining, at: property, of: source)
    for target in targets.sorted(by: { $0.position < $1.position }) {
      guard let object = arrived[target.id], mayLink(property, of: source, to: object) else {
        continue
      }
      let absent = remaining.count { $0.position < target.position }
      let value = property.editingValue(in: source) {
        // Positions of several change sets don't count each other's targets.
        $0.add(object, after: target.previous, orAt: max(0, target.position - absent))
      }
      rewrite(property, of: source, to: value, in: transaction)
    }
  }

  private func mayLink(_ property: Property, of source: Object, to target: Object) -> Bool {
    guard let type = property.linkingType, type.holds(target) else {
      return false
    }
    // It may have got another owner, or own the source.
    return !target.isEmbedded || target.ownership == nil && !isPart(source, of: target)
  }
}

extension References {
  /// Adds an object for which the property has waited.
  ///
  /// A member of a list comes after the member that preceded it, or else at a position.
  fileprivate mutating func add(
    _ object: Object, after previous: ObjectID?, orAt position: Int
  ) {
    switch self {
    case .link(nil): self = .link(object)
    case .link: break
    case .list(var tree):
      let before = previous.flatMap { id in tree.firstPosition { $0.objectID == id } }
      let place = before.map { $0 + 1 } ?? min(position, tree.count)
      tree.insert(object, at: place)
      self = .list(tree)
    }
  }
}

extension Tree {
  /// The position of the first element that satisfies a predicate.
  ///
  /// - Complexity: O(*n*).
  fileprivate func firstPosition(where isWanted: (Element) -> Bool) -> Int? {
    var position = 0
    for element in self {
      if isWanted(element) { return position }
      position += 1
    }
    return nil
  }
}
