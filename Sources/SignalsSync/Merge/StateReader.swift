// Reading the merge state; StateWriter.swift has the form. The bytes are checked: numbers that lead
// nowhere, and lists that can't be, are errors.

internal import Signals

/// Reads the state of a merging store.
struct StateReader {
  var reader: ByteReader

  init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

  mutating func readHead() throws(MergeStateError) -> (ReplicaID, HybridTime) {
    let version = try number()
    guard version == StateWriter.version else { throw .unknownVersion(version) }
    return (ReplicaID(rawValue: try fixed()), HybridTime(rawValue: try fixed()))
  }

  mutating func read(into merging: MergingStore) throws(MergeStateError) {
    merging.lastElement = try number()
    try readAuthors(merging)
    for _ in 0..<(try count(16)) {
      let replica = ReplicaID(rawValue: try fixed())
      merging.seen.note(Stamp(time: HybridTime(rawValue: try fixed()), replica: replica))
    }
    _ = merging.seen.takeDelta(excluding: merging.replica)
    let classes = try readEntities(merging)
    for shared in classes { try read(shared, merging) }
    for index in merging.state.classOf.indices
    where merging.state.classOf[index] >= 0 && merging.state.rowOf[index] < 0 {
      throw .invalidReference(offset: reader.offset)
    }
    try readAside(merging)
    for _ in 0..<(try count(2)) {
      let holder = try entity(merging)
      var members: [Entity] = []
      for _ in 0..<(try count()) { members.append(try entity(merging)) }
      merging.groups[holder] = KeyGroup(members: members)
      for member in members { merging.groupOf[member] = holder }
    }
    for _ in 0..<(try count(3)) {
      let part = try entity(merging)
      merging.chosen[part] = try key(merging)
    }
    try readFormerOwners(merging)
    for _ in 0..<(try count(2)) { merging.lowered.insert(try key(merging)) }
    for _ in 0..<(try count(2)) { merging.woken.insert(try key(merging)) }
    for _ in 0..<(try count()) { merging.unsettled.insert(try entity(merging)) }
    for _ in 0..<(try count(16)) { merging.unsentSeen.append(try stamp()) }
    for _ in 0..<(try count(24)) {
      let set = try changeSet()
      let author = merging.state.stamps.author(set.replica)
      while merging.sequences.count <= Int(author) { merging.sequences.append(1) }
      merging.early[author, default: [:]][set.sequence] = set
    }
    for _ in 0..<(try count(24)) { merging.outbox.append(try changeSet()) }
    bind(merging)
  }

  private mutating func readAuthors(_ merging: MergingStore) throws(MergeStateError) {
    let authors = try count(9)
    for _ in 0..<authors {
      let author = merging.state.stamps.author(ReplicaID(rawValue: try fixed()))
      while merging.sequences.count <= Int(author) { merging.sequences.append(1) }
      merging.sequences[Int(author)] = try number()
    }
    for author in 0..<(try count()) {
      guard author < authors else { throw .invalidReference(offset: reader.offset) }
      var history = SeenHistory(horizon: HybridTime(rawValue: try fixed()))
      for _ in 0..<(try count(17)) {
        let other = UInt32(try reference(authors + 1))
        let at = HybridTime(rawValue: try fixed())
        history.note(HybridTime(rawValue: try fixed()), of: other, at: at)
      }
      merging.state.stamps.restore(history, of: UInt32(author + 1))
    }
    for _ in 0..<(try count(9)) {
      let time = HybridTime(rawValue: try fixed())
      _ = merging.state.stamps.add(time, by: UInt32(try reference(authors + 1)))
    }
  }

  private mutating func readEntities(
    _ merging: MergingStore
  ) throws(MergeStateError) -> [ClassState] {
    var classes: [ClassState] = []
    for _ in 0..<(try count()) {
      let name = try text()
      guard let shared = merging.classesByName[name] else { throw .unknownClass(name) }
      classes.append(shared)
    }
    for _ in 0..<(try count(12)) {
      let replica = try fixed()
      let entity = merging.state.entity(ObjectID(replica: replica, counter: try number()))
      let number = try reference(classes.count + 1)
      if number > 0 { merging.state.classOf[Int(entity)] = classes[number - 1].number }
      merging.state.created[Int(entity)] = try stamp(merging)
      merging.state.flags[Int(entity)] = EntityFlags(rawValue: try byte())
    }
    return classes
  }

  private mutating func read(
    _ shared: ClassState, _ merging: MergingStore
  ) throws(MergeStateError) {
    var columns: [(FieldState?, [StampIndex], [Entity], [Int32: ListRegister])] = []
    for _ in 0..<(try count()) {
      let field = shared.field(named: try text()).map { shared.fields[$0] }
      var (stamps, targets, lists) = ([StampIndex](), [Entity](), [Int32: ListRegister]())
      for _ in 0..<(try count()) { stamps.append(try stamp(merging)) }
      for _ in 0..<(try count()) {
        targets.append(Entity(try reference(merging.state.entities.count + 1)) - 1)
      }
      for _ in 0..<(try count(2)) {
        lists[Int32(try reference(Int(Int32.max)))] = try list(merging)
      }
      columns.append((field, stamps, targets, lists))
    }
    for _ in 0..<(try count()) {
      let entity = try entity(merging)
      guard merging.state.classOf[Int(entity)] == shared.number,
        merging.state.rowOf[Int(entity)] < 0
      else { throw .invalidReference(offset: reader.offset) }
      merging.state.rowOf[Int(entity)] = shared.add(entity)
    }
    let rows = shared.entities.count
    for (field, stamps, targets, lists) in columns {
      guard stamps.count <= rows, targets.count <= rows, lists.keys.allSatisfy({ $0 < rows }) else {
        throw .invalidReference(offset: reader.offset)
      }
      guard let field else { continue }
      for (row, stamp) in stamps.enumerated() { field.setStamp(stamp, row, of: rows) }
      if field.isLink {
        for (row, target) in targets.enumerated() { field.setTarget(target, row) }
      }
      if field.isList { field.lists = lists }
    }
  }

  private mutating func list(_ merging: MergingStore) throws(MergeStateError) -> ListRegister {
    var state = ListState<Stamp>()
    for _ in 0..<(try count(4)) {
      let ids = try range()
      guard let kind = ListBunch.Kind(rawValue: try byte()) else {
        throw .invalidReference(offset: reader.offset)
      }
      let place: ListPlace
      switch try byte() {
      case 0: place = .start
      case 1: place = .after(try element())
      default: place = .before(try element())
      }
      state.bunches.append(ListBunch(ids: ids, place: place, kind: kind))
    }
    for _ in 0..<(try count(18)) {
      let element = try element()
      let position = try self.element()
      state.moves.append(ListMove(element: element, position: position, stamp: try stamp()))
    }
    for _ in 0..<(try count(3)) { state.deleted.append(try range()) }
    var list = ListRegister()
    do { list.positions = try ListPositions(state) } catch { throw .invalidList(error) }
    for _ in 0..<(try count()) { list.targets.append(try entity(merging)) }
    guard list.targets.count == list.positions.count else {
      throw .invalidReference(offset: reader.offset)
    }
    for _ in 0..<(try count(2)) {
      let stamp = try stamp(merging)
      list.early.append((try bytes(), stamp))
    }
    return list
  }

  private mutating func readAside(_ merging: MergingStore) throws(MergeStateError) {
    for _ in 0..<(try count(2)) {
      let entity = try entity(merging)
      merging.state.tombstones[entity] = try stamp(merging)
    }
    for _ in 0..<(try count(2)) {
      let entity = try entity(merging)
      let edits = try stamps(merging)
      merging.state.revivals.restore(entity, edits: edits, deletions: try stamps(merging))
    }
    for _ in 0..<(try count(2)) {
      let entity = try entity(merging)
      var values: [[UInt8]?] = []
      for _ in 0..<(try count()) { values.append(try byte() == 0 ? nil : try bytes()) }
      guard values.count == merging.state.classState(entity)?.fields.count else {
        throw .invalidReference(offset: reader.offset)
      }
      merging.state.shelf[entity] = values
    }
    for _ in 0..<(try count(2)) {
      let entity = try entity(merging)
      for _ in 0..<(try count(4)) {
        guard let kind = Operation.Kind(rawValue: try byte()) else {
          throw .invalidReference(offset: reader.offset)
        }
        let name = try text()
        let stamp = try stamp(merging)
        merging.state.carried[entity, default: []].append(
          CarriedOperation(kind: kind, name: name, stamp: stamp, bytes: try bytes()))
      }
    }
    for _ in 0..<(try count(2)) {
      let target = try entity(merging)
      for _ in 0..<(try count(2)) {
        merging.state.waiting[target, default: []].insert(try key(merging))
      }
    }
    for _ in 0..<(try count(20)) {
      let key = try key(merging)
      merging.state.counters[key] = try counter()
    }
  }

  private mutating func readFormerOwners(_ merging: MergingStore) throws(MergeStateError) {
    for _ in 0..<(try count(2)) {
      let part = try entity(merging)
      for _ in 0..<(try count(18)) {
        let key = try key(merging)
        let isLink = merging.state.classState(key.entity)?.fields[Int(key.field)].isLink
        merging.state.former.note(part, in: key, try stamp(), isLink: isLink ?? false)
      }
    }
  }

  private mutating func counter() throws(MergeStateError) -> CounterState {
    let base: CounterNumber
    if try byte() == 0 {
      base = .integer(try wide())
    } else {
      base = .floating(Double(bitPattern: try fixed()))
    }
    var state = CounterState(base: base)
    state.sum = try wide()
    for _ in 0..<(try count(16)) {
      let replica = ReplicaID(rawValue: try fixed())
      state.sums[replica] = Double(bitPattern: try fixed())
    }
    return state
  }

  /// Finds the instances, and the links and lists that decide about ownership.
  private func bind(_ merging: MergingStore) {
    for object in merging.store.storedObjects {
      guard let entity = merging.state.entities.find(object.objectID),
        merging.state.classOf[Int(entity)] >= 0
      else { continue }
      merging.state.setObject(object, of: entity)
    }
    for shared in merging.state.classes {
      for index in shared.structuralFields {
        for entity in shared.entities {
          let key = FieldKey(entity, index)
          for target in merging.registerTargets(key, shared.fields[index]) {
            merging.state.owners[target, default: []].insert(key)
          }
        }
      }
    }
    for (part, key) in merging.chosen where merging.state.owners[part]?.contains(key) != true {
      merging.returnedTo[part] = key
      merging.returned[key, default: []].insert(part)
    }
  }
}
